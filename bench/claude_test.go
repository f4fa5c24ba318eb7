//go:build !race

package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// bilingual makes a session of a system that has loaded the settings theirs of LLxprt and ours of Claude Code.
func bilingual(t *testing.T, theirs, ours string) *pipeline.Session {
	t.Helper()
	layer := func(text string) []settings.Layer {
		return []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}}
	}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{llxprt.Settings{Layers: layer(theirs)}.Load, claude.Settings{Layers: layer(ours), Environ: os.Environ()}.Load},
		Log:  slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "bench", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if problems := ses.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return ses
}

// otherTheirs and otherOurs are settings of LLxprt and of Claude Code, with hooks for events that the tests do not
// fire.
const (
	otherTheirs = `{"tools": {"enableHooks": true}, "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	otherOurs   = `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
)

func TestTwoDialectsCostNoMoreThanOneWhileNoHookRuns(t *testing.T) {
	testkit.Timed(t)
	ctx, ses := context.Background(), bilingual(t, otherTheirs, otherOurs)
	if !llxprt.AfterTool.Active(ses) || !claude.PostToolUse.Active(ses) {
		t.Fatal("the hooks of the other events are not there")
	}
	for what, f := range map[string]func(){
		"FireIdle, both dialects": func() {
			llxprt.BeforeTool.Fire(ctx, ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments})
		},
		"FireIdle, claude":                func() { claude.PreToolUse.Fire(ctx, ses, &claude.PreToolUseInput{Name: "Write", Input: arguments}) },
		"FireIdle, claude, which forgets": func() { claude.SessionStart.Fire(ctx, ses, &claude.SessionStartInput{Source: "clear"}) },
		"Active, both dialects":           func() { llxprt.BeforeTool.Active(ses); claude.PreToolUse.Active(ses) },
	} {
		allocations(place{"W0", what}, 0, f).test(t)
	}
	out := compilerOutput(t)
	if want := regexp.MustCompile(`claude_test\.go:.* inlining call to pipeline\.\(\*Event\[.*claude\..*\]\)\.Active`); !want.MatchString(out) {
		t.Errorf("the compiler does not say %q", want)
	}
	for _, input := range []string{"llxprt.BeforeToolInput", "claude.PreToolUseInput", "claude.SessionStartInput"} {
		if err := onTheStack(out, "claude_test.go", input); err != nil {
			t.Error(err)
		}
	}
}

// tenHooks returns settings with a group for each of ten hooks of PreToolUse.
func tenHooks(matcher, condition string) string {
	groups := make([]string, 10)
	for i := range groups {
		groups[i] = fmt.Sprintf(`{%s "hooks": [{"type": "command", %s "command": "true %d"}]}`, matcher, condition, i)
	}
	return fmt.Sprintf(`{"hooks": {"PreToolUse": [%s]}}`, strings.Join(groups, ","))
}

// mostForConditions limits the allocations of ten hooks whose conditions are all false.
const mostForConditions = 6

func TestClaudeHooksOfOtherToolsCostLittle(t *testing.T) {
	fire := func(ses *pipeline.Session) func() { return func() { preToolUse(ses) } }
	ses := bilingual(t, off, tenHooks(`"matcher": "Bash|mcp__memory__.*",`, ""))
	allocations(place{"W1", "FireUnmatched10, claude"}, 0, fire(ses)).test(t)
	ses = bilingual(t, off, tenHooks("", `"if": "Bash(git push *)",`))
	allocations(place{"W1", "FireUnmatched10, claude, by conditions"}, mostForConditions, fire(ses)).test(t)
}

// The constants limit the allocations of PreToolUse with callbacks that give no answer.
const (
	mostForOneCallback    = 9
	mostForEightCallbacks = 34
)

func TestCallbacksAreCalledAndNoMore(t *testing.T) {
	for n, most := range map[int]float64{1: mostForOneCallback, 8: mostForEightCallbacks} {
		ses, called := withCallbacks(t, otherOurs, n)
		allocations(place{what: fmt.Sprintf("FireCallbacks%d, claude", n)}, most, func() { preToolUse(ses) }).test(t)
		before := called.Load()
		if used := outside(func() { preToolUse(ses) }); len(used) > 0 || called.Load()-before != int64(n) {
			t.Errorf("%d callbacks were called %d times, and the fire came through %q", n, called.Load()-before, used)
		}
	}
}

// The check in TestCallbacksAreCalledAndNoMore fails for a fire that decodes JSON or starts a process.
func TestTheGateSeesCallbacksBesideACommand(t *testing.T) {
	ses, _ := withCallbacks(t, tenHooks("", ""), 1)
	if used := outside(func() { preToolUse(ses) }); len(used) < 2 {
		t.Errorf("a fire with commands came through %q, want JSON and processes", used)
	}
}

// withCallbacks makes a session with n hooks in Go that give no answer.
func withCallbacks(t *testing.T, text string, n int) (*pipeline.Session, *atomic.Int64) {
	t.Helper()
	ses, called := bilingual(t, off, text), new(atomic.Int64)
	for i := range n {
		claude.PreToolUse.On(ses, fmt.Sprint(i), func(context.Context, claude.PreToolUseInput) (o hook.Output[claude.PreToolUseOutput], err error) {
			called.Add(1)
			return o, nil
		})
	}
	return ses, called
}

func preToolUse(ses *pipeline.Session) {
	claude.PreToolUse.Fire(context.Background(), ses, &claude.PreToolUseInput{Name: "Write", Input: arguments})
}

// outside returns the names of allocators for which the number of allocations grows while f runs. A fire whose hooks
// are all in Go needs neither JSON nor processes.
func outside(f func()) (used []string) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	before := allocators()
	f()
	for name, n := range allocators() {
		if n > before[name] {
			used = append(used, name)
		}
	}
	return used
}

// allocators returns the number of allocations made by calls of package go-json-experiment and of
// syscall.ForkExec, by these names.
func allocators() map[string]int64 {
	runtime.GC() // the second GC publishes the profile
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 1<<16)
	n, ok := runtime.MemProfile(records, true)
	if !ok {
		panic("the memory profile is too large")
	}
	counts := map[string]int64{}
	for _, r := range records[:n] {
		below := map[string]bool{}
		for frames, more := runtime.CallersFrames(r.Stack()), true; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			for _, part := range [...]string{"go-json-experiment", "syscall.ForkExec"} {
				below[part] = below[part] || strings.Contains(frame.Function, part)
			}
		}
		for part, is := range below {
			if is {
				counts[part] += r.AllocObjects
			}
		}
	}
	return counts
}
