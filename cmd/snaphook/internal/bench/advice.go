package bench

import (
	"fmt"
	"math"
	"strings"

	"github.com/samber/lo"
	"golang.org/x/perf/benchmath"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/overlay"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// adviceFor returns the changes that would make a hook faster: changes that were tried, and an "if" whose gain a record
// shows.
func adviceFor(m *measurement, h *hook.Hook) (advice []Advice) {
	add := func(id string, gain float64, format string, args ...any) {
		advice = append(advice, Advice{ID: id, Hook: h.ID, Text: fmt.Sprintf(format, args...), GainMS: rounded(gain)})
	}
	if gain, ok := gain(m.samples[h.ID+cold], m.samples[h.ID+withArgv]); ok {
		add("argv", gain, "argv form saves %s: %s", inMS(gain), argvForm(h, m.trials[h.ID], m.dir))
	}
	if gain, ok := gain(m.samples[h.ID+cold], m.samples[h.ID+warmHook]); ok && (h.Policy == nil || h.Policy.Warm == "" || h.Policy.Warm == run.WarmOff) {
		rule := overlay.Rule(h.Event, overlay.Literal(h.Command), "warm", m.kinds[h.ID])
		add("warm", gain, `warm saves %s: write %s into .snaphook.json`, inMS(gain), rule)
	}
	if rule, part, ok := m.Calls.rule(h); ok {
		gain := part * rank(m.samples[h.ID+cold], 0.5)
		add("if", gain, `an "if": %q would skip %.0f %% of the %d recorded calls (from %s), in which the hook had no effect`,
			rule, 100*part, m.Calls.ran(h), m.Calls.File)
	}
	if gain, ok := gain(m.samples[coldFire], m.samples[h.ID+withAsync]); ok {
		add("async", gain, `async lets the agent go on without waiting: "async": true, %s less for each fire`, inMS(gain))
	}
	return advice
}

// argvForm returns the form in which settings name a program without a shell, with the variable of the project's
// directory.
func argvForm(h *hook.Hook, argv []string, dir string) string {
	inProject := func(variable string) []string {
		return lo.Map(argv, func(arg string, _ int) string {
			if below, ok := strings.CutPrefix(arg, dir+"/"); ok && variable != "" {
				return variable + "/" + below
			}
			return arg
		})
	}
	switch h.Dialect {
	case "claude":
		args := lo.Map(inProject("${CLAUDE_PROJECT_DIR}"), func(arg string, _ int) string { return string(wire.Quote(arg)) })
		return fmt.Sprintf(`write "command": %s, "args": [%s]`, args[0], strings.Join(args[1:], ", "))
	case "llxprt":
		if at := inProject("$LLXPRT_PROJECT_DIR"); quoted(at[1:]) == quoted(argv[1:]) {
			return "write the plain call " + strings.TrimSpace(at[0]+" "+quoted(at[1:])) + ", which needs no shell"
		}
	}
	return "write the plain call " + quoted(argv) + ", which needs no shell"
}

// These are the limits for advice. A change is advised if the probability that its gain is random is below chance, and
// if the gain is more than leastPart of the time and more than leastMS milliseconds.
const (
	chance    = 0.01
	leastPart = 0.05
	leastMS   = 0.1
)

// gain returns the difference between the medians of two samples, without and with a change; ok is false if the change
// gains nothing beyond the noise.
func gain(a, b []float64) (ms float64, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return 0, false
	}
	before, after := sample(a), sample(b)
	was, is := center(before), center(after)
	p := benchmath.AssumeNothing.Compare(before, after).P
	return was.Center - is.Center, p < chance && was.Center-is.Center > max(leastMS, leastPart*was.Center)
}

func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(append([]float64(nil), values...), &benchmath.DefaultThresholds)
}

// center returns the median with its confidence interval.
func center(s *benchmath.Sample) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(s, confidence)
}

const confidence = 0.95

func inMS(ms float64) string {
	switch {
	case math.Abs(ms) < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case math.Abs(ms) < 100:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
