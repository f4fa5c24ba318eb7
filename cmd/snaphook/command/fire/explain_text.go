package fire

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/record/explain"
)

// outcomeStyles maps outcomes to colours. Outcomes that it does not list have no colour.
var outcomeStyles = map[string]func(...string) string{
	"denied": cli.Bad.Render, "stopped": cli.Bad.Render, "asked": cli.Odd.Render, "changed": cli.Odd.Render,
	"allowed": cli.Good.Render, "passed": cli.Good.Render,
}

// explainText returns a story in the form for a person.
func explainText(e *explain.Explanation) string {
	var b strings.Builder
	head := []string{cli.Strong.Render(cli.OneLine(e.Event))}
	for _, word := range []string{e.Subject, cli.Label(e.Call, cli.MaxLabel)} {
		if word != "" {
			head = append(head, cli.OneLine(word))
		}
	}
	head = append(head, cli.Faint.Render(e.Time.Local().Format("2006-01-02 15:04:05.000")))
	if e.Session != "" {
		head = append(head, cli.Faint.Render("session "+cli.OneLine(e.Session)))
	}
	b.WriteString(strings.Join(head, "  ") + "\n")
	style := outcomeStyles[e.Outcome]
	b.WriteString(style(strings.ToUpper(e.Outcome)) + "  " + cli.Indented(e.Because, 2) + "\n")
	for _, s := range e.Steps {
		writeStep(&b, &s)
	}
	for _, r := range e.Rules {
		b.WriteString("rule     " + cli.OneLine(r.ID) + ": " + cli.OneLine(r.Text) + "  " + cli.Faint.Render(r.Page) + "\n")
	}
	for _, r := range e.Rewrites {
		b.WriteString("changed  " + rewriteText(r) + "\n")
	}
	for _, seen := range []struct {
		who   string
		texts []string
	}{{"model    ", e.Model}, {"user     ", e.User}, {"note     ", e.Notes}} {
		for _, text := range seen.texts {
			b.WriteString(seen.who + cli.Indented(text, 9) + "\n")
		}
	}
	if e.ID != "" {
		b.WriteString(cli.Faint.Render("fire     "+cli.OneLine(e.ID)) + "\n")
	}
	return b.String()
}

func writeStep(b *strings.Builder, s *explain.Step) {
	word, style := "ran", cli.Good
	switch {
	case !s.Ran:
		word, style = "not run", cli.Faint
	case s.Decision == "deny", s.Failed && s.Open:
		style = cli.Bad
	case s.Failed, s.Shadow:
		style = cli.Odd
	}
	words := []string{"  " + style.Render(word+strings.Repeat(" ", 7-len(word))), cli.Label(s.Label, cli.MaxLabel)}
	if s.MS != nil {
		words = append(words, cli.Faint.Render(cli.Milliseconds(*s.MS)))
	}
	if s.File != "" {
		words = append(words, cli.Faint.Render(cli.OneLine(s.File)))
	}
	if s.Decided {
		words = append(words, cli.Strong.Render("← decided"))
	}
	b.WriteString(strings.Join(words, "  ") + "\n")
	b.WriteString("           " + cli.Faint.Render(cli.Indented(s.Why, 11)) + "\n")
	if s.Said != "" {
		b.WriteString("           " + cli.Indented(s.Said, 11) + "\n")
	}
	members := lo.Keys(s.Policy)
	slices.Sort(members)
	for _, member := range members {
		b.WriteString("           policy: " + cli.OneLine(member) + "  " + cli.Faint.Render(cli.OneLine(s.Policy[member])) + "\n")
	}
}

// rewriteText names the hook whose change is used.
func rewriteText(r explain.Rewrite) string {
	hooks := strings.Join(lo.Map(r.Hooks, func(label string, _ int) string { return cli.Label(label, 40) }), ", ")
	text := lo.Ternary(r.Key == "", "the input", cli.OneLine(r.Key)) + " by " + hooks
	switch {
	case r.Winner == "":
		text += "; no change counts"
	case len(r.Hooks) > 1:
		text += "; the change by " + cli.Label(r.Winner, 40) + " counts, as the last in plan order"
	}
	if r.Rule != "" {
		text += " (" + cli.OneLine(r.Rule) + ")"
	}
	return text
}
