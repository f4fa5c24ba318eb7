package modules_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

// seen records the evaluations that observers get.
type seen struct {
	mu   sync.Mutex
	ends []*pipeline.Evaluation
}

func (s *seen) end(_ context.Context, e *pipeline.Evaluation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, e)
}

// failingModules lists the classes in which handlers in JavaScript fail. The other classes cannot occur: a module that
// is missing, or whose engine cannot start, is an error of Load; an untrusted module is not loaded; a handler holds no
// permit.
var failingModules = []struct {
	class         hook.Class
	handler, says string
}{
	{hook.ClassExit, "() => { throw new Error('no database'); }", "no database"},
	{hook.ClassTimeout, "() => { for (;;); }", "without a pause"},
	{hook.ClassTimeout, "() => new Promise(() => {})", "timed out"},
	{hook.ClassOutput, "() => ({ reason: { no: 1 }, content: 7 })", "the result for"},
	{hook.ClassBreaker, "() => new Promise(() => {})", "failed 1 times"},
	{hook.ClassCancelled, "() => new Promise(() => {})", "canceled"},
}

// moments fire a gate of tools, a gate of sessions, and a notice. Each returns whether it blocks,
// and the reason.
var moments = map[string]func(context.Context, *xcsh.Modules) (bool, string, error){
	"tool_call": func(ctx context.Context, m *xcsh.Modules) (bool, string, error) {
		r, err := xcsh.ToolCall.Fire(ctx, m, &xcsh.ToolCallEvent{ToolName: "bash", ToolCallID: "1", Input: wire.Object(`{}`)})
		if r == nil {
			return false, "", err
		}
		return r.Block, r.Reason, err
	},
	"session_before_switch": func(ctx context.Context, m *xcsh.Modules) (bool, string, error) {
		r, err := xcsh.SessionBeforeSwitch.Fire(ctx, m, &xcsh.SessionBeforeSwitchEvent{Reason: "new"})
		return r != nil && r.Cancel, "", err
	},
	"tool_result": func(ctx context.Context, m *xcsh.Modules) (bool, string, error) {
		_, err := xcsh.ToolResult.Fire(ctx, m, &xcsh.ToolResultEvent{ToolName: "bash", ToolCallID: "1", Input: wire.Object(`{}`), Content: []xcsh.Part{}})
		return false, "", err
	},
}

func TestEveryFailureOfAModuleUnderEveryPolicy(t *testing.T) {
	for _, f := range failingModules {
		for moment, fire := range moments {
			if f.class == hook.ClassOutput && moment == "session_before_switch" {
				continue // the only member of the result is read as a boolean: every value is valid
			}
			for _, says := range []string{"", "open", "ask", "closed"} {
				for _, extension := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s (%s) at %s, policy %q, extension %v", f.class, f.says, moment, says, extension), func(t *testing.T) {
						t.Parallel()              // the test mostly waits
						rule := `"timeout": "1m"` // longer than the engine's limit for a loop
						if f.says != "without a pause" {
							rule = `"timeout": "400ms"`
						}
						if says != "" {
							rule += `, "onFailure": "` + says + `"`
						}
						limits := ""
						if f.class == hook.ClassBreaker {
							limits = `"breaker": {"failures": 1, "for": "1h"}`
						}
						m, sys, ends := governed(t, fmt.Sprintf(`{"hooks": [{%s}], "limits": {%s}}`, rule, limits), moment, f.handler, extension)
						ctx := t.Context()
						if f.class == hook.ClassBreaker {
							_, _, _ = fire(ctx, m)
						}
						if f.class == hook.ClassCancelled {
							limit, cancel := context.WithCancel(ctx)
							time.AfterFunc(50*time.Millisecond, cancel)
							ctx = limit
						}
						before := sys.FailedOpenBy()[f.class]
						blocked, reason, err := fire(ctx, m)
						gate := moment != "tool_result"
						byDefault := says == "" && moment == "tool_call" // a failed hook of tool_call blocks by default
						want := gate && (says == "ask" || says == "closed") || byDefault
						if got := blocked || err != nil; got != want {
							t.Fatalf("blocked %v, reason %q, error %v; want it to block: %v", blocked, reason, err, want)
						}
						if says != "" && want {
							if err != nil || !blocked {
								t.Errorf("blocked %v, error %v; want a denial by policy in the result", blocked, err)
							}
							if part := fmt.Sprintf("failure class %q", f.class); moment == "tool_call" && !strings.Contains(reason, part) {
								t.Errorf("the reason %q does not have %q", reason, part)
							}
							if strings.Contains(reason, "/") || strings.Contains(reason, "ways out") || strings.Contains(reason, "mode") {
								t.Errorf("the reason %q, which a model reads, says how to switch the guard off", reason)
							}
						}
						ends.mu.Lock()
						defer ends.mu.Unlock()
						last := ends.ends[len(ends.ends)-1]
						if last.Class != f.class || last.FailedOpen == want || !strings.Contains(fmt.Sprint(last.Err), f.says) {
							t.Errorf("observers saw class %s, open %v, error %v", last.Class, last.FailedOpen, last.Err)
						}
						if n := sys.FailedOpenBy()[f.class] - before; (n == 1) == want || n > 1 {
							t.Errorf("failed open %d times more as %s", n, f.class)
						}
					})
				}
			}
		}
	}
}

// governed returns modules, one of which has a handler that fails, under a policy.
func governed(t *testing.T, overlay, event, handler string, extension bool) (*xcsh.Modules, *pipeline.System, *seen) {
	t.Helper()
	dir, ends := t.TempDir(), &seen{}
	file := filepath.Join(dir, policy.FileName)
	for name, text := range map[string]string{file: overlay, filepath.Join(dir, "bad.js"): fmt.Sprintf("export default pi => pi.on(%q, %s)", event, handler)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sys := pipeline.NewSystem(pipeline.Config{
		Log:     slog.New(slog.DiscardHandler),
		Policy:  policy.Source{Files: map[policy.Level]string{policy.Machine: file}},
		Observe: []pipeline.Observer{pipeline.HookEnds(ends.end)},
	})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	m := xcsh.New(ses, xcsh.Config{Loaders: []xcsh.ModuleLoader{&modules.Loader{Options: jsrun.Options{CPU: quick}}}, Extensions: extension, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { m.Close() })
	for _, err := range m.Load(t.Context(), []string{"bad.js"}, dir) {
		t.Fatal(err)
	}
	return m, sys, ends
}
