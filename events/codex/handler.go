package codex

import (
	"cmp"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

const windows = runtime.GOOS == "windows"

// mostBrief limits the time of a hook of SessionEnd or Interrupt (CX18).
const mostBrief = 3 * time.Second

// group is one group of handlers, with a common matcher.
type group struct {
	*reading
	entries.Group
	file   *file
	traits *traits
	broken string // why the group's matcher matches nothing
}

func (g *group) read(label string, like hook.Hook) {
	g.Misspelt(g.Value, "matcher")
	g.Ignores("Codex")
	at := g.Value.Get("matcher")
	like.Pattern, _ = at.Text()
	if g.Event.Subject == "" {
		like.Pattern = ""
	}
	var note string
	like.Matcher, note = g.Matcher(g.Event.Name, like.Pattern, g.Event.Rules.Match)
	if note != "" {
		g.broken, like.Matcher = note, nil // nil selects the hook at every call
		g.Problem(at.Wrong("%s; its group is skipped", note))
	} else if renamed := g.Event.Rules.Renamed; renamed != nil {
		like.Matcher = renamed(like.Matcher)
	}
	index := -1
	g.Read(label, like, func(h *hook.Hook, v settings.Value) *settings.Problem {
		index++
		return (&handler{group: g, hook: h, value: v}).fill(index)
	})
}

// handlerMembers lists members of an entry, to find misspelt ones and members of other systems.
var handlerMembers = []string{"timeout", "async", "additionalContextLimit", "commandWindows", "command", "server", "tool", "input"}

// handler is one entry of a group. The types of its members have been checked with the file.
type handler struct {
	*group
	hook  *hook.Hook
	value settings.Value
}

// fill completes a hook. The settings can exclude a hook even if its entry is invalid.
func (e *handler) fill(index int) *settings.Problem {
	h, excluded := e.hook, e.hook.Exclusion
	h.Exclusion = hook.Exclusion{}
	unusable := e.build()
	if unusable == nil && e.broken != "" {
		h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, e.broken, e.broken
	}
	key := e.file.key(e.Event.Name, e.Index(), index)
	if at, off := e.switchedOff(key); off && !e.file.isManaged() && excluded.Skip == "" {
		excluded = hook.Exclusion{
			Skip: hook.Disabled, SkippedBy: hook.User,
			SkipDetail: "[hooks.state." + strconv.Quote(key) + "] has enabled = false at " + at.String(),
		}
	}
	if excluded.Skip != "" {
		if excluded.Skip == hook.Disabled {
			excluded.Unusable = h.Unusable // a lock in the machine's policy can overrule the switch
		}
		h.Exclusion = excluded
	}
	return unusable
}

// build reads the entry. It returns the problem that makes the entry invalid, or nil.
func (e *handler) build() *settings.Problem {
	h, v := e.hook, e.value
	h.Type, _ = v.Get("type").Text()
	h.Status, _ = v.Get("statusMessage").Text()
	e.Misspelt(v, handlerMembers...)
	if e.Types[h.Type] == nil {
		e.Ignored("Codex", false, v, handlerMembers...)
	}
	h.Timeout = e.timeout(v.Get("timeout"))
	e.limit(v.Get("additionalContextLimit"))
	switch {
	case e.Types[h.Type] != nil:
		return e.Types.Read(h.Type, h, v)
	case h.Type == "command":
		return e.command()
	case h.Type == "mcp_tool":
		return e.tool()
	}
	h.Command, _ = v.Get("prompt").Text()
	h.Skip, h.SkipDetail = hook.UnsupportedType, "Codex accepts hooks of type "+strconv.Quote(h.Type)+" and runs none; write a command"
	h.Unusable = h.SkipDetail
	e.Problem(v.Get("type").Wrong("%s", h.SkipDetail))
	return nil
}

// timeout reads whole seconds, at least 1. It returns 0, the event's default, if the entry has no timeout.
func (e *handler) timeout(v settings.Value) time.Duration {
	seconds, ok := v.Number()
	if !ok {
		return 0
	}
	const year = 366 * 24 * 3600
	d := time.Duration(max(1, min(seconds, year))) * time.Second
	if e.traits.brief && d > mostBrief {
		e.Problem(v.Wrong("the timeout of a hook of %s can be at most %v, which is used; write that", e.Event.Name, mostBrief))
		return mostBrief
	}
	return d
}

// limit reads the maximum number of tokens of a text for the model.
func (e *handler) limit(v settings.Value) {
	n, ok := v.Number()
	if !ok {
		return
	}
	if e.traits.deaf {
		e.Problem(v.Wrong("additionalContextLimit has no effect at %s, whose hooks add no context; remove it", e.Event.Name))
	}
	e.limits[e.hook.ID] = int(min(n, 1<<40))
}

// command reads a hook that is a command.
func (e *handler) command() *settings.Problem {
	h, v := e.hook, e.value
	at := v.Get("command")
	if windows {
		for _, name := range []string{"commandWindows", "command_windows"} {
			if own := v.Get(name); own.Kind() == '"' && (name == "commandWindows" || e.file.isTOML()) {
				at = own
			}
		}
	}
	h.Command, _ = at.Text()
	if strings.TrimSpace(h.Command) == "" {
		return problem(at.Wrong("the command is blank, and the hook is skipped; write the command, or remove the hook"))
	}
	if err := run.CheckScript(h.Command); err != nil {
		return problem(at.Wrong("the command cannot be used: %v", err))
	}
	if async := v.Get("async"); isTrue(async) {
		if e.traits.waits {
			e.Problem(async.Wrong("async has no effect at %s, which waits for its hooks; remove it", e.Event.Name))
		} else {
			h.Background = hook.Async
		}
	}
	c := &run.Command{
		Argv: shell(e.env, h.Command), NoTerminal: true,
		Environ: func(call hook.Call) []string { return withEnvFile(e.env, call.Env) },
	}
	h.Argv, h.Runner = c.Starts(hook.Call{Hook: h, Dir: e.at.Dir}), c
	return nil
}

// withEnvFile adds the second name of the file for variables, if there is such a file (CX40).
func withEnvFile(env, own []string) []string {
	if path := environ.Getenv(own, envFile); path != "" {
		return environ.WithVar(env, envFileToo, path)
	}
	return env
}

// shell returns the program and the arguments that run a script in the user's own shell, but not as
// a login shell (CX39).
func shell(env []string, script string) []string {
	if windows {
		return run.PowerShell(script)
	}
	program := environ.Getenv(env, "SHELL")
	if !filepath.IsAbs(program) {
		program = "/bin/sh"
	}
	return []string{program, "-c", script}
}

// tool reads a hook that is a tool of an MCP server. It fails open, and never runs in the
// background.
func (e *handler) tool() *settings.Problem {
	h, v := e.hook, e.value
	server, _ := v.Get("server").Text()
	name, _ := v.Get("tool").Text()
	switch {
	case strings.TrimSpace(server) == "":
		return problem(v.Get("server").Wrong("server is blank, and the hook is skipped; write its name"))
	case strings.TrimSpace(name) == "":
		return problem(v.Get("tool").Wrong("tool is blank, and the hook is skipped; write its name"))
	case e.traits.waits:
		return problem(v.Get("type").Wrong("%s runs no tools, and the hook is skipped; write a command", e.Event.Name))
	}
	h.Command = server + "/" + name
	h.Runner = &request.Tool{Caller: e.Tools, Server: server, Name: name, Input: wire.Object(v.Get("input").JSON())}
	return nil
}

func problem(p settings.Problem) *settings.Problem { return &p }

// snake returns the name of an event in the keys of handlers, such as pre_tool_use.
func snake(event string) string {
	var b strings.Builder
	for i, c := range event {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

func itoa(n int) string { return strconv.Itoa(n) }

func sorted[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), cmp.Compare[string])
}
