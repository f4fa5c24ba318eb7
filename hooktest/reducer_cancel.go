package hooktest

import (
	"context"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/stages"
)

// cancels runs hooks through the stages of a fire: hooks whose answers make the reducer return early, followed by hooks
// that run until they are cancelled.
func (c *reducerCheck[T]) cancels(t *rapid.T, outs []hook.Output[T], want merged[T]) {
	limited, done := context.WithTimeout(context.Background(), c.limit)
	defer done()
	ctx, cancel := context.WithCancelCause(limited)
	defer cancel(nil)
	var enough, late atomic.Bool
	fire := stages.Spawn[struct{}, T]{
		Plan: make([]*hook.Hook, len(outs)),
		Each: func(ctx context.Context, i int, _ *hook.Hook, _ struct{}) *hook.Report[T] {
			if i < want.taken {
				return &hook.Report[T]{Hook: &hook.Hook{}, Index: i, Output: outs[i], Answered: true}
			}
			<-ctx.Done()
			late.CompareAndSwap(false, !enough.Load() && limited.Err() != nil)
			return &hook.Report[T]{Hook: &hook.Hook{}, Index: i, Err: context.Cause(ctx)}
		},
	}
	reports := fire.Parallel(ctx, cancel, len(outs))
	res, err := stages.Reduce(reports, make([]hook.Report[T], len(outs)), c.reduce, func() {
		enough.Store(true)
		cancel(hook.ErrNotNeeded)
	})
	switch {
	case err != nil:
		t.Fatalf("in a fire: %v", err)
	case late.Load() || !enough.Load():
		t.Fatalf("%d of %d answers are enough, but in a fire the other hooks are not cancelled", want.taken, len(outs))
	case !same(&res.Output, &want.out):
		t.Fatalf("the result changes when the hooks that are not needed are cancelled:\n%+v\n%+v", want.out, res.Output)
	}
}
