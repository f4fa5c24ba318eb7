package stages_test

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// told returns each report with its time: "+0 0s" means that hook 0 has started at once.
func told(reports iter.Seq[*hook.Report[int]]) (words []string) {
	start := time.Now()
	for r := range reports {
		sign := "-"
		if r.Started {
			sign = "+"
		}
		words = append(words, sign+string(rune('0'+r.Index))+" "+time.Since(start).String())
	}
	return words
}

func TestHooksAreAnnounced(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(ctx context.Context, cancel context.CancelCauseFunc, s stages.Spawn[int, int]) iter.Seq[*hook.Report[int]]
		want []string
	}{
		"when there is a place": {func(ctx context.Context, cancel context.CancelCauseFunc, s stages.Spawn[int, int]) iter.Seq[*hook.Report[int]] {
			return s.Parallel(ctx, cancel, 1)
		}, []string{"+0 0s", "-0 1s", "+1 1s", "-1 3s", "+2 3s", "-2 4s"}},
		"one by one": {func(ctx context.Context, _ context.CancelCauseFunc, s stages.Spawn[int, int]) iter.Seq[*hook.Report[int]] {
			return s.Fold(ctx, always)
		}, []string{"+0 0s", "-0 1s", "+1 1s", "-1 3s", "+2 3s", "-2 4s"}},
		"until the chain ends": {func(ctx context.Context, _ context.CancelCauseFunc, s stages.Spawn[int, int]) iter.Seq[*hook.Report[int]] {
			return s.Fold(ctx, func(in int, r *hook.Report[int]) (int, bool) { return in, r.Index < 1 })
		}, []string{"+0 0s", "-0 1s", "+1 1s", "-1 3s"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				s := stages.Spawn[int, int]{Plan: hooks(3), Each: naps(time.Second, 2*time.Second, time.Second), Announce: true}
				if got := told(test.run(ctx, cancel, s)); !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		})
	}
}

func TestAnAnnouncementSaysNothingElse(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := stages.Spawn[int, int]{Plan: hooks(2), In: 7, Each: naps(0, 0), Announce: true}
	for _, reports := range []iter.Seq[*hook.Report[int]]{s.Parallel(ctx, cancel, 2), s.Fold(t.Context(), always)} {
		started := map[int]bool{}
		for r := range reports {
			if r.Hook != s.Plan[r.Index] || !r.Started && !started[r.Index] {
				t.Errorf("report %+v; want one with its hook, behind its announcement", r)
			}
			if r.Started && (r.Answered || r.Err != nil || r.Output.Specific != 0 || started[r.Index]) {
				t.Errorf("the announcement is %+v, want one that says nothing", r)
			}
			started[r.Index] = true
		}
		if len(started) != 2 {
			t.Errorf("%d hooks were announced, want 2", len(started))
		}
	}
}

// A consumer that stops at an announcement cancels every hook, and no hook waits for the consumer.
func TestAConsumerThatStopsAtAnAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		each := func(ctx context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
			ran.Add(1)
			<-ctx.Done()
			return &hook.Report[int]{Hook: h, Index: i}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		for r := range (stages.Spawn[int, int]{Plan: hooks(4), Each: each, Announce: true}).Parallel(ctx, cancel, 2) {
			if r.Started {
				break
			}
		}
		if ran.Load() != 4 || ctx.Err() == nil {
			t.Errorf("%d hooks were given their turn, ctx %v; want all 4, and its end", ran.Load(), ctx.Err())
		}
	})
	for range (stages.Spawn[int, int]{Plan: hooks(1), Announce: true}).Fold(t.Context(), always) { // Each is nil
		break
	}
}
