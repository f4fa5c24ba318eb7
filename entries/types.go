package entries

import (
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// Types maps names in settings to the hook types that a program adds to those of a dialect:
// {"type": "wasm"}. They cannot replace a dialect's own types.
type Types map[string]Type

// Type completes a hook from its entry in the settings. It sets the Runner, and may set Command, by which people
// recognise the hook, Key, which identifies duplicates, and fields for other members of the entry. A problem makes only
// this entry invalid. Type is called when settings are read, for one entry at a time, and must start nothing.
type Type func(h *hook.Hook, entry settings.Value) *settings.Problem

// Read completes h by the type with that name. It returns a problem of the entry if the type panics or leaves the hook
// without a Runner.
func (t Types) Read(name string, h *hook.Hook, entry settings.Value) (wrong *settings.Problem) {
	defer func() {
		if v := recover(); v != nil {
			wrong = problem(entry, "the hook type %q panicked: %v", name, v)
		}
	}()
	if wrong = t[name](h, entry); wrong == nil && h.Runner == nil {
		return problem(entry, "the hook type %q has set no Runner for the hook", name)
	}
	return wrong
}

func problem(at settings.Value, format string, args ...any) *settings.Problem {
	p := at.Wrong(format, args...)
	return &p
}
