//go:build !unix

package run

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
)

// lookup leaves the search to os/exec, which knows the system's rules for program names. It uses
// the engine's PATH.
func lookup(name string, _ []string, _ string) (string, error) { return name, nil }

// readied has no values on this system: os/exec searches for programs, and bash is always started.
type readied struct {
	env          []string
	dir, program string
}

func (*readied) fits(*job) bool { return false }

func (j job) direct(*Command) (job, bool) { return j, false }

func execute(ctx context.Context, j job) (hook.Reply, bool, error) { return executeAnywhere(ctx, j) }
