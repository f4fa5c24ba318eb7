package cursor

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/settings"
)

// entryMembers lists the members of an entry.
var entryMembers = []string{"command", "type", "prompt", "model", "timeout", "matcher", "failClosed", "loop_limit"}

// entry is one hook of a file, or a group of hooks of Claude Code.
type entry struct {
	*reading
	entries.Group
	file   *file
	traits *traits

	hook   *hook.Hook
	value  settings.Value
	broken string // why the matcher matches nothing
}

func (e *entry) read(like hook.Hook) {
	e.Ignores("Cursor")
	at := e.Value.Get("matcher")
	var note string
	like.Pattern, like.Matcher, note = e.matcher(at)
	excluded := like.Exclusion
	if note != "" {
		e.broken, like.Matcher = note, nil // nil: a hook with a broken matcher is selected at every call
		e.Problem(at.Wrong("%s", note))
	}
	e.Read(e.file.rank.name, like, func(h *hook.Hook, v settings.Value) *settings.Problem {
		e.hook, e.value = h, v
		h.Exclusion = hook.Exclusion{}
		wrong := e.fill()
		if wrong == nil && e.broken != "" && h.Skip == "" {
			h.Skip, h.SkipDetail, h.Unusable = lo.Ternary(e.traits.word == "", hook.Invalid, hook.NotMatched), e.broken, e.broken
		}
		if excluded.Skip != "" {
			h.Exclusion = excluded
		}
		return wrong
	})
}

// matcher compiles a matcher (U9 to U11, U32). An imported hook has a matcher of Claude Code, with Claude Code's names
// of tools. note says why the matcher matches nothing.
func (e *entry) matcher(at settings.Value) (pattern string, m hook.Matcher, note string) {
	pattern, ok := at.Text()
	subject := e.Event.Subject
	switch {
	case !ok && at.Exists() && at.Kind() != 'n':
		return "", nil, at.Want("a string").Message
	case !e.file.claude:
		m, note = e.Matcher(e.Event.Name, pattern, e.Event.Rules.Match)
		return lo.Ternary(subject == "" && e.traits.word == "", "", pattern), m, note
	case subject == "":
		return "", nil, ""
	}
	m, note = e.Matcher("Claude Code", pattern, matchImported)
	if note == "" && strings.Contains(pattern, "mcp__") {
		e.Problem(at.Wrong("%.60q names tools of MCP servers as Claude Code does; Cursor calls them MCP:tool, and the hook does not run for them", pattern))
	}
	return pattern, m, note
}

// matchImported compiles the matcher of an imported hook, which has Claude Code's names of tools.
func matchImported(pattern string) (m hook.Matcher, note string) {
	m, note = match.WideList(pattern)
	return tools.Matcher(m), note
}

// fill completes a hook from its entry. It returns the problem that makes the entry unusable, or nil.
func (e *entry) fill() *settings.Problem {
	h, v := e.hook, e.value
	h.Type = "command"
	if v.Kind() != '{' {
		return lo.ToPtr(v.Want(`an object {"command": "…"}`))
	}
	e.Misspelt(v, entryMembers...)
	if e.Types[h.Type] == nil {
		e.Ignored("Cursor", e.file.claude, v, entryMembers...)
	}
	e.failClosed(v.Get("failClosed"))
	h.Timeout = e.timeout(v.Get("timeout"))
	e.loopLimit(v.Get("loop_limit"))
	if at := v.Get("type"); at.Exists() && at.Kind() != 'n' {
		word, ok := at.Text()
		if h.Type = word; !ok {
			return lo.ToPtr(at.Want(`"command" or "prompt"`))
		}
	}
	switch {
	case e.Value.Get("hooks").Exists() && !e.file.claude:
		return lo.ToPtr(e.Value.Wrong(
			`the entry has "hooks" as in Claude Code, and no "command"; write {"command": "…", "matcher": "…"} for each hook`))
	case e.Types[h.Type] != nil:
		return e.Types.Read(h.Type, h, v)
	case h.Type == "command":
		return e.command(v.Get("command"))
	case h.Type == "prompt":
		return e.prompt(v.Get("prompt"))
	}
	h.Skip, h.SkipDetail = hook.UnsupportedType, fmt.Sprintf("Cursor runs no hooks of type %.40q; write command or prompt", h.Type)
	h.Unusable = h.SkipDetail
	e.Problem(v.Get("type").Wrong("%s", h.SkipDetail))
	return nil
}

// need reads a required text.
func (e *entry) need(name string, v settings.Value) (string, *settings.Problem) {
	text, ok := v.Text()
	switch {
	case ok && strings.TrimSpace(text) != "":
		return text, nil
	case v.Exists() && !ok:
		return "", lo.ToPtr(v.Want("a string"))
	}
	return "", lo.ToPtr(e.value.Wrong("the hook has no %q; add %[1]q: %q", name, lo.Ternary(name == "command", "./check.sh", "…")))
}

// failClosed reads whether a failure blocks (U18). A value that is not a boolean means true.
func (e *entry) failClosed(v settings.Value) {
	on, ok := e.Bool(v)
	if on = on || !ok && v.Exists() && v.Kind() != 'n'; on && !e.traits.refuses() {
		e.Problem(v.Wrong("failClosed has no effect on %s, which has nothing to deny; remove it", e.Event.Name))
		return
	}
	e.hook.FailClosed = on
}

// timeout reads seconds; 0 is the default.
func (e *entry) timeout(v settings.Value) time.Duration {
	seconds, ok := v.Number()
	if ok && seconds > 0 {
		return max(1, time.Duration(min(seconds*float64(Dialect.Unit), math.MaxInt64/2)))
	}
	if v.Exists() && v.Kind() != 'n' {
		e.WrongTimeout(v, "a timeout is a number of seconds above 0", Dialect.Unit, "30 or 0.5")
	}
	return 0
}

// loopLimit reads the number of follow-ups after which the hook is no longer called (U30).
func (e *entry) loopLimit(v settings.Value) {
	limit, ok := v.Number()
	switch {
	case !e.traits.follows():
		if v.Exists() {
			e.Problem(v.Wrong("loop_limit has no effect on %s; it is for stop and subagentStop", e.Event.Name))
		}
		return
	case v.Kind() == 'n' || !v.Exists() && e.file.claude:
		return
	case v.Exists() && (!ok || limit < 0 || limit != math.Trunc(limit)):
		e.Problem(v.Wrong("loop_limit is a whole number from 0, or null for no limit; %d counts", standardLoops))
		limit = standardLoops
	case !v.Exists():
		limit = standardLoops
	}
	e.hook.If = fmt.Sprintf("loop_count < %.0f", limit)
	e.hook.Condition = below(min(limit, math.MaxInt32))
}

// standardLoops is the loop limit of an entry that sets none.
const standardLoops = 5

// below is the condition that the number of follow-ups is less than this limit.
type below int

// Holds reports whether the count in the input is below the limit. It is true if the count cannot be read.
func (b below) Holds(in hook.ConditionInput) bool {
	n, err := strconv.Atoi(string(in.Input))
	return err != nil || n < int(b)
}

// command reads a hook that is a command. It runs in the directory of its layer (U3).
func (e *entry) command(at settings.Value) *settings.Problem {
	h := e.hook
	text, wrong := e.need("command", at)
	if wrong != nil {
		return wrong
	}
	h.Command = text
	if err := run.CheckScript(text); err != nil {
		return lo.ToPtr(at.Wrong("the command cannot be used: %v", err))
	}
	env := e.Environ
	c := &run.Command{Argv: run.Bash(text), NoTerminal: true, Environ: func(hook.Call) []string { return env }}
	c.Direct, _ = run.Direct(text, nil)
	dir := e.at.Dir
	h.Runner = c
	if e.file.within {
		if absolute, err := filepath.Abs(e.file.File); err == nil {
			dir = filepath.Dir(absolute)
		}
		h.Runner = inDir{c, dir}
	}
	h.Argv = c.Starts(hook.Call{Hook: h, Dir: dir})
	h.Key = dir + "\x00" + text
	e.imported()
	return nil
}

// imported wraps the runner of a Claude Code hook, to translate its answers to Cursor's words.
func (e *entry) imported() {
	if e.file.claude {
		e.hook.Runner = imported{e.hook.Runner, e.traits}
	}
}

// prompt reads a hook that asks a model (U20).
func (e *entry) prompt(at settings.Value) *settings.Problem {
	h := e.hook
	text, wrong := e.need("prompt", at)
	if wrong != nil {
		return wrong
	}
	h.Command = text
	name, _ := e.Text(e.value.Get("model"))
	if !e.traits.refuses() && !e.traits.follows() {
		e.Problem(at.Wrong("a prompt decides nothing on %s; write a command", e.Event.Name))
	}
	h.Runner = &judge.Judge{Model: e.Model, Name: name, Prompt: text, Answer: func(v judge.Verdict) hook.Reply {
		if v.OK {
			return hook.Reply{Stdout: []byte("{}")}
		}
		return hook.Reply{Stdout: e.traits.refusal(v.Reason)}
	}}
	h.Key = "prompt\x00" + name + "\x00" + text
	return nil
}

// inDir runs a hook in the directory of its settings file.
type inDir struct {
	hook.Runner
	dir string
}

// Unwrap returns the Runner of the command itself.
func (i inDir) Unwrap() hook.Runner { return i.Runner }

// Run runs the hook.
func (i inDir) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	call.Dir = i.dir
	return i.Runner.Run(ctx, call)
}
