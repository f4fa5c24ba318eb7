package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
)

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

// eventText names a hook's event. A module that was not loaded has no event.
func eventText(name string) string {
	if dialect, ok := strings.CutSuffix(strings.TrimSuffix(name, "*"), "."); ok {
		return dialect + ", modules that are not loaded"
	}
	return name
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
