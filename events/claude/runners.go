package claude

import (
	"context"
	"os"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// worktreePath converts the output of a command to an answer whose path is the last non-empty line of the output,
// without colours (release 2.1.239).
type worktreePath struct{ hook.Runner }

// Unwrap returns the Runner of the command itself.
func (w worktreePath) Unwrap() hook.Runner { return w.Runner }

// Run runs the command and reads the path.
func (w worktreePath) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	reply, err := w.Runner.Run(ctx, call)
	if err != nil || reply.Exit != 0 || reply.Signal != nil {
		return reply, err
	}
	lines := strings.Split(plain(stripped(reply.Stdout)), "\n")
	path := strings.TrimSpace(lines[len(lines)-1])
	own := wire.Object(nil).With("hookEventName", wire.Quote("WorktreeCreate")).With("worktreePath", wire.Quote(path))
	reply.Stdout = wire.Object(nil).With("hookSpecificOutput", []byte(own))
	return reply, nil
}

// furnished creates a plugin's data directory before the hook runs.
type furnished struct {
	hook.Runner
	dir string
}

// Unwrap returns the Runner of the hook itself.
func (f furnished) Unwrap() hook.Runner { return f.Runner }

// Run makes the directory and runs the hook.
func (f furnished) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return hook.Reply{}, err
	}
	return f.Runner.Run(ctx, call)
}
