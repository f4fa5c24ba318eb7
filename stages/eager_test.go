package stages_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// ready runs n hooks that probably return at once.
func ready(n int, each func(ctx context.Context, i int)) stages.Spawn[int, int] {
	plan := make([]*hook.Hook, n)
	for i := range plan {
		plan[i] = &hook.Hook{}
	}
	return stages.Spawn[int, int]{Plan: plan, Ready: true, Each: func(ctx context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
		each(ctx, i)
		return &hook.Report[int]{Hook: h, Index: i}
	}}
}

func TestHooksThatWaitAfterAllRunAtTheSameTime(t *testing.T) {
	for _, tt := range []struct {
		limit int
		want  time.Duration
	}{{8, time.Second}, {4, 2 * time.Second}, {1, 8 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			var now, most atomic.Int32
			spawn := ready(8, func(context.Context, int) {
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(time.Second)
				now.Add(-1)
			})
			start, seen := time.Now(), 0
			for range spawn.Parallel(ctx, cancel, tt.limit) {
				seen++
			}
			if took := time.Since(start); seen != 8 || took != tt.want || int(most.Load()) > tt.limit {
				t.Errorf("limit %d: %d reports after %v, %d hooks at the same time; want 8 after %v", tt.limit, seen, took, most.Load(), tt.want)
			}
		})
	}
}

func TestHooksThatAreReadyAtOnceRunInOrderAndAllReport(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	next := 0
	for r := range ready(100, func(context.Context, int) {}).Parallel(ctx, cancel, 16) {
		if next++; r.Index < 0 || r.Index >= 100 {
			t.Errorf("a report of hook %d", r.Index)
		}
	}
	if next != 100 {
		t.Errorf("%d reports; want 100", next)
	}
}

func TestAConsumerThatStopsEarlyEndsHooksThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var gone atomic.Int32
		spawn := ready(8, func(ctx context.Context, i int) {
			if i > 0 {
				<-ctx.Done()
			}
			gone.Add(1)
		})
		for range spawn.Parallel(ctx, cancel, 4) {
			break
		}
		if gone.Load() != 8 {
			t.Errorf("%d of 8 hooks have gone when Parallel returns; want all", gone.Load())
		}
	})
}
