// Package snaphook is an embeddable hook engine for AI agents: an agent fires
// typed events, its users' hooks observe, block, rewrite or enrich what
// happens, and one answer comes back.
//
// This package is the door. Events are in the packages below events, one for
// each hook system; what a result says is in package hook.
package snaphook

import (
	"cmp"
	"log/slog"
	"os"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/run"
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

	// Record is the path of a file that gets a line of JSON for each fire that
	// looks at a hook; see package record. Empty means what the environment
	// variable SNAPHOOK_RECORD says. A file that cannot be opened is a warning in
	// the log: a record changes nothing.
	Record string

	// Observe follows every fire that looks at a hook.
	Observe []pipeline.Observer

	// ObserveIdle has Record and Observe follow the fires of events without
	// hooks, too, which cost nothing without.
	ObserveIdle bool

	// Policy is what the program demands of hooks beyond their settings; see
	// package policy. It counts together with the files .snaphook.json of the
	// project and config.json of the user and of the machine.
	Policy []policy.Overlay

	// Wrap puts something around the Runner of a hook, such as a sandbox; see
	// [pipeline.Config].
	Wrap func(*hook.Hook, hook.Runner) hook.Runner
}

// What a host needs of package pipeline to fire events.
type (
	System        = pipeline.System
	Session       = pipeline.Session
	SessionConfig = pipeline.SessionConfig
)

// Open makes a system that reads the settings of every hook system whose events the
// program imports, from where they are kept, when the first session of a directory
// is made. Close it when the program ends.
//
// For other sources of settings make the system with [pipeline.NewSystem].
func Open(cfg Config) *System {
	return pipeline.NewSystem(pipeline.Config{
		Load:    pipeline.LinkedSettings(),
		Workers: cfg.Workers,
		Log:     cfg.Log,
		Policy:  policy.Source{Discover: true, Overlays: cfg.Policy},
		Wrap:    cfg.Wrap,
		Warm:    &run.Warm{Log: cfg.Log},

		Observe:     cfg.observers(),
		ObserveIdle: cfg.ObserveIdle,
	})
}

// observers are those of the config, and its record.
func (cfg Config) observers() []pipeline.Observer {
	path := cmp.Or(cfg.Record, os.Getenv("SNAPHOOK_RECORD"))
	if path == "" {
		return cfg.Observe
	}
	r, err := record.Open(path, record.Config{Log: cfg.Log})
	if err != nil {
		cmp.Or(cfg.Log, slog.Default()).Warn("hooks are not recorded", "error", err.Error())
		return cfg.Observe
	}
	return append(slices.Clip(cfg.Observe), r)
}
