// Package within calls what the host supplies for the time that a hook has.
package within

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// Limit calls ask with a context that ends with the call's time, and returns its
// answer. An answer that comes later is none: the error is why the context has
// ended, [context.Cause] or a [hook.TimeoutError].
func Limit[T any](ctx context.Context, call hook.Call, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, cancel := call.Limit(ctx)
	defer cancel()
	if ctx.Err() == nil {
		answer, err = ask(ctx)
	}
	if ctx.Err() != nil {
		var none T
		return none, context.Cause(ctx)
	}
	return answer, err
}
