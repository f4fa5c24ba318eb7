// Package within limits calls of host functions, and requests to servers, to the timeout of a hook.
package within

import (
	"cmp"
	"context"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// Limit calls ask with a context that ends with the call's time, and returns the answer. If the context ends before ask
// returns, Limit drops the answer, and returns the [context.Cause] of the context, such as a [hook.TimeoutError].
func Limit[T any](ctx context.Context, call hook.Call, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := call.Limit(ctx)
	defer cancel()
	return run(ctx, ask)
}

// Stretch is like [Limit], but the call's time grows on a machine that has more work than processors, up to
// call.Stretch times itself: the server may wait for a processor of this machine, and so may this process. If
// call.Stretch is 0, a call's time of less than 10 ms grows to 10 ms while another thread is ready to run. granted is
// the growth.
func Stretch[T any](
	ctx context.Context, call hook.Call, ask func(context.Context) (T, error),
) (answer T, granted time.Duration, err error) {
	if call.Timeout <= 0 {
		answer, err = run(ctx, ask)
		return answer, 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stretch{
		limit: call.Timeout, most: max(1, cmp.Or(call.Stretch, hook.DefaultStretch)),
		short: call.Stretch == 0, load: load, cancel: cancel, idle: !processor.Known,
	}
	s.start()
	defer func() { granted = s.end() }() // also after a panic
	answer, err = run(ctx, ask)
	return answer, 0, err
}

func run[T any](ctx context.Context, ask func(context.Context) (T, error)) (answer T, err error) {
	if ctx.Err() == nil {
		answer, err = ask(ctx)
	}
	if ctx.Err() != nil {
		var none T
		return none, context.Cause(ctx)
	}
	return answer, err
}

// load is a variable for tests.
var load = processor.Load
