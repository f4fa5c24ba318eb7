//go:build !race

package bench

import (
	"encoding/json" //nolint:depguard // the JSON library that is compared
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
)

// mostForEightInGo limits the allocations of a fire of eight Go hooks. The fire made 61 when the hooks
// ran on a pool.
const mostForEightInGo = 27

// mostForEightToOne limits the time of a fire of eight Go hooks, as a multiple of a fire of one
// hook. The ratio was 36 when the hooks ran on a pool. The limit is wide: other programs disturb work
// on two processors more than work on one.
const mostForEightToOne = 18

func TestHooksInGoThatAreReadyAtOnceDoNotPayForAPool(t *testing.T) {
	testkit.Timed(t)
	ses := session(t, off)
	for range 8 {
		silent(ses)
	}
	allocations(place{what: "FireGo of 8 hooks"}, mostForEightInGo, func() { fireOnce(ses) }).test(t)
	one := session(t, off)
	silent(one)
	eight, alone := times(1000, func() { fireOnce(ses) }), times(1000, func() { fireOnce(one) })
	compared(place{what: "FireGo of 8 hooks, ratio to one hook"}, mostForEightToOne, 21, 1000, timed(eight), timed(alone)).test(t)
}

func BenchmarkFireManyGo(b *testing.B) {
	for _, n := range []int{1, 2, 4, 8, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ses := session(b, off)
			for range n {
				silent(ses)
			}
			b.ReportAllocs()
			for b.Loop() {
				fireOnce(ses)
			}
		})
	}
}

// manyHooks is the number of hooks of a large settings file, below the limit of 1 MiB for a file. mostPerHook limits
// the allocations of reading and planning one hook of such a file. mostPerCovered limits the allocations of trust.Cover
// for one of manyHooks hooks; trust.Cover made 334 when each hook looked up its programs again.
const (
	manyHooks      = 8500
	mostPerHook    = 85
	mostPerCovered = 260
)

// mostForOneOfMany limits the time for each hook when a file with manyHooks hooks is loaded, as a multiple of the time
// for each hook of a file with a tenth of the hooks: nothing in a load is quadratic. mostToDecode limits the time of
// the whole load, as a multiple of decoding the file with encoding/json.
const (
	mostForOneOfMany = 1.3
	mostToDecode     = 7
)

// manyCommands returns a settings file of Claude Code with n commands for five events.
func manyCommands(n int) []byte {
	events := []string{"PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "SessionStart"}
	matchers := []string{"Bash", "Write|Edit", "mcp__.*__write.*", "^Note.*$", "Tool"}
	groups := map[string][]string{}
	for i := range n {
		groups[events[i%5]] = append(groups[events[i%5]], fmt.Sprintf(
			`{"matcher": %q, "hooks": [{"type": "command", "command": "/bin/guard%d --all", "timeout": 10}]}`, matchers[i/5%5], i))
	}
	var texts []string
	for _, event := range events {
		texts = append(texts, fmt.Sprintf("%q: [%s]", event, strings.Join(groups[event], ",")))
	}
	return []byte(`{"hooks": {` + strings.Join(texts, ",\n") + "}}")
}

// openMany reads a settings file in a new system, opens a session, and plans one call.
func openMany(tb testing.TB, dir string, text []byte) {
	layers := []settings.Layer{{Name: "user", Source: hook.User, File: "settings.json", Data: text}}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{claude.Settings{Layers: layers, Environ: []string{"PATH=/usr/bin:/bin"}}.Load},
		Log:  slog.New(slog.DiscardHandler),
	})
	defer sys.Close()
	ses, err := sys.NewSession(tb.Context(), pipeline.SessionConfig{ID: "bench", Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := claude.PreToolUse.PlanJSON(ses, []byte(`{"tool_name": "Bash", "tool_input": {"command": "ls"}}`)); err != nil {
		tb.Fatal(err)
	}
}

func TestALargeSettingsFileTakesAFewAllocationsForEachHook(t *testing.T) {
	dir, text := t.TempDir(), manyCommands(manyHooks)
	got := testing.AllocsPerRun(1, func() { openMany(t, dir, text) })
	counted(place{what: "open and plan 8 500 hooks, allocations for each hook"}, got/manyHooks, mostPerHook).test(t)
}

func TestTrustInManyHooksLooksUpEachProgramOnce(t *testing.T) {
	dir := testkit.Dir(t)
	hooks := make([]*hook.Hook, manyHooks)
	for i := range hooks {
		command := fmt.Sprintf("jq -e .member%d | grep -q yes", i)
		hooks[i] = &hook.Hook{Identity: hook.Identity{ID: fmt.Sprint(i), Type: "command", Command: command}}
	}
	opt := trust.Options{Environ: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
	got := testing.AllocsPerRun(1, func() {
		if _, err := trust.Cover(t.Context(), dir, hooks, opt); err != nil {
			t.Fatal(err)
		}
	})
	counted(place{what: "cover 8 500 hooks, allocations for each hook"}, got/manyHooks, mostPerCovered).test(t)
}

func TestALargeSettingsFileIsReadInLinearTime(t *testing.T) {
	testkit.Timed(t)
	dir, text, tenth := t.TempDir(), manyCommands(manyHooks), manyCommands(manyHooks/10)
	whole := timed(func() { openMany(t, dir, text) })
	parts := timed(times(10, func() { openMany(t, dir, tenth) }))
	decode := timed(func() { must(json.Unmarshal(text, new(map[string]any))) })
	g := compared(place{what: "open and plan 8 500 hooks, ratio to ten times 850"}, mostForOneOfMany, 3, 1, whole, parts)
	g.margin = anotherMachine
	g.test(t)
	g = compared(place{what: "open and plan 8 500 hooks, ratio to decoding the file"}, mostToDecode, 3, 1, whole, decode)
	g.margin = anotherMachine
	g.test(t)
}

func BenchmarkOpenManyHooks(b *testing.B) {
	dir, text := b.TempDir(), manyCommands(manyHooks)
	b.ReportAllocs()
	for b.Loop() {
		openMany(b, dir, text)
	}
}
