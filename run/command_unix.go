//go:build unix && !linux

package run

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

func execute(ctx context.Context, j job) (hook.Reply, bool, error) { return executePortable(ctx, j) }
