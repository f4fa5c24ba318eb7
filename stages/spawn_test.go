package stages_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// hooks returns a plan of n hooks.
func hooks(n int) []*hook.Hook {
	plan := make([]*hook.Hook, n)
	for i := range plan {
		plan[i] = &hook.Hook{}
	}
	return plan
}

// naps returns an Each whose hooks take some time each, or end when their context does.
func naps(times ...time.Duration) stages.Each[int, int] {
	return func(ctx context.Context, i int, h *hook.Hook, in int) *hook.Report[int] {
		r := &hook.Report[int]{Hook: h, Index: i, Answered: true, Output: hook.Output[int]{Specific: in + i}}
		select {
		case <-time.After(times[i]):
		case <-ctx.Done():
			r.Err = context.Cause(ctx)
		}
		return r
	}
}

func TestParallelReportsAsHooksFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		start := time.Now()
		times := []time.Duration{3 * time.Second, time.Second, 2 * time.Second}
		var order []int
		for r := range (stages.Spawn[int, int]{Plan: hooks(3), In: 100, Each: naps(times...)}).Parallel(ctx, cancel, 3) {
			order = append(order, r.Index)
			if took := time.Since(start); took != times[r.Index] {
				t.Errorf("report %d came after %v, want %v", r.Index, took, times[r.Index])
			}
			if r.Output.Specific != 100+r.Index {
				t.Errorf("hook %d was not given the input", r.Index)
			}
		}
		if want := []int{1, 2, 0}; !slices.Equal(order, want) {
			t.Errorf("reports of %v, want %v", order, want)
		}
	})
}

func TestParallelKeepsItsLimit(t *testing.T) {
	for _, test := range []struct{ limit, want int }{{1, 1}, {3, 3}, {100, 20}, {0, 1}, {-5, 1}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			var running, most atomic.Int64
			seen := make([]int, 20)
			each := func(_ context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
				now := running.Add(1)
				for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				time.Sleep(time.Second)
				running.Add(-1)
				return &hook.Report[int]{Hook: h, Index: i}
			}
			for r := range (stages.Spawn[int, int]{Plan: hooks(20), In: 0, Each: each}).Parallel(ctx, cancel, test.limit) {
				seen[r.Index]++
			}
			if got := int(most.Load()); got != test.want {
				t.Errorf("limit %d: %d hooks at the same time, want %d", test.limit, got, test.want)
			}
			if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
				t.Errorf("limit %d: reports of each hook %v, want one", test.limit, seen)
			}
		})
	}
}

func TestParallelStreamsWhileHooksWaitForAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		start, next := time.Now(), time.Second
		for range (stages.Spawn[int, int]{Plan: hooks(3), In: 0, Each: naps(time.Second, time.Second, time.Second)}).Parallel(ctx, cancel, 1) {
			if took := time.Since(start); took != next {
				t.Errorf("a report after %v, want %v", took, next)
			}
			next += time.Second
		}
	})
}

func TestParallelCancelsAndWaitsForAConsumerThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var gone, notNeeded atomic.Int64
		each := func(ctx context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
			defer gone.Add(1)
			if i > 0 {
				<-ctx.Done()
				time.Sleep(time.Second) // it ends slowly
			}
			if errors.Is(context.Cause(ctx), hook.ErrNotNeeded) {
				notNeeded.Add(1)
			}
			return &hook.Report[int]{Hook: h, Index: i}
		}
		start := time.Now()
		for range (stages.Spawn[int, int]{Plan: hooks(4), In: 0, Each: each}).Parallel(ctx, cancel, 2) {
			break
		}
		if gone.Load() != 4 || notNeeded.Load() != 3 {
			t.Errorf("%d hooks have gone, %d because they are not needed; want 4 and 3", gone.Load(), notNeeded.Load())
		}
		if took := time.Since(start); took != 2*time.Second { // three hooks, two at a time
			t.Errorf("returned after %v, want 2s", took)
		}
	})
}

func TestParallelWaitsWhenItsConsumerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer func() {
			if recover() == nil || ctx.Err() == nil {
				t.Error("the panic is lost, or the hooks go on")
			}
		}()
		for range (stages.Spawn[int, int]{Plan: hooks(2), In: 0, Each: naps(0, time.Hour)}).Parallel(ctx, cancel, 2) {
			panic("consumer")
		}
	})
}

func TestParallelOfNothing(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	for range (stages.Spawn[int, int]{Plan: nil, In: 0, Each: naps()}).Parallel(ctx, cancel, 4) {
		t.Error("a report of no hook")
	}
}

func always(in int, r *hook.Report[int]) (int, bool) { return in*10 + r.Index + 1, true }

func TestFoldGivesEachHookTheChangesOfThoseBefore(t *testing.T) {
	var inputs []int
	each := func(_ context.Context, i int, h *hook.Hook, in int) *hook.Report[int] {
		inputs = append(inputs, in)
		return &hook.Report[int]{Hook: h, Index: i}
	}
	reports := slices.Collect(stages.Spawn[int, int]{Plan: hooks(4), In: 7, Each: each}.Fold(t.Context(), always))
	if want := []int{7, 71, 712, 7123}; !slices.Equal(inputs, want) || len(reports) != 4 {
		t.Errorf("inputs %v, %d reports; want %v, 4", inputs, len(reports), want)
	}
}

func TestFoldEnds(t *testing.T) {
	tests := map[string]struct {
		next      func(cancel func()) func(int, *hook.Report[int]) (int, bool)
		readUntil int
		want      int
	}{
		"with the last hook": {func(func()) func(int, *hook.Report[int]) (int, bool) { return always }, 9, 4},
		"when next says so, whose report is still given": {func(func()) func(int, *hook.Report[int]) (int, bool) {
			return func(in int, r *hook.Report[int]) (int, bool) { return in, r.Index < 1 }
		}, 9, 2},
		"when its consumer stops": {func(func()) func(int, *hook.Report[int]) (int, bool) { return always }, 3, 3},
		"when the context does": {func(cancel func()) func(int, *hook.Report[int]) (int, bool) {
			return func(in int, r *hook.Report[int]) (int, bool) { cancel(); return in, true }
		}, 9, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			started, reports := 0, 0
			each := func(_ context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
				started++
				return &hook.Report[int]{Hook: h, Index: i}
			}
			for range (stages.Spawn[int, int]{Plan: hooks(4), In: 0, Each: each}).Fold(ctx, test.next(cancel)) {
				if reports++; reports == test.readUntil {
					break
				}
			}
			if started != test.want || reports != test.want {
				t.Errorf("%d hooks started, %d reports; want %d", started, reports, test.want)
			}
		})
	}
}

func TestFoldReportsOnTheFirstHookOfAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(hook.ErrClosed)
	reports := slices.Collect(stages.Spawn[int, int]{Plan: hooks(3), In: 0, Each: naps(time.Hour, 0, 0)}.Fold(ctx, always))
	if len(reports) != 1 || !errors.Is(reports[0].Err, hook.ErrClosed) {
		t.Errorf("reports %+v, want one that says the system is closed", reports)
	}
}
