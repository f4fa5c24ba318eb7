package claude

import (
	"context"
	"os"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// build makes the runner of an entry, and its key. It returns the problem that makes the entry
// unusable, or nil.
func (e *entry) build() *settings.Problem {
	switch e.kind {
	case commands:
		return e.buildCommand()
	case requests:
		return e.buildHTTP()
	case tools:
		return e.buildTool()
	case prompts, agents:
		return e.buildJudge()
	}
	return e.buildAdded()
}

// setKey sets the key by which duplicates are found: hooks have equal keys if they do the same for
// the same calls (C18).
func (e *entry) setKey(payload ...string) {
	e.hook.Key = e.space + "\x00" + e.hook.Type + "\x00" + e.hook.If + "\x00" + strings.Join(payload, "\x00")
}

// buildAdded reads a hook of a type that the program defines.
func (e *entry) buildAdded() *settings.Problem {
	wrong := e.Types.Read(e.hook.Type, e.hook, e.value)
	if e.hook.Key != "" {
		e.setKey(e.hook.Key)
	}
	return wrong
}

// buildHTTP reads a hook that is a request (C43).
func (e *entry) buildHTTP() *settings.Problem {
	url, wrong := e.needText("url", "https://…")
	if wrong != nil {
		return wrong
	}
	e.hook.Command = environ.MaskURL(url)
	e.setKey(url, string(e.get("headers").JSON()), string(e.get("allowedEnvVars").JSON()))
	r := &request.HTTP{
		URL: url, Headers: e.headers(e.get("headers")), PublicOnly: e.PublicOnly,
		Vars: e.policy.allowsVars(e.hook.Source, e.addTexts([]string{}, e.get("allowedEnvVars"))),
		Getenv: func(name string) (string, bool) {
			value := environ.Getenv(e.Environ, name)
			return value, value != ""
		},
	}
	notes, err := r.Check()
	for _, note := range notes {
		e.Problem(e.get("headers").Wrong("%s", note))
	}
	if err != nil {
		return lo.ToPtr(e.get("url").Wrong("%v", err))
	}
	e.hook.Runner = r
	if !e.policy.allowsURL(e.hook.Source, url) {
		const why = "allowedHttpHookUrls has no pattern for this URL"
		e.hook.Skip, e.hook.SkipDetail, e.hook.Unusable = hook.Policy, why, why
	}
	return nil
}

func (e *entry) headers(v settings.Value) map[string]string {
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		e.Problem(v.Want("an object whose members are headers"))
	}
	headers := map[string]string{}
	for name, value := range v.Members() {
		if text, ok := value.Text(); ok {
			headers[name] = text
		} else {
			e.Problem(value.Want("a string"))
		}
	}
	return headers
}

// buildTool reads a hook that is a tool of an MCP server (release 2.1.239).
func (e *entry) buildTool() *settings.Problem {
	server, wrong := e.needText("server", "memory")
	if wrong != nil {
		return wrong
	}
	tool, wrong := e.needText("tool", "check")
	if wrong != nil {
		return wrong
	}
	in := e.get("input")
	if in.Exists() && in.Kind() != '{' && in.Kind() != 'n' {
		return lo.ToPtr(in.Want("an object"))
	}
	var arguments wire.Object
	if in.Kind() == '{' {
		arguments = wire.Object(in.JSON())
	}
	e.hook.Command = server + "/" + tool
	e.setKey(server, tool, string(arguments))
	e.hook.Runner = &request.Tool{Caller: e.Tools, Server: server, Name: tool, Input: arguments}
	return nil
}

// buildJudge reads a hook that asks a model or runs an agent (C49). An agent's refusal never ends the turn.
func (e *entry) buildJudge() *settings.Problem {
	prompt, wrong := e.needText("prompt", "Is this safe? $ARGUMENTS")
	if wrong != nil {
		return wrong
	}
	gently, _ := e.Bool(e.get("continueOnBlock"))
	name := e.text("model")
	e.hook.Command = prompt
	e.setKey(prompt, name)
	asks := &judge.Judge{Model: e.Model, Name: name, Prompt: prompt}
	if e.kind == agents {
		asks.Model, asks.Agent, gently = nil, e.Agent, true
	}
	does := e.traits.verdict
	if does == nothing && e.traits.kinds&prompts == 0 && e.traits.exitTwoDenies {
		does = block // like a command that exits with status 2
	}
	canStop := e.traits.contextHold
	asks.Answer = func(v judge.Verdict) hook.Reply {
		if v.OK || v.Impossible && canStop {
			return hook.Reply{}
		}
		return does.reply(v.Reason, gently)
	}
	e.hook.Runner = asks
	return nil
}

// worktreePath converts the output of a command to an answer whose path is the last non-empty line of the output,
// without colours (release 2.1.239).
type worktreePath struct{ hook.Runner }

// Unwrap returns the Runner of the command itself.
func (w worktreePath) Unwrap() hook.Runner { return w.Runner }

// Run runs the command and reads the path.
func (w worktreePath) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	reply, err := w.Runner.Run(ctx, call)
	if err != nil || reply.Exit != 0 || reply.Signal != nil {
		return reply, err
	}
	lines := strings.Split(plain(stripped(reply.Stdout)), "\n")
	path := strings.TrimSpace(lines[len(lines)-1])
	own := wire.Object(nil).With("hookEventName", wire.Quote("WorktreeCreate")).With("worktreePath", wire.Quote(path))
	reply.Stdout = wire.Object(nil).With("hookSpecificOutput", []byte(own))
	return reply, nil
}

// furnished creates a plugin's data directory before the hook runs.
type furnished struct {
	hook.Runner
	dir string
}

// Unwrap returns the Runner of the hook itself.
func (f furnished) Unwrap() hook.Runner { return f.Runner }

// Run makes the directory and runs the hook.
func (f furnished) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return hook.Reply{}, err
	}
	return f.Runner.Run(ctx, call)
}
