package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// Events describes the events of the linked dialects, by full name.
type Events map[string]Event

// Of returns the event of a hook.
func (e Events) Of(h *hook.Hook) Event { return e[h.Dialect+"."+h.Event] }

// Event describes a hook's event to a policy.
type Event struct {
	Gate           bool // hooks can block
	FailClosed     bool // a failed hook blocks
	LateBlocks     bool // a hook that times out blocks
	LateFuncBlocks bool // a Go hook that times out blocks
	UnreadBlocks   bool // a hook with an invalid answer blocks
	LateOpens      bool // a hook that times out does not block, although other failures do
	UnreadOpens    bool // a hook with an invalid answer does not block, although other failures do
	Timeout        time.Duration
	Rewrites       bool // hooks can rewrite the input, and run again on the new input
}

// guards reports whether a hook can block. A hook in the background cannot, unless it is a Go function, for which the
// fire always waits.
func (ev Event) guards(h *hook.Hook) bool {
	return ev.Gate && (h.Background == hook.Foreground || h.Func != nil)
}

// action returns the failure action set by the hook's entry or the event's rules.
func (ev Event) action(h *hook.Hook, class hook.Class) hook.Action {
	waits := h.Background == hook.Foreground || h.Func != nil
	late := class == hook.ClassTimeout && (ev.LateBlocks || ev.LateFuncBlocks && h.Func != nil)
	closed := ev.FailClosed || h.FailClosed || late || ev.UnreadBlocks && class.IsUnread()
	switch class {
	case hook.ClassUntrusted: // a hook that may not run is skipped, for any event
		closed = false
	case hook.ClassTimeout:
		closed = closed && (late || !ev.LateOpens)
	case hook.ClassOutput:
		closed = closed && !ev.UnreadOpens
	case hook.ClassInvalid: // a hook with an invalid entry is skipped, unless the entry fails closed
		closed = h.FailClosed
	}
	if waits && closed {
		return hook.FailClosed
	}
	return hook.FailOpen
}

// some reports whether m selects any event.
func (e Events) some(m Match) bool {
	for name := range e {
		if dialect, event, _ := strings.Cut(name, "."); m.selects(dialect, event) {
			return true
		}
	}
	return false
}

// short returns the names of events, without the dialect's prefix: of all events, or only of one dialect's events if a
// dialect is given.
func (e Events) short(of string) (names []string) {
	for name := range e {
		if dialect, event, _ := strings.Cut(name, "."); of == "" || of == dialect {
			names = append(names, event)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// dialects returns the names of the dialects that have events.
func (e Events) dialects() (names []string) {
	for name := range e {
		dialect, _, _ := strings.Cut(name, ".")
		names = append(names, dialect)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// foreign reports whether a dialect is not linked and its name is not a misspelling of a linked one. Rules for a
// foreign dialect are not mistakes: programs with other dialects read the same machine policy.
func (e Events) foreign(dialect string) bool {
	return near(dialect, e.dialects()) == ""
}

// misspelt returns the misspelt member of a match with a description of the mistake; "" if there is none.
func (e Events) misspelt(m Match) (member, why string) {
	linked := e.dialects()
	if !slices.ContainsFunc(linked, func(d string) bool { return holds(m.Dialect, d) }) {
		if like := near(m.Dialect, linked); like != "" {
			return "dialect", fmt.Sprintf("there is no dialect %q%s", m.Dialect, like)
		}
		return "", ""
	}
	if m.Event == "" || e.some(m) {
		return "", ""
	}
	dialect, event := m.Dialect, m.Event
	if prefix, rest, full := strings.Cut(event, "."); full {
		dialect, event = prefix, rest
	}
	if strings.ContainsAny(dialect, `*?\`) {
		dialect = "" // any dialect
	}
	like, known := near(event, e.short(dialect)), slices.Contains(linked, dialect)
	if of := e.dialectOf(event); like == "" && known && of != "" {
		return "event", fmt.Sprintf("%s has no event %q, which is an event of %s", dialect, event, of)
	}
	if !known && dialect != "" {
		like = near(m.Event, slices.Sorted(maps.Keys(e)))
	}
	if like == "" && !known {
		return "", ""
	}
	return "event", fmt.Sprintf("there is no event %q%s", m.Event, like)
}

// dialectOf returns the first dialect with an event of that name.
func (e Events) dialectOf(event string) string {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		if dialect, its, _ := strings.Cut(name, "."); its == event {
			return dialect
		}
	}
	return ""
}

// limitsOfNothing returns problems for limits of unknown events.
func limitsOfNothing(o *Overlay, events Events) (problems []settings.Problem) {
	for _, event := range slices.Sorted(maps.Keys(o.Limits.PerEvent)) {
		_, known := events[event]
		if dialect, _, full := strings.Cut(event, "."); known || full && events.foreign(dialect) {
			continue
		}
		problems = append(problems, o.fatal("limits.perEvent."+event,
			"there is no event %q%s; write a name such as \"claude.PreToolUse\"",
			event, near(event, slices.Sorted(maps.Keys(events)))))
	}
	return problems
}
