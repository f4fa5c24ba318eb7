package stages_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

func TestHooksOfAnUndecidedProjectAskForSequenceAmongThemselves(t *testing.T) {
	for plan, want := range map[string]string{ // p is a project's hook, u the user's; a capital letter sets Sequential
		"pp": "parallel", "Pp": "sequential", "pP": "sequential", "P": "sequential",
		"Ppu": "chain", "upP": "chain", "puP": "chain", "Pu": "parallel", "ppu": "parallel",
		"PpU": "sequential", "ppU": "sequential", "uU": "sequential", "uu": "parallel",
	} {
		var all []*hook.Hook
		for _, c := range plan {
			all = append(all, &hook.Hook{Selection: hook.Selection{
				OwnOnly: strings.ContainsRune("pP", c), Sequential: strings.ContainsRune("PU", c),
			}})
		}
		got := "parallel"
		switch p := stages.Plan(all, ""); {
		case p.Sequential && p.OwnChain:
			got = "both"
		case p.Sequential:
			got = "sequential"
		case p.OwnChain:
			got = "chain"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", plan, got, want)
		}
	}
}

func TestAChainRunsBesideTheOtherHooks(t *testing.T) {
	const ends = -1
	next := func(in int, r *hook.Report[int]) (int, bool) {
		return in*10 + r.Index, r.Output.Reason == ""
	}
	for name, tt := range map[string]struct {
		chain  []int
		blocks int // the hook that ends the chain
		exits  int // the hook that ends its goroutine
		inputs map[int]int
		took   time.Duration
	}{
		"of three among five": {[]int{0, 2, 3}, ends, ends, map[int]int{0: 7, 1: 7, 2: 70, 3: 702, 4: 7}, 3 * time.Second},
		"that one ends":       {[]int{0, 2, 3}, 2, ends, map[int]int{0: 7, 1: 7, 2: 70, 4: 7}, 2 * time.Second},
		"of all":              {[]int{0, 1, 2, 3, 4}, ends, ends, map[int]int{0: 7, 1: 70, 2: 701, 3: 7012, 4: 70123}, 5 * time.Second},
		"one of which ends its goroutine": {
			[]int{1, 2, 3}, ends, 1, map[int]int{0: 7, 1: 7, 2: 71, 3: 712, 4: 7}, 3 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				began, inputs := time.Now(), make([]int, 5)
				each := func(_ context.Context, i int, h *hook.Hook, in int) *hook.Report[int] {
					inputs[i] = in
					time.Sleep(time.Second)
					if i == tt.exits {
						runtime.Goexit()
					}
					r := &hook.Report[int]{Hook: h, Index: i, Answered: true}
					if i == tt.blocks {
						r.Output.Reason = "no"
					}
					return r
				}
				got := map[int]int{}
				for r := range (stages.Spawn[int, int]{
					Plan: hooks(5), In: 7, Each: each, Chain: tt.chain, Next: next, Ready: true,
				}).Parallel(ctx, cancel, 9) {
					got[r.Index] = inputs[r.Index]
				}
				if len(got) != len(tt.inputs) {
					t.Errorf("reports of %v, want %v", got, tt.inputs)
				}
				for i, in := range tt.inputs {
					if got[i] != in {
						t.Errorf("hook %d got %d, want %d", i, got[i], in)
					}
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
			})
		})
	}
}

func TestAChainStartsNoHookAfterItsConsumerHasEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var started []int
		spawn := stages.Spawn[int, int]{
			Plan: hooks(4), Chain: []int{1, 2, 3}, Announce: true, Next: func(in int, _ *hook.Report[int]) (int, bool) { return in, true },
			Each: func(ctx context.Context, i int, h *hook.Hook, _ int) *hook.Report[int] {
				if i > 0 {
					started = append(started, i)
					<-ctx.Done()
				}
				return &hook.Report[int]{Hook: h, Index: i}
			},
		}
		for r := range spawn.Parallel(ctx, cancel, 4) {
			if !r.Started {
				break
			}
		}
		if !slices.Equal(started, []int{1}) {
			t.Errorf("hooks %v of the chain started, want the first alone", started)
		}
	})
}
