package tests

import (
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/pipeline"
)

// fixtureResult is the result of a fixture.
type fixtureResult struct {
	*fixture.Fixture
	steps    []stepResult
	problems []string // problems of the fixture's settings
	took     time.Duration
	err      error // why the fixture could not run
}

type stepResult struct {
	*sighting
	place fixture.Place
	wrong []fixture.Difference
}

func (r *fixtureResult) failed() bool {
	return lo.SomeBy(r.steps, func(s stepResult) bool { return len(s.wrong) > 0 })
}

// text returns a fixture's line, with its details below if it has failed or verbose is set.
func (r *fixtureResult) text(verbose bool) string {
	var b strings.Builder
	word := cli.Good.Render("ok    ")
	if r.failed() {
		word = cli.Bad.Render("FAIL  ")
	}
	fmt.Fprintf(&b, "%s%s  %s\n", word, cli.OneLine(r.Name), cli.Faint.Render(cli.Milliseconds(r.took.Seconds()*1000)))
	if !r.failed() && !verbose {
		return b.String()
	}
	if at := r.At.String(); !strings.HasPrefix(at, r.Name) {
		b.WriteString("      " + cli.Faint.Render(cli.OneLine(at)) + "\n")
	}
	for i, step := range r.steps {
		if len(step.wrong) == 0 && !verbose {
			continue
		}
		fmt.Fprintf(&b, "  step %d, %s\n", i+1, cli.Strong.Render(cli.OneLine(r.Session[i].Event)))
		b.WriteString(step.text())
	}
	return b.String()
}

// text lists the unmet expectations, and a line for each hook.
func (s stepResult) text() string {
	var b strings.Builder
	for _, d := range s.wrong {
		fmt.Fprintf(&b, "    %s\n      expected %s\n      got      %s\n",
			cli.Bad.Render(cli.OneLine(d.Member)), cli.OneLine(s.place.Hold(d.Expected)), cli.OneLine(s.place.Hold(d.Got)))
	}
	for i := range s.fired.Hooks {
		b.WriteString(s.place.Hold(hookTrace(&s.fired.Hooks[i])))
	}
	for _, l := range s.looked {
		if l.why != "" {
			id := pipeline.Identify(l.hook)
			fmt.Fprintf(&b, "    %s  %s  %s\n          %s\n", cli.Odd.Render(fmt.Sprintf("%-18s", "not run")), project.Label(id), project.Place(id),
				cli.OneLine(cli.SkipText(string(l.why), l.detail)))
		}
	}
	if len(s.fired.Hooks)+len(s.looked) == 0 {
		b.WriteString("    no hook is configured for this event\n")
	}
	for _, note := range s.notes {
		b.WriteString("    " + cli.Odd.Render("note") + "  " + cli.OneLine(note) + "\n")
	}
	return b.String()
}

// hookTrace returns the line of one hook, with its exit status, its output and its notes below.
func hookTrace(h *pipeline.HookRun) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    %s  %s  %s  %s\n",
		fire.OutcomeStyle(fire.WordOf(*h), false), project.Label(h.HookID),
		cli.Faint.Render(cli.Milliseconds(h.DurationMS)), project.Place(h.HookID))
	line := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text != "" {
			fmt.Fprintf(&b, "          %-6s  %s\n", name, cli.Indented(text, 18))
		}
	}
	if h.ExitCode != nil {
		line("exit", fmt.Sprint(*h.ExitCode))
	}
	line("stdout", lo.FromPtr(h.Stdout))
	line("stderr", lo.FromPtr(h.Stderr))
	line("error", lo.FromPtr(h.Error))
	line("fix", fire.Advice(h.ExitCode))
	if end := h.Background; end != nil {
		line("later", string(end.Outcome))
		line("stdout", lo.FromPtr(end.Stdout))
		line("stderr", lo.FromPtr(end.Stderr))
		line("error", lo.FromPtr(end.Error))
		line("fix", fire.Advice(end.ExitCode))
	}
	for _, note := range h.Notes {
		line("note", note)
	}
	return b.String()
}
