package pipeline_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

var timed = declare("Timed", pipeline.Rules{Timeout: -1})

// looks holds the ways in which a hook in Go notices that its context has ended. In each test the
// context ends a second after the hook has begun.
var looks = map[string]func(context.Context){
	"asks":  func(context.Context) { testkit.Sleep(2 * time.Second) },
	"waits": func(ctx context.Context) { <-ctx.Done() },
	"waits with a context of its own": func(ctx context.Context) {
		own, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		<-own.Done()
	},
	"is told": func(ctx context.Context) {
		told := make(chan struct{})
		context.AfterFunc(ctx, func() { close(told) })
		<-told
	},
	"asks all the time": func(ctx context.Context) {
		for ctx.Err() == nil {
			testkit.Sleep(100 * time.Millisecond)
		}
	},
}

func TestAHookLearnsOfItsEndHoweverItLooks(t *testing.T) {
	enough := errors.New("enough")
	tests := map[string]struct {
		timeout    time.Duration
		caller     func(context.Context) (context.Context, func()) // returns the caller's context, and a function that runs after a second
		closes     bool
		err, cause error
	}{
		"the caller has enough": {
			caller: func(ctx context.Context) (context.Context, func()) {
				ctx, cancel := context.WithCancelCause(ctx)
				return ctx, func() { cancel(enough) }
			},
			err: context.Canceled, cause: enough,
		},
		"the caller's time is over": {
			timeout: time.Minute,
			caller: func(ctx context.Context) (context.Context, func()) {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				return ctx, func() {
					<-ctx.Done()
					cancel()
				}
			},
			err: context.DeadlineExceeded, cause: context.DeadlineExceeded,
		},
		"its own time is over": {
			timeout: time.Second,
			err:     context.DeadlineExceeded, cause: &hook.TimeoutError{After: time.Second},
		},
		"the engine is closed": {timeout: time.Minute, closes: true, err: context.Canceled, cause: hook.ErrClosed},
	}
	for name, test := range tests {
		for way, look := range looks {
			t.Run(name+", and it "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sys, s := start(t, pipeline.Config{})
					ctx, happens := t.Context(), func() {}
					if test.caller != nil {
						ctx, happens = test.caller(ctx)
					}
					if test.closes {
						happens = func() { _ = sys.Close() }
					}
					time.AfterFunc(time.Second, happens)
					looking := func(ctx context.Context, _ call) (o output, err error) {
						look(ctx)
						if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(err, test.err) || cause.Error() != test.cause.Error() {
							t.Errorf("the context says %v because of %v, want %v because of %v", err, cause, test.err, test.cause)
						}
						return o, nil
					}
					pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Timed", Name: "looks"}, Execution: hook.Execution{Timeout: test.timeout}, Func: hook.Func[call, edit](looking)})
					_, _ = timed.Fire(ctx, s, &call{Tool: "write"})
				})
			})
		}
	}
}

// A hook's context, and every context derived from it, ends with the fire or, if the hook has a time limit, with the
// hook's run.
func TestAContextEndsWithTheHookThatWasGivenIt(t *testing.T) {
	tests := map[string]struct {
		timeout time.Duration
		cause   error
	}{
		"with the fire":           {-1, hook.ErrNotNeeded},
		"with a limit of its own": {time.Minute, context.Canceled},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, s := start(t, pipeline.Config{})
			var kept, begun context.Context
			keep := func(ctx context.Context, _ call) (o output, err error) {
				kept = ctx
				return o, nil
			}
			begin := func(ctx context.Context, _ call) (o output, err error) {
				var cancel context.CancelFunc
				begun, cancel = context.WithTimeoutCause(ctx, time.Hour, errors.New("an hour"))
				t.Cleanup(cancel)
				return o, nil
			}
			for name, f := range map[string]hook.Func[call, edit]{"keeps": keep, "begins": begin} {
				pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Timed", Name: name}, Execution: hook.Execution{Timeout: test.timeout}, Func: f})
			}
			fire(t, timed, s, call{Tool: "write"})
			for _, ctx := range []context.Context{kept, begun} {
				<-ctx.Done()
				if err, cause := ctx.Err(), context.Cause(ctx); !errors.Is(err, context.Canceled) || !errors.Is(cause, test.cause) {
					t.Errorf("the context says %v because of %v, want it to be cancelled because of %v", err, cause, test.cause)
				}
			}
		})
	}
}

type number struct{}

func TestAHookSeesWhatItsCallerHasPutIntoTheContext(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	due := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.WithValue(t.Context(), number{}, 7), due)
	defer cancel()
	for _, timeout := range []time.Duration{-1, time.Minute, 24 * time.Hour} {
		look := func(ctx context.Context, _ call) (o output, err error) {
			for _, when := range []string{"before", "after"} {
				if got := ctx.Value(number{}); got != 7 {
					t.Errorf("%v %s something waits, want 7", got, when)
				}
				if got, ok := ctx.Deadline(); !ok || got.Equal(due) == (timeout == time.Minute) || got.After(due) {
					t.Errorf("limit %v, %s something waits: due %v, want the earlier one", timeout, when, got)
				}
				_ = ctx.Done()
			}
			return o, nil
		}
		pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Timed", Name: "looks"}, Execution: hook.Execution{Timeout: timeout}, Func: hook.Func[call, edit](look)})
	}
	if _, err := timed.Fire(ctx, s, &call{Tool: "write"}); err != nil {
		t.Error(err)
	}
}

func TestAContextIsForManyAtOnce(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	var all sync.WaitGroup
	share := func(ctx context.Context, _ call) (o output, err error) {
		for range 8 {
			all.Go(func() {
				for ctx.Err() == nil {
					ctx.Value(number{})
				}
			})
			all.Go(func() { <-ctx.Done() })
			all.Go(func() {
				own, cancel := context.WithCancel(ctx)
				defer cancel()
				<-own.Done()
				if context.Cause(own) == nil {
					t.Error("it has ended without a cause")
				}
			})
		}
		return o, nil
	}
	for _, timeout := range []time.Duration{-1, time.Hour} {
		pipeline.Register(s, &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Timed", Name: "shares"}, Execution: hook.Execution{Timeout: timeout}, Func: hook.Func[call, edit](share)})
	}
	fire(t, timed, s, call{Tool: "write"})
	all.Wait()
}
