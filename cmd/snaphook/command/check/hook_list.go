package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/warm"
)

// hookList is the answer of the command "snaphook hooks", as text or as JSON.
type hookList struct {
	Dir      string              `json:"dir"`
	Hooks    []listedHook        `json:"hooks"`
	Record   *records.RecordRead `json:"record"` // null: there are no figures
	For      *callAsked          `json:"for"`    // the call of --for; null without it
	Problems []problem           `json:"problems"`

	LookedAt   []string           `json:"looked_at,omitempty"`   // files looked for; set if there is no hook
	NearMisses []project.NearMiss `json:"near_misses,omitempty"` // files that are not read

	all int // number of hooks before the filters
}

// text returns the list for a person: the hooks of each event, a line for each, with its details below.
func (l *hookList) text() string {
	var b strings.Builder
	wide := 0
	for _, h := range l.Hooks {
		wide = max(wide, len(h.State))
	}
	event := ""
	for _, h := range l.Hooks {
		if h.Event != event {
			event = h.Event
			b.WriteString(cli.Strong.Render(cli.OneLine(eventText(event))) + "\n")
		}
		h.write(&b, wide, l.Record != nil)
	}
	b.WriteString(l.summary() + "\n")
	if l.all == 0 && len(l.LookedAt) > 0 {
		b.WriteString(project.LookedAtText(l.LookedAt))
	}
	for _, miss := range l.NearMisses {
		b.WriteString(cli.Odd.Render(cli.Visible(miss.File+": "+miss.Message)) + "\n")
	}
	return b.String()
}

// summary counts the hooks by their state.
func (l *hookList) summary() string {
	states := lo.CountValuesBy(l.Hooks, func(h listedHook) string { return h.State })
	names := lo.Keys(states)
	slices.SortFunc(names, func(a, b string) int {
		if states[a] != states[b] {
			return states[b] - states[a]
		}
		return strings.Compare(a, b)
	})
	text := cli.Count(len(l.Hooks), "hook")
	if len(l.Hooks) != l.all {
		text += fmt.Sprintf(" of %d", l.all)
	}
	if l.For != nil {
		text += " for " + lo.Ternary(l.For.Input == nil, "the tool "+cli.OneLine(lo.FromPtr(l.For.Tool)), "this call")
	}
	if len(names) > 0 {
		text += ": " + strings.Join(lo.Map(names, func(s string, _ int) string { return fmt.Sprintf("%d %s", states[s], s) }), ", ")
	}
	if l.Record != nil {
		text += fmt.Sprintf("; figures of %s in %s", cli.Count(l.Record.Fires, "fire"), cli.OneLine(l.Record.File))
	}
	return text
}

// eventText names a hook's event. A module that was not loaded has no event.
func eventText(name string) string {
	if dialect, ok := strings.CutSuffix(strings.TrimSuffix(name, "*"), "."); ok {
		return dialect + ", modules that are not loaded"
	}
	return name
}

// byEvent groups the hooks by event, in plan order; the events keep the order in which they are first configured.
func byEvent(hooks []listedHook) []listedHook {
	rank := map[string]int{}
	for i, h := range hooks {
		if _, seen := rank[h.Event]; !seen {
			rank[h.Event] = i
		}
	}
	slices.SortStableFunc(hooks, func(a, b listedHook) int { return rank[a.Event] - rank[b.Event] })
	return hooks
}

// listedHook is a hook of the list. It has the members that plan and check show, and also the hook's label, its
// condition as configured, and its state in one word.
type listedHook struct {
	Event string `json:"event"`
	Label string `json:"label"`
	project.DescribedHook
	If         *string            `json:"if"`
	Once       bool               `json:"once"`
	Background bool               `json:"background"` // the fire does not wait for the hook
	State      string             `json:"state"`
	Why        *hook.SkipReason   `json:"why"`
	Detail     *string            `json:"detail"`
	Policy     *project.Effective `json:"policy"`
	Record     *records.Figures   `json:"record"` // null: there is no record, or no fire in it looked at the hook
	Call       *string            `json:"call,omitempty"`

	hook *hook.Hook
}

// The states of hooks that run.
const (
	stateRuns   = "runs"
	stateWarm   = "warm"
	stateShadow = "shadow"
)

func newListedHook(line CheckedHook, h *hook.Hook, dir string) listedHook {
	l := listedHook{
		Event: line.Event, Label: project.Label(line.HookID), DescribedHook: line.DescribedHook,
		If: lo.EmptyableToPtr(h.If), Once: h.Once, Background: h.Background != hook.Foreground,
		Why: line.Why, Detail: line.Detail, Policy: line.Policy, hook: h,
	}
	if why, detail := project.Held(h); why != "" {
		l.Why, l.Detail = &why, &detail
	}
	switch {
	case l.Why != nil:
		l.State = string(*l.Why)
	case l.Policy != nil && l.Policy.Mode == hook.Shadow.String():
		l.State = stateShadow
	case l.isWarm(dir):
		l.State = stateWarm
	default:
		l.State = stateRuns
	}
	return l
}

// isWarm reports whether a process would be kept ready for the hook; isWarm starts no process. If the policy demands
// a ready process and there would be none, isWarm writes the reason into the policy.
func (l *listedHook) isWarm(dir string) bool {
	h := l.hook
	if h.Policy == nil || h.Policy.Warm == "" || h.Policy.Warm == "off" || h.Runner == nil {
		return false
	}
	note := project.ColdNotes{Warm: warm.New(warm.Config{})}.Keep(h, h.Policy.Warm, dir)
	l.Policy.WarmNote = lo.EmptyableToPtr(note)
	return note == ""
}

// isUnloaded reports whether the hook is a module that was not loaded: it may handle any event.
func (h listedHook) isUnloaded() bool {
	return h.Type == systems.ModuleType && h.Why != nil && subjectOf(h.hook) == ""
}

// inPlan returns the hook with its relation to the call, according to a plan.
func (h listedHook) inPlan(p fire.Plan) listedHook {
	for _, r := range p.Run {
		if r.ID == h.ID {
			h.Call = lo.ToPtr(callRuns)
			return h
		}
	}
	h.Call = lo.ToPtr(callSkips)
	for _, s := range p.Skipped {
		if s.ID == h.ID {
			h.State, h.Why, h.Detail = string(s.Why), lo.ToPtr(s.Why), lo.ToPtr(s.Detail)
		}
	}
	return h
}

func (h listedHook) write(b *strings.Builder, wide int, recorded bool) {
	words := []string{stateText(h.State, wide), h.Label}
	if h.Matcher != nil {
		words = append(words, "on "+cli.Label(*h.Matcher, 40))
	}
	if h.If != nil {
		words = append(words, "if "+cli.Label(*h.If, 60))
	}
	if h.Once {
		words = append(words, "once")
	}
	if h.Background {
		words = append(words, "in the background")
	}
	if h.Call != nil && *h.Call == callDepends {
		words = append(words, cli.Odd.Render("depends on the call"))
	}
	words = append(words, h.Source, project.Place(h.HookID))
	b.WriteString("  " + strings.Join(words, "  ") + "\n")
	indent := wide + 4
	space := strings.Repeat(" ", indent)
	if h.Why != nil {
		b.WriteString(space + cli.Indented(cli.SkipText(string(*h.Why), lo.FromPtr(h.Detail)), indent) + "\n")
	}
	b.WriteString(h.Policy.Text(indent))
	switch {
	case h.Record != nil:
		b.WriteString(space + figuresText(*h.Record) + "\n")
	case recorded:
		b.WriteString(space + cli.Faint.Render("not in the record") + "\n")
	}
}

func stateText(state string, wide int) string {
	style := cli.Bad
	switch state {
	case stateRuns, stateWarm:
		style = cli.Good
	case stateShadow, "matcher", "condition", "duplicate":
		style = cli.Odd
	}
	return style.Render(cli.OneLine(fmt.Sprintf("%-*s", wide, state)))
}

// figuresText describes a hook's figures from a record.
func figuresText(r records.Figures) string {
	if r.Ran == 0 {
		return "never ran, looked at " + cli.Count(r.Looked, "time")
	}
	words := []string{"ran " + cli.Count(r.Ran, "time"), fmt.Sprintf("blocked %d", r.Blocked), fmt.Sprintf("failed %d", r.Failed)}
	if r.FailedOpen > 0 {
		words = append(words, cli.Bad.Render(fmt.Sprintf("%d failed open", r.FailedOpen)))
	}
	if r.P50MS != nil && r.P95MS != nil {
		words = append(words, "p50 "+cli.Milliseconds(*r.P50MS), "p95 "+cli.Milliseconds(*r.P95MS))
	}
	return strings.Join(words, ", ")
}
