//go:build unix && !linux

package run

import (
	"context"
	"syscall"

	"github.com/snaphook-go/snaphook/hook"
)

func boundTo(attr *syscall.SysProcAttr) *syscall.SysProcAttr { return attr }

// bound runs a job. If the engine is killed, these systems, unlike Linux, do not kill its hooks; only the guardian
// does.
func bound(ctx context.Context, j job, inner executor) (hook.Reply, bool, error) {
	return inner(ctx, j)
}
