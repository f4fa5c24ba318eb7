package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// reluctant is a hook that needs a second to end after its context has ended.
func reluctant(ctx context.Context, c hook.Call) (hook.Reply, error) {
	reply, err := says(10*time.Second)(ctx, c)
	if err != nil {
		testkit.Sleep(time.Second)
	}
	return reply, err
}

func TestCloseWaitsForTheBackgroundAndStopsIt(t *testing.T) {
	late := errors.New("the user is gone")
	within := func(d time.Duration) func() (context.Context, context.CancelFunc) {
		return func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(context.Background(), d, late)
		}
	}
	tests := map[string]struct {
		ctx  func() (context.Context, context.CancelFunc)
		took time.Duration
		err  string
		want pipeline.Outcome
	}{
		"as long as it takes":    {func() (context.Context, context.CancelFunc) { return context.Background(), func() {} }, 10 * time.Second, "", pipeline.Success},
		"as long as it may":      {within(3 * time.Second), 4 * time.Second, "2 hooks in the background had to be stopped: the user is gone", pipeline.Cancelled},
		"and not at all":         {within(0), time.Second, "2 hooks in the background had to be stopped: the user is gone", pipeline.Cancelled},
		"and none that is ready": {within(time.Hour), 10 * time.Second, "", pipeline.Success},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told host
				_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(behind("a", hook.Async, reluctant), behind("b", hook.Async, reluctant))}}, pipeline.SessionConfig{Finished: told.finished})
				fire(t, toolDone, s, call{Tool: "write"})
				ctx, cancel := test.ctx()
				defer cancel()
				began := time.Now()
				err := s.Close(ctx)
				if time.Since(began) != test.took || (err != nil) != (test.err != "") || err != nil && (err.Error() != test.err || !errors.Is(err, late)) {
					t.Errorf("closed after %v, %v; want %v, %q", time.Since(began), err, test.took, test.err)
				}
				for _, f := range told.all {
					if f.Outcome != test.want || errors.Is(f.Err, hook.ErrClosed) != (test.err != "") {
						t.Errorf("%s: %s, %v; want %s", f.Hook.Command, f.Outcome, f.Err, test.want)
					}
				}
				if len(told.all) != 2 {
					t.Errorf("the host was told of %d ends, want 2", len(told.all))
				}
				if err := s.Close(ctx); err != nil {
					t.Errorf("closed again: %v", err)
				}
			})
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(behind("a", hook.Async, says(10*time.Second)))}}, pipeline.SessionConfig{})
		if err := s.Wait(ended()); err != nil {
			t.Errorf("a session without a background: %v", err)
		}
		fire(t, toolDone, s, call{Tool: "write"})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the wait ended with %v, want its context's end", err)
		}
		fire(t, toolDone, s, call{Tool: "write"}) // Wait waits for the hook of this fire too
		began := time.Now()
		if err := s.Wait(t.Context()); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("waited %v, %v; want 10s for the second hook", time.Since(began), err)
		}
	})
}

// Closing the system ends its background hooks, also those that still wait for a permit.
func TestASystemThatIsClosedStopsTheBackgroundOfItsSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told host
		sys, s := open(t, pipeline.Config{Workers: 2, Load: []pipeline.Load{loads(
			behind("a", hook.Async, reluctant), of(toolDone, "b", leaves{rest: reluctant}), behind("c", hook.Rewake, reluctant), behind("d", hook.Async, reluctant),
		)}}, pipeline.SessionConfig{Finished: told.finished})
		other := visit(t, sys, pipeline.SessionConfig{Finished: told.finished})
		fire(t, toolDone, s, call{Tool: "write"})
		fire(t, toolDone, other, call{Tool: "write"})
		began := time.Now()
		if err := sys.Close(); err != nil || time.Since(began) != time.Second {
			t.Errorf("closed after %v, %v; want 1s", time.Since(began), err)
		}
		for _, f := range told.all {
			if f.Outcome != pipeline.Cancelled || !errors.Is(f.Err, hook.ErrClosed) {
				t.Errorf("%s: %s, %v; want a closed system", f.Hook.Command, f.Outcome, f.Err)
			}
		}
		if len(told.all) != 8 {
			t.Errorf("the host was told of %d ends, want 8", len(told.all))
		}
		for _, s := range []*pipeline.Session{s, other} {
			if err := s.Close(ended()); err != nil {
				t.Errorf("the session of a closed system: %v", err)
			}
		}
	})
}

func TestNothingGoesToTheBackgroundOfWhatIsClosed(t *testing.T) {
	never := func(context.Context, hook.Call) (hook.Reply, error) {
		t.Error("the hook runs")
		return hook.Reply{}, nil
	}
	closed := behind("a", hook.Async, never)
	closed.FailClosed = true // a background hook decides nothing, and therefore does not block either
	for name, end := range map[string]func(*pipeline.System, *pipeline.Session){
		"a session": func(_ *pipeline.System, s *pipeline.Session) { s.Close(context.Background()) },
		"a system":  func(sys *pipeline.System, _ *pipeline.Session) { sys.Close() },
	} {
		sys, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(closed, of(toolDone, "b", prints(0, `{"reason":"b"}`)))}}, pipeline.SessionConfig{})
		end(sys, s)
		res, err := toolDone.Fire(t.Context(), s, &call{Tool: "write"})
		whole := name == "a system"
		if r := res.Reports[0]; !errors.Is(r.Err, hook.ErrClosed) || r.Backgrounded || res.Blocked() != whole || errors.Is(err, hook.ErrClosed) != whole {
			t.Errorf("%s: report %+v, decision %q, %v; want it to be closed", name, r, res.Decision, err)
		}
		if name == "a session" && res.Reason != "b" {
			t.Errorf("a session that is closed has the reason %q, want the other hook to run", res.Reason)
		}
	}
}

func TestASessionThatLeavesNothingNeedsNoClose(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	if err := s.Close(ended()); err != nil || s.NextTurn() != nil || len(s.EnvFiles()) > 0 {
		t.Errorf("closed with %v", err)
	}
	if script, err := s.Exports(); script != "" || err != nil {
		t.Errorf("exports %q, %v", strings.TrimSpace(script), err)
	}
}
