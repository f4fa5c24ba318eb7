package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAHookLeavesTheFireWhileItRuns(t *testing.T) {
	tests := map[string]struct {
		wish time.Duration
		rest runner
		took time.Duration // run time of the hook
		want pipeline.Outcome
		err  error
	}{
		"and answers later":             {0, says(10 * time.Second), 11 * time.Second, pipeline.Success, nil},
		"and outlives the fire's time":  {0, says(59 * time.Second), 60 * time.Second, pipeline.Success, nil},
		"and has the event's time anew": {0, hangs, 61 * time.Second, pipeline.Cancelled, context.DeadlineExceeded},
		"or the time it asked for":      {5 * time.Second, hangs, 6 * time.Second, pipeline.Cancelled, context.DeadlineExceeded},
		"also if that is longer":        {time.Hour, says(59 * time.Minute), 59*time.Minute + time.Second, pipeline.Success, nil},
		"and fails":                     {0, prints(1, "oh"), time.Second, pipeline.NonBlockingError, nil},
		"and ends at once":              {0, prints(0, `{"hookSpecificOutput":{"additionalContext":"hook"}}`), time.Second, pipeline.Success, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told host
				var seen evaluations
				_, s := open(t, pipeline.Config{Observe: []pipeline.Observer{pipeline.HookEnds(seen.add)}, Load: []pipeline.Load{loads(of(toolDone, "hook", leaves{test.wish, test.rest}))}}, pipeline.SessionConfig{Finished: told.finished})
				began := time.Now()
				res := fire(t, toolDone, s, call{Tool: "write"})
				if r := res.Reports[0]; time.Since(began) != time.Second || !r.Backgrounded || r.Err != nil || r.Elapsed != time.Second {
					t.Errorf("after %v the report is %+v; want a hook that goes on after 1s", time.Since(began), r)
				}
				if err := s.Wait(t.Context()); err != nil || time.Since(began) != test.took {
					t.Errorf("the hook took %v, %v; want %v", time.Since(began), err, test.took)
				}
				f := told.all[0]
				if f.Outcome != test.want || f.Elapsed != test.took || test.err != nil && !errors.Is(f.Err, test.err) {
					t.Errorf("%s after %v, %v; want %s after %v, %v", f.Outcome, f.Elapsed, f.Err, test.want, test.took, test.err)
				}
				if got, want := strings.Join(s.NextTurn(), ""), map[bool]string{true: "hook"}[test.want == pipeline.Success]; got != want {
					t.Errorf("for the next turn %q, want %q", got, want)
				}
				if want := "hook: backgrounded, hook: " + string(test.want); seen.words() != want {
					t.Errorf("observed %s, want %s", seen.words(), want)
				}
			})
		})
	}
}

// A hook in the background runs on after the end of its fire and of the caller's context.
func TestAHookThatHasLeftOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(of(toolDone, "gone", leaves{rest: says(5 * time.Second)}), of(toolDone, "stays", runner(hangs)))}}, pipeline.SessionConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		res, err := toolDone.Fire(ctx, s, &call{Tool: "write"})
		if !errors.Is(err, context.Canceled) || !res.Reports[0].Backgrounded || !errors.Is(res.Reports[1].Err, context.Canceled) {
			t.Errorf("reports %+v, err %v; want one that has left and one that was cancelled", res.Reports, err)
		}
		if err := s.Wait(t.Context()); err != nil || strings.Join(s.NextTurn(), "") != "gone" {
			t.Errorf("the hook that has left did not answer: %v", err)
		}
	})
}

func TestHooksCannotLeaveWhereTheDialectHasNoSuchThing(t *testing.T) {
	var given bool
	asks := func(_ context.Context, c hook.Call) (hook.Reply, error) {
		given = given || c.Detach != nil
		return hook.Reply{Stdout: []byte("{\"async\":true}\n")}, nil
	}
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Call", "a", asks), behind("b", hook.Async, asks))}}, pipeline.SessionConfig{})
	if res := fire(t, event, s, call{Tool: "write"}); res.Reports[0].Backgrounded || !res.Answered {
		t.Errorf("report %+v, want an ordinary answer", res.Reports[0])
	}
	fire(t, toolDone, s, call{Tool: "write"})
	if err := s.Wait(t.Context()); err != nil || given {
		t.Errorf("a hook was given a way to leave that it has not, or has gone: %v, %v", given, err)
	}
}

// If a hook may not go to the background, its fire waits for the end of the hook.
func TestAHookThatMayNotLeaveIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ hook.Call) (hook.Reply, error) {
			<-ctx.Done()
			time.Sleep(5 * time.Second) // the hook takes long to end
			return hook.Reply{}, ctx.Err()
		}
		_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(of(toolDone, "hook", leaves{rest: slow}))}}, pipeline.SessionConfig{})
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		began := time.Now()
		r := fire(t, toolDone, s, call{Tool: "write"}).Reports[0]
		if !errors.Is(r.Err, hook.ErrClosed) || r.Backgrounded || time.Since(began) != 6*time.Second {
			t.Errorf("report %+v after %v; want a closed session after 6s", r, time.Since(began))
		}
	})
}

// A background hook writes its answer while the fire refines its report: the race detector finds no
// race.
func TestTheBackgroundAndTheFireDoNotMeet(t *testing.T) {
	var told host
	sys, s := open(t, pipeline.Config{Workers: 4, Observe: []pipeline.Observer{pipeline.HookEnds(func(context.Context, *pipeline.Evaluation) {})}, Load: []pipeline.Load{loads(
		behind("a", hook.Async, says(0)), behind("b", hook.Rewake, prints(2, "b")), of(toolDone, "c", quits{}), of(toolDone, "d", quits{}), of(toolDone, "e", prints(0, "{}")),
	)}}, pipeline.SessionConfig{Finished: told.finished})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				res := fire(t, toolDone, s, call{Tool: "write"})
				for i := range res.Reports {
					res.Reports[i].Output.Message = "mine" // the caller may write to the result
				}
				s.NextTurn()
			}
		})
	}
	all.Wait()
	if err := s.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if len(told.all) != 4*50*4 {
		t.Errorf("the host was told of %d ends, want %d", len(told.all), 4*50*4)
	}
	for range 4 { // the race must also be absent while the system closes
		all.Go(func() {
			for range 50 {
				res, err := toolDone.Fire(t.Context(), s, &call{Tool: "write"})
				if err != nil && !errors.Is(err, hook.ErrClosed) {
					t.Error(err)
				}
				for _, r := range res.Reports {
					if r.Err != nil && !errors.Is(r.Err, hook.ErrClosed) {
						t.Error(r.Err)
					}
				}
			}
		})
	}
	all.Go(func() { s.Close(ended()) })
	all.Go(func() { sys.Close() })
	all.Wait()
}

// quits is a hook that goes to the background at once.
type quits struct{}

func (quits) Run(_ context.Context, c hook.Call) (hook.Reply, error) {
	ctx, done := c.Detach(0)
	go done(says(0)(ctx, c))
	return hook.Reply{}, hook.ErrDetached
}
