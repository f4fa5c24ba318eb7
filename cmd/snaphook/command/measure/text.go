package measure

import (
	"fmt"
	"math"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/bench"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

func benchText(cmd *cobra.Command, r *bench.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d runs of each\n\n", cli.Strong.Render(r.Event), cli.Count(len(r.Hooks), "hook"), r.N)
	rows := [][]string{benchRow("whole fire", "cold", &r.Fire.Cold)}
	if r.Fire.Warm != nil {
		rows = append(rows, benchRow("", "warm", r.Fire.Warm))
	}
	for i := range r.Hooks {
		h := &r.Hooks[i]
		rows = append(rows, benchRow(benchLabel(h), "cold", &h.Cold))
		if h.Startup != nil {
			own := max(0, h.Cold.P50-h.Startup.P50)
			rows = append(rows, benchRow("", "start-up", h.Startup), []string{"", "its own", took2(own), "", ""})
		}
		if h.Warm != nil {
			rows = append(rows, benchRow("", "warm", h.Warm))
		}
	}
	b.WriteString(cli.Columns(cmd, []string{"", "", "P50", "P95", "P99"}, rows))
	fmt.Fprintf(&b, "\nthe engine adds %.0f µs (%.3f ms) to a fire of one hook\n", r.Engine.P50, r.Engine.P50/1000)
	for i := range r.Hooks {
		b.WriteString(benchedHook(r, &r.Hooks[i]))
	}
	if len(r.Hooks) > 0 && r.Hooks[0].StartupCommand != bench.Loading {
		b.WriteString("\n" + adviceText(r))
	}
	return b.String()
}

// benchedHook draws the histograms of a hook, and describes how its start-up was measured.
func benchedHook(r *bench.Result, h *bench.Hook) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", cli.Strong.Render(benchLabel(h)))
	for _, kind := range []string{"cold", "warm"} {
		if drawn := bench.Histogram(r.Samples[h.ID+" "+kind]); drawn != "" {
			fmt.Fprintf(&b, "  %s  %s\n", kind, drawn)
		}
	}
	if h.StartupCommand != "" {
		fmt.Fprintf(&b, "  %s\n", cli.Faint.Render("start-up measured with: "+cli.OneLine(h.StartupCommand)))
	}
	if h.WarmNote != "" {
		fmt.Fprintf(&b, "  %s\n", cli.Faint.Render("not kept warm: "+cli.OneLine(h.WarmNote)))
	}
	return b.String()
}

func adviceText(r *bench.Result) string {
	if len(r.Advice) == 0 {
		return "no change that was tried would make it faster\n"
	}
	var b strings.Builder
	for _, a := range r.Advice {
		h, _ := lo.Find(r.Hooks, func(h bench.Hook) bool { return h.ID == a.Hook })
		fmt.Fprintf(&b, "%s %s: %s\n", cli.Good.Render("advice"), benchLabel(&h), cli.OneLine(a.Text))
	}
	return b.String()
}

func comparisonText(cmd *cobra.Command, file string, differences []bench.Difference) string {
	if len(differences) == 0 {
		return ""
	}
	rows := lo.Map(differences, func(d bench.Difference, _ int) []string {
		verdict := "no difference"
		switch {
		case d.Changed && d.Ratio > 1:
			verdict = "slower"
		case d.Changed:
			verdict = "faster"
		}
		interval := "too few runs"
		if !math.IsInf(d.Hi, 0) {
			interval = fmt.Sprintf("%.2f–%.2f", d.Lo, d.Hi)
		}
		return []string{
			cli.OneLine(d.What), took2(d.Old), took2(d.New), fmt.Sprintf("%.2f", d.Ratio), interval, fmt.Sprintf("p=%.3f", d.P), verdict,
		}
	})
	return "\ncompared with " + cli.OneLine(cli.ShortPath(file)) + "\n\n" +
		cli.Columns(cmd, []string{"", "BEFORE", "NOW", "RATIO", "95 %", "", ""}, rows)
}

func benchRow(label, kind string, r *bench.Ranks) []string {
	return []string{label, kind, took2(r.P50), took2(r.P95), took2(r.P99)}
}

// took2 formats ms with enough digits to distinguish runs of a millisecond.
func took2(ms float64) string {
	switch {
	case ms < 1:
		return fmt.Sprintf("%.3fms", ms)
	case ms < 100:
		return fmt.Sprintf("%.2fms", ms)
	}
	return cli.Milliseconds(ms)
}

// benchLabel returns the label of a hook; for a module, the end of its path.
func benchLabel(h *bench.Hook) string {
	if h.StartupCommand != bench.Loading {
		return cli.Label(h.Label(), maxLabel)
	}
	if runes := []rune(cli.OneLine(cli.ShortPath(h.Command))); len(runes) > maxLabel {
		return "…" + string(runes[len(runes)-maxLabel+1:])
	}
	return cli.OneLine(cli.ShortPath(h.Command))
}

const maxLabel = 48
