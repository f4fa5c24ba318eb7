package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// warnFailures names the hooks that gave no answer: what they guard may have
// gone ahead.
func warnFailures(cmd *cobra.Command, fired *pipeline.Fired) {
	for _, h := range fired.Hooks {
		if h.Error != nil && h.Outcome != pipeline.Success {
			warn(cmd, "%s: %s%s", lo.FromPtrOr(h.File, h.Source), *h.Error, lo.Ternary(fired.Blocked, "", "; what it guards goes ahead"))
		}
		for _, note := range h.Notes {
			warn(cmd, "%s: hook %q: %s", lo.FromPtrOr(h.File, h.Source), label(h.HookID), note)
		}
	}
	for _, c := range fired.Conflicts {
		warn(cmd, "%s rewrote %q differently; the last one counts", strings.Join(c.Hooks, " and "), c.Key)
	}
}

// firedText is the short answer for people: the decision, what the caller has
// to apply, and which hooks ran.
func firedText(fired *pipeline.Fired) string {
	var b strings.Builder
	b.WriteString(strong.Render(fired.Event) + ": " + decision(fired) + "\n")
	for _, line := range effectLines(fired) {
		fmt.Fprintf(&b, "  %-12s  %s\n", line[0], indented(line[1], 16))
	}
	for _, h := range fired.Hooks {
		fmt.Fprintf(&b, "  %s  %s  %.1fms  %s\n", outcomeStyle(h.Outcome), label(h.HookID), h.DurationMS, place(h.HookID))
	}
	return b.String()
}

func decision(fired *pipeline.Fired) string {
	switch {
	case fired.Blocked:
		return bad.Render("blocked")
	case fired.Stop:
		return bad.Render("the agent must stop")
	case len(fired.Hooks) == 0:
		return good.Render("go ahead") + "; no hook ran, `snaphook plan " + fired.Event + "` says why"
	}
	return good.Render("go ahead")
}

// told are the effects that the answer shows by other means.
var told = []string{"isBlocking", "shouldStop", "effectiveReason", "blockingError"}

// effectLines gives name and value of everything that the caller would show
// or apply.
func effectLines(fired *pipeline.Fired) (lines [][2]string) {
	if fired.Blocked || fired.Stop {
		lines = append(lines, [2]string{"reason", reasonOf(fired)})
	}
	if message := fired.Processed.SystemMessage; message != nil {
		lines = append(lines, [2]string{"message", *message})
	}
	effects, err := wire.Of(fired.Effects)
	if err != nil {
		return lines // none
	}
	for name, value := range effects.Members() {
		if !slices.Contains(told, name) && !isNothing(value) {
			lines = append(lines, [2]string{name, plainValue(value)})
		}
	}
	return lines
}

func isNothing(v jsontext.Value) bool {
	return slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(v))
}

// plainValue is a string's text, or other JSON as it is.
func plainValue(v jsontext.Value) string {
	if s, ok := wire.Text(v); ok {
		return s
	}
	return string(v)
}

func outcomeStyle(o pipeline.Outcome) string {
	word := fmt.Sprintf("%-18s", o)
	switch o {
	case pipeline.Success:
		return good.Render(word)
	case pipeline.Blocking:
		return bad.Render(word)
	}
	return odd.Render(word)
}
