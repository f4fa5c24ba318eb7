//go:build unix && !linux

package run

import (
	"context"
	"syscall"

	"github.com/snaphook-go/snaphook/hook"
)

func boundTo(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

// bound runs a job. These systems do not signal the children of a killed process; only the guardian kills them.
func bound(ctx context.Context, j job, inner executor) (hook.Reply, bool, error) {
	return inner(ctx, j)
}
