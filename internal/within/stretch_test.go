package within

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// setLoads makes each look at the load return the next of loads, and further looks the last one, until reset is called.
func setLoads(loads []float64) (reset func()) {
	before, looks := load, 0
	load = func() float64 {
		looks++
		return loads[min(looks, len(loads))-1]
	}
	return func() { load = before }
}

func TestTheTimeOfARequestGrowsWhileTheMachineIsFull(t *testing.T) {
	gone := errors.New("gone")
	for name, tt := range map[string]struct {
		loads   []float64 // at one timeout after another; then the last one
		stretch float64
		answer  time.Duration // when the server answers; 0: never
		cancel  time.Duration // when the caller gives up; 0: never
		granted time.Duration
		want    error
	}{
		"a free machine":                       {[]float64{0.5}, 0, 0, 0, 0, &hook.TimeoutError{After: time.Second}},
		"an answer in time":                    {[]float64{9}, 0, time.Second - 1, 0, 0, nil},
		"three threads on each processor":      {[]float64{3}, 0, 3*time.Second - 1, 0, 2 * time.Second, nil},
		"an answer after the growth":           {[]float64{3}, 0, 3*time.Second + 1, 0, 2 * time.Second, &hook.TimeoutError{After: time.Second}},
		"a machine that gets free":             {[]float64{1.5, 2.5, 1.2}, 0, 0, 0, 250 * time.Millisecond, &hook.TimeoutError{After: time.Second}},
		"far too many threads":                 {[]float64{100}, 0, 0, 0, 3 * time.Second, &hook.TimeoutError{After: time.Second}},
		"a policy that forbids the growth":     {[]float64{100}, 1, 0, 0, 0, &hook.TimeoutError{After: time.Second}},
		"a policy that allows half as much":    {[]float64{100}, 1.5, 0, 0, time.Second / 2, &hook.TimeoutError{After: time.Second}},
		"a caller that gives up while it grew": {[]float64{100}, 0, 0, 1950 * time.Millisecond, time.Second, gone},
	} {
		synctest.Test(t, func(t *testing.T) {
			defer setLoads(tt.loads)()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.cancel > 0 {
				time.AfterFunc(tt.cancel, func() { cancel(gone) })
			}
			call := hook.Call{Timeout: time.Second, Stretch: tt.stretch}
			answer, granted, err := Stretch(ctx, call, func(ctx context.Context) (string, error) {
				var answered <-chan time.Time
				if tt.answer > 0 {
					answered = time.After(tt.answer)
				}
				select {
				case <-answered:
					return "answer", nil
				case <-ctx.Done():
					return "late", ctx.Err()
				}
			})
			if granted != tt.granted || (err == nil) != (tt.want == nil) || err != nil && err.Error() != tt.want.Error() {
				t.Errorf("%s: granted %v with error %v; want %v and %v", name, granted, err, tt.granted, tt.want)
			}
			if late, ok := errors.AsType[*hook.TimeoutError](err); ok && late.Granted != tt.granted {
				t.Errorf("%s: the error says %v", name, late.Granted)
			}
			if want := map[bool]string{true: "answer"}[tt.want == nil]; answer != want {
				t.Errorf("%s: answer %q, want %q", name, answer, want)
			}
		})
	}
}

func TestARequestWithoutATimeoutHasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, granted, err := Stretch(t.Context(), hook.Call{}, func(context.Context) (bool, error) {
			time.Sleep(time.Hour)
			return true, nil
		})
		if granted != 0 || err != nil {
			t.Error(granted, err)
		}
	})
}

func TestAPanicOfTheCallLeavesNoTimer(t *testing.T) {
	var ctx context.Context
	func() {
		defer func() { _ = recover() }()
		_, _, _ = Stretch(t.Context(), hook.Call{Timeout: time.Hour}, func(c context.Context) (bool, error) {
			ctx = c
			panic("x")
		})
	}()
	if ctx.Err() == nil {
		t.Error("the context of the call has not ended")
	}
}

// A time that is shorter than a thread's turn on a processor grows to 10 ms while other threads are ready to run.
func TestAShortTimeGrowsWhileTheMachineIsNotIdle(t *testing.T) {
	const ms = time.Millisecond
	idle := ms / 4
	if !processor.Known { // this system does not tell the load
		idle = 0
	}
	for name, tt := range map[string]struct {
		limit   time.Duration
		loads   []float64 // at one timeout after another; then the last one
		stretch float64
		granted time.Duration
	}{
		"an idle machine":                     {ms, []float64{0}, 0, idle},
		"a machine that is idle for a moment": {ms, []float64{0.5, 0, 0.5, 0.5, 0}, 0, 5 * ms / 4},
		"half of a processor":                 {ms, []float64{0.5}, 0, 9 * ms},
		"a full machine":                      {5 * ms, []float64{4}, 0, 15 * ms},
		"a policy that forbids the growth":    {ms, []float64{0.5}, 1, 0},
		"a policy that allows twice the time": {ms, []float64{4}, 2, ms},
		"a policy that allows four times":     {ms, []float64{0.5}, 4, 0},
		"a host that allows five times":       {ms, []float64{9}, 5, 4 * ms},
		"a limit of 10 ms":                    {10 * ms, []float64{0.5}, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			defer setLoads(tt.loads)()
			call := hook.Call{Timeout: tt.limit, Stretch: tt.stretch}
			start := time.Now()
			_, granted, err := Stretch(t.Context(), call, func(ctx context.Context) (bool, error) {
				<-ctx.Done()
				return false, ctx.Err()
			})
			took := time.Since(start)
			if _, late := errors.AsType[*hook.TimeoutError](err); !late || granted != tt.granted || took != tt.limit+granted {
				t.Errorf("%s: granted %v after %v, %v; want %v and a TimeoutError", name, granted, took, err, tt.granted)
			}
		})
	}
}
