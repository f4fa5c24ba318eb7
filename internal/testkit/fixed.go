package testkit

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// Fixed is a hook with a fixed result.
type Fixed struct {
	Reply hook.Reply
	Err   error
}

// Run returns the reply and the error.
func (f Fixed) Run(context.Context, hook.Call) (hook.Reply, error) { return f.Reply, f.Err }
