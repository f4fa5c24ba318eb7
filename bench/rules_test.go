//go:build !race

package bench

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// mostForRules limits the allocations of a fire with a hundred permission rules. A fire made 6,204 when each rule
// parsed the command.
const mostForRules = 4

// mostForRulesToOne limits the time of a hundred permission rules on a known command, as a multiple of one rule on a
// new command. The ratio was 100 when each rule parsed the command.
const mostForRulesToOne = 3

// ruled returns a session with n hooks, each with a permission rule that matches no command of the tests.
func ruled(tb testing.TB, n int, rules ...string) *pipeline.Session {
	var groups []string
	for i := range n {
		groups = append(groups, fmt.Sprintf(
			`{"matcher": "Bash", "hooks": [{"type": "command", "if": %q, "command": "/bin/guard%d"}]}`,
			fmt.Sprintf(rules[i%len(rules)], i), i))
	}
	return guarded(tb, groups)
}

// guarded returns a session with groups of hooks for PreToolUse of Claude Code.
func guarded(tb testing.TB, groups []string) *pipeline.Session {
	text := []byte(`{"hooks": {"PreToolUse": [` + strings.Join(groups, ",") + `]}}`)
	layers := []settings.Layer{{Name: "user", Source: hook.User, File: "settings.json", Data: text}}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{claude.Settings{Layers: layers, Environ: []string{"PATH=/usr/bin:/bin"}}.Load},
		Log:  slog.New(slog.DiscardHandler),
	})
	tb.Cleanup(func() { must(sys.Close()) })
	ses, err := sys.NewSession(tb.Context(), pipeline.SessionConfig{ID: "bench", Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	return ses
}

// runsNothing fires PreToolUse with a command and checks that no hook runs.
func runsNothing(tb testing.TB, ses *pipeline.Session, command string) {
	in := claude.PreToolUseInput{Name: "Bash", Input: []byte(`{"command":"` + command + `"}`)}
	if res, err := claude.PreToolUse.Fire(tb.Context(), ses, &in); err != nil || len(res.Reports) > 0 {
		tb.Fatal(err, res.Reports)
	}
}

const pipelineCommand = "ls -la /tmp | grep foo && git status --short"

func TestAHundredRulesParseACommandOnce(t *testing.T) {
	testkit.Timed(t)
	hundred := ruled(t, 100, "Bash(program%d *)")
	allocations(place{what: "a hundred permission rules"}, mostForRules, func() { runsNothing(t, hundred, pipelineCommand) }).test(t)
	one, n := ruled(t, 1, "Bash(program%d *)"), 0
	known := timed(times(100, func() { runsNothing(t, hundred, pipelineCommand) }))
	fresh := timed(times(100, func() {
		n++
		runsNothing(t, one, fmt.Sprint(pipelineCommand, " ", n))
	}))
	compared(place{what: "a hundred permission rules on a known command, ratio to one rule on a new command"}, mostForRulesToOne, 21, 100, known, fresh).test(t)
}

func BenchmarkFireRules100(b *testing.B) {
	for name, rules := range map[string][]string{
		"of commands": {"Bash(program%d *)"},
		"mixed":       {"Bash(program%d *)", "Bash(git push --force%d:*)", "Read(./secret%d/**)", "Bash(npm run test%d)", "WebFetch(domain:a%d.example)"},
	} {
		b.Run(name, func(b *testing.B) {
			ses := ruled(b, 100, rules...)
			took := make([]time.Duration, 0, 100_000) // of the first fires
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				runsNothing(b, ses, pipelineCommand)
				if len(took) < cap(took) {
					took = append(took, time.Since(start))
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}

func BenchmarkFireMatchers1000(b *testing.B) {
	var groups []string
	matchers := []string{"Bash%d", "Write%d|Edit%[1]d", "mcp__s%d__write.*", "^Note%d.*$", "Tool%d"}
	for i := range 1000 {
		groups = append(groups, fmt.Sprintf(
			`{"matcher": %q, "hooks": [{"type": "command", "command": "/bin/guard%d"}]}`, fmt.Sprintf(matchers[i%5], i), i))
	}
	ses := guarded(b, groups)
	b.Run("known tool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			runsNothing(b, ses, pipelineCommand)
		}
	})
	b.Run("new tool", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			in := claude.PreToolUseInput{Name: fmt.Sprint("Other_", i), Input: []byte(`{}`)}
			if _, err := claude.PreToolUse.Fire(b.Context(), ses, &in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
