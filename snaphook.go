// Package snaphook is an embeddable hook engine for AI agents: an agent fires
// typed events, its users' hooks observe, block, rewrite or enrich what
// happens, and one answer comes back.
//
// This package is the door. Events are in the packages below events, one for
// each hook system; what a result says is in package hook.
package snaphook

import (
	"log/slog"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Config is what a hook system is opened with. The zero Config reads the
// settings files that the users of the hook systems have.
type Config struct {
	// Workers limits the hooks that run outside the process at the same time,
	// over all sessions; 0 means 4 for each processor, and at least 16.
	Workers int

	// Log gets a warning for every hook that failed and for every settings
	// entry that cannot be used; nil means slog.Default().
	Log *slog.Logger
}

// Open makes a system that reads every hook system's settings from where they
// are kept, when the first session of a directory is made. Close it when the
// program ends.
//
// For other sources of settings, and to observe hooks, make the system with
// [pipeline.NewSystem].
func Open(cfg Config) *pipeline.System {
	return pipeline.NewSystem(pipeline.Config{
		Load:    []pipeline.Load{llxprt.Settings{}.Load, claude.Settings{}.Load},
		Workers: cfg.Workers,
		Log:     cfg.Log,
	})
}
