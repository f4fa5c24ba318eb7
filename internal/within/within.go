// Package within limits calls of host functions to the timeout of a hook.
package within

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// Limit calls ask with a context that ends with the call's time, and returns the answer. If the context ends before ask
// returns, Limit drops the answer, and returns the [context.Cause] of the context, such as a [hook.TimeoutError].
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
