package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// hookView is one hook with everything that rules read.
type hookView struct {
	*linter
	h     *hook.Hook
	event pipeline.Info
	entry settings.Value    // the hook's entry; absent if its file cannot be read again
	group settings.Value    // the group with its matcher
	doc   *settingsDocument // the hook's settings file; nil if the hook is not from a file

	calls   []programCall // calls of programs in its command
	scripts []*hookScript // the command itself, if a shell reads it, then the files that it starts
}

// newView reads a hook: its entry in the settings, the calls in its command, and the scripts that they run.
func newView(l *linter, h *hook.Hook) *hookView {
	v := &hookView{linter: l, h: h, event: l.events[h.Dialect+"."+h.Event]}
	if h.Position.File != "" {
		v.doc = l.document(h.Position.File)
		place := v.doc.places[h.Position]
		v.entry, v.group = place.entry, place.group
	}
	if h.Type == "command" {
		readCommand(v)
	}
	return v
}

// gates reports whether the hook can block: its event can be blocked, and the fire waits for the
// hook.
func (v *hookView) gates() bool {
	return v.event.Can&pipeline.CanBlock != 0 && v.h.Background == hook.Foreground
}

// ofTools reports whether the event is about one tool.
func (v *hookView) ofTools() bool { return v.event.Subject == "tool_name" }

// refusesAt reports whether an exit status refuses.
func (v *hookView) refusesAt(status int) bool {
	exits := v.event.Rules.Exits
	if v.h.Exits != nil {
		exits = v.h.Exits
	}
	refusals := []hook.ExitEffect{
		hook.ParseAndDeny, hook.DenyWithReason, hook.DenyForStderr, hook.DenyUnread, hook.DenyAny,
	}
	return slices.Contains(refusals, exits.Of(&hook.Reply{Exit: status}))
}

// blocksAt reports whether an exit status refuses, or is a failure that refuses.
func (v *hookView) blocksAt(status int) bool {
	exits := v.event.Rules.Exits
	if v.h.Exits != nil {
		exits = v.h.Exits
	}
	effect := exits.Of(&hook.Reply{Exit: status})
	return effect != exits.Of(&hook.Reply{Exit: 97}) || v.h.FailClosed || v.event.Rules.FailClosed
}

// where names the hook's event, with its dialect, for the message of a finding.
func (v *hookView) where() string { return v.h.Dialect + "." + v.h.Event }

// at returns the position of a member of the entry, or of the entry itself.
func (v *hookView) at(member string) hook.Position {
	if m := v.entry.Get(member); m.Exists() {
		return m.Position()
	}
	return v.h.Position
}

// report returns a finding of a rule at a position.
func (v *hookView) report(id string, at hook.Position, fix string, format string, args ...any) *Finding {
	f := Finding{
		ID: id, Severity: ruleOf(id).Severity, Position: at, Message: fmt.Sprintf(format, args...), Fix: fix,
		around: []hook.Position{v.h.Position},
	}
	if v.group.Exists() {
		f.around = append(f.around, v.group.Position())
	}
	return &f
}

// withNested returns the scripts of a hook, each followed by the programs that it passes as words.
func (v *hookView) withNested() (all []*hookScript) {
	for _, s := range v.scripts {
		all = append(append(all, s), nestedScripts(s)...)
	}
	return all
}

// argumentsOf returns the words that the hook's command passes to a script; ok is false if the command does not call
// the script.
func (v *hookView) argumentsOf(s *hookScript) (args []string, ok bool) {
	for _, c := range v.calls {
		if s.path == "" || c.file() != s.path {
			continue
		}
		if _, _, args, ok := c.interpreted(); ok {
			return args, true
		}
		return c.words[1:], true
	}
	return nil, false
}

// scriptOf returns the script that a call runs; nil if it runs none, or if the file could not be read.
func scriptOf(v *hookView, c programCall) *hookScript {
	path := c.file()
	if path == "" {
		return nil
	}
	return v.linter.scripts[path]
}

// directScript returns the script that a call starts by its path, without an interpreter.
func directScript(v *hookView, c programCall) *hookScript {
	if p := c.program(); !strings.ContainsRune(p, '/') {
		return nil
	}
	if _, is := languageOf(c.program()); is {
		return nil
	}
	return scriptOf(v, c)
}
