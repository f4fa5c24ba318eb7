package run

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// within calls ask with a context that ends with the call's time. An answer
// that comes later is none: what counts is why the context has ended.
func within[T any](ctx context.Context, call hook.Call, ask func(context.Context) (T, error)) (answer T, err error) {
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
