//go:build !linux && !windows

package run

import (
	"context"
	"log/slog"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
)

const (
	warmSystem = false
	ownShell   = false
)

// Warm keeps no processes ready on this system: every call starts cold.
type Warm struct {
	Limit int             // not used
	Log   *slog.Logger    // not used
	Tools inprocess.Shell // not used
}

// Close does nothing.
func (w *Warm) Close() {}

// Prewarm does nothing.
func (w *Warm) Prewarm(hook.Call) {}

// SetLimit does nothing.
func (w *Warm) SetLimit(int) {}

func (w *Warm) run(context.Context, *warmth, *Command, hook.Call, job) (reply hook.Reply, ran bool, err error) {
	return reply, false, nil
}

func (w *Warm) ask(context.Context, *Command, hook.Call, job) (reply hook.Reply, err error) {
	return reply, coldWorker("hooks are kept warm on Linux alone")
}

// shellScript stands for a bash script that runs in this process. This system has none.
type shellScript struct{}

func shellOf(*Command, *Warm, job) (s *shellScript, note string) { return nil, "" }

func (*shellScript) kind() string { return "bash" }

func (*shellScript) alone() bool { return false }

func (*shellScript) fails() string { return "" }

func (*shellScript) lastLeft() string { return "" }

func (*shellScript) run(*Warm, job) (reply hook.Reply, ran bool, err error) { return reply, false, nil }
