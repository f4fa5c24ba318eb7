package lint

import (
	"fmt"

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

func (l *linter) view(h *hook.Hook) *hookView {
	v := &hookView{linter: l, h: h, event: l.events[h.Dialect+"."+h.Event]}
	if h.Position.File != "" {
		v.doc = l.document(h.Position.File)
		place := v.doc.places[h.Position]
		v.entry, v.group = place.entry, place.group
	}
	if h.Type == "command" {
		v.readCommand()
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

// where names the hook's event, with its dialect, for the message of a finding.
func (v *hookView) where() string { return v.h.Dialect + "." + v.h.Event }
