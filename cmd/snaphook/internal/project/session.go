// Package project opens the hooks of a project for the verbs: it has the flags that select settings
// and describe an agent, reads the settings of all systems, decides whether the project is trusted,
// loads modules, and opens sessions.
package project

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/state"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// Opening describes the purpose of a session.
type Opening struct {
	Event    pipeline.Declared
	Input    []byte
	Observe  []pipeline.Observer
	Warm     pipeline.Warmer
	Finished func(pipeline.Finished) // may be nil
	Quiet    bool                    // problems of the settings have been reported
	Ask      func(context.Context, *hook.Hook, hook.Question) (string, bool)
}

// Session opens a session for the flags, and prints warnings about the settings. Settings that cannot be read are an
// error. The caller has to close the system.
func (f *SessionFlags) Session(cmd *cobra.Command, o Opening) (*pipeline.System, *pipeline.Session, error) {
	d, err := systems.Named(o.Event.Info().Dialect)
	if err != nil {
		return nil, nil, err
	}
	src, err := f.Sources(d)
	if err != nil {
		return nil, nil, err
	}
	return f.SessionOf(cmd, src, o)
}

// SessionOf does the same as Session, for the settings of one system.
func (f *SessionFlags) SessionOf(
	cmd *cobra.Command, src *Sources, o Opening,
) (*pipeline.System, *pipeline.Session, error) {
	trust, err := f.Judge(cmd, src)
	if err != nil {
		return nil, nil, err
	}
	remote, err := f.Fleet.load()
	if err != nil {
		return nil, nil, err
	}
	sys := pipeline.NewSystem(
		pipeline.Config{
			Load:        append([]pipeline.Load{src.Load}, remote...),
			Log:         f.Log(cmd),
			Observe:     o.Observe,
			ObserveIdle: len(o.Observe) > 0,
			Policy:      src.Policy,
			Warm:        cmp.Or[pipeline.Warmer](o.Warm, ForOneCall{warm.New(warm.Config{Log: f.Log(cmd)})}),
			Wrap:        trust.Wrap(),
			Granted:     trust.Guards,
		},
	)
	ses, err := sys.NewSession(cmd.Context(), f.SessionConfig(o, src.Dir, trust))
	if err == nil {
		err = Unreadable(ses.Problems())
	}
	if err != nil {
		_ = sys.Close() // never fails
		return nil, nil, err
	}
	if !o.Quiet {
		o.Warn(cmd, ses, f.Logs())
	}
	return sys, ses, nil
}

// Attach loads the modules of a session, if its dialect has any. A named module that cannot be
// loaded is an error: it may be a guard. The caller has to close the result.
func (f *SessionFlags) Attach(
	cmd *cobra.Command,
	ev pipeline.Declared,
	ses *pipeline.Session,
	host *Host,
) (*Attached, error) {
	d, err := systems.Named(ev.Info().Dialect)
	if err != nil || !d.Modules {
		return nil, err
	}
	src, err := f.Sources(d)
	if err != nil {
		return nil, err
	}
	a, err := f.OpenModules(cmd, src, ses, host)
	if err != nil {
		return nil, err
	}
	if len(f.ModuleFiles) > 0 && len(a.Failed) > 0 {
		a.End(cmd)
		return nil, errors.Join(
			lo.Map(
				a.Failed,
				func(e *xcsh.LoadError, _ int) error { return fmt.Errorf("--module %w%s", e, WhereThrown(e)) },
			)...)
	}
	a.event = ev.Info().Name
	return a, nil
}

// OpenModules loads the named modules or, if none is named, the modules that discovery finds.
func (f *SessionFlags) OpenModules(
	cmd *cobra.Command,
	src *Sources,
	ses *pipeline.Session,
	host *Host,
) (a *Attached, err error) {
	a, host.JS = &Attached{}, f.JS
	a.Modules = xcsh.New(ses, xcsh.Config{
		Extensions: src.Dialect.IsVariant(),
		Loaders:    []xcsh.ModuleLoader{host.Loader(ses.Dir(), a.wasTrusted)},
		Session:    SessionView{Ses: ses, Transcript: f.transcript},
		Log:        f.Log(cmd),
	})
	a.Initialize(host.Xcsh())
	if len(f.ModuleFiles) > 0 {
		err = a.loadNamed(cmd.Context(), f.ModuleFiles)
	} else {
		err = a.loadFound(cmd.Context(), src, &f.TrustFlags)
	}
	if err != nil {
		a.End(cmd)
		return nil, err
	}
	return a, nil
}

// Warn prints warnings about the settings, unless the engine has logged them, and about a recorded input.
func (o Opening) Warn(cmd *cobra.Command, ses *pipeline.Session, logged bool) {
	if !logged {
		for _, p := range ses.Problems() {
			cli.Warn(cmd, "%s", p)
		}
	}
	if recorded := wire.Object(o.Input).Text("hook_event_name"); recorded != "" && recorded != o.Event.Info().Name {
		cli.Warn(cmd, "the input names the event %s, but is read as an input of %s", recorded, o.Event.Info().Name)
	}
}

// SessionFlags holds the flags of verbs that open sessions: the settings, and facts that an agent would know. Each verb
// offers the flags that it supports.
type SessionFlags struct {
	SourceFlags
	TrustFlags

	ID         string
	transcript string
	Ask        bool
	Fleet      FleetFlags
}

// NewSessionFlags returns the session flags of a verb, which also uses the flags of the root command, global.
func NewSessionFlags(global *cli.Global) SessionFlags {
	return SessionFlags{SourceFlags: SourceFlags{Global: global}}
}

// AddHost adds the flags for facts that an agent would know.
func (f *SessionFlags) AddHost(to *pflag.FlagSet) {
	to.StringVar(&f.ID, "session", "", "Use `ID`, such as s-1, as the id of the session; default: the id in the input, else a random id")
	f.AddHostFlags(to)
}

// AddHostFlags adds the flags for facts that an agent would know, without the session's id.
func (f *SessionFlags) AddHostFlags(to *pflag.FlagSet) {
	to.StringVar(
		&f.transcript,
		"transcript",
		"",
		"Use `PATH`, such as t.jsonl, as the conversation's transcript; default: the path in the input",
	)
	to.BoolVar(
		&f.Interactive,
		"interactive",
		false,
		"Act as for an agent with a user: hooks run only in trusted projects, see snaphook trust --help",
	)
	to.BoolVar(
		&f.Trusted,
		"trusted",
		false,
		"Run the project's hooks even if they are not trusted: fire EVENT --interactive --trusted",
	)
	to.BoolVar(
		&f.Untrusted,
		"untrusted",
		false,
		"Run none of the project's hooks; for claude, with --interactive, no hooks at all: fire EVENT --interactive --untrusted",
	)
}

// SessionConfig returns the configuration of the session. If no flags set them, its id and transcript come
// from a recorded input.
func (f *SessionFlags) SessionConfig(o Opening, dir string, trust Trust) pipeline.SessionConfig {
	recorded, ask := wire.Object(o.Input), o.Ask
	return pipeline.SessionConfig{
		ID:          lo.CoalesceOrEmpty(f.ID, recorded.Text("session_id"), rand.Text()),
		Transcript:  lo.CoalesceOrEmpty(f.transcript, recorded.Text("transcript_path")),
		Dir:         dir,
		Untrusted:   trust.Untrusted,
		Undecided:   trust.Undecided,
		Interactive: f.Interactive,
		Finished:    o.Finished,
		State:       state.Home(),
		Ask:         ask,
		MayAsk:      func(h *hook.Hook) bool { return ask != nil && h.Type == "command" }, // the same for every input
	}
}

// Forget removes the hooks' state of a session that cannot be resumed because its id was random.
func (f *SessionFlags) Forget(ses *pipeline.Session, input []byte) { f.Forgetter(ses, input)() }

// Forgetter returns a function that does the same as Forget. The function does not keep the input in memory.
func (f *SessionFlags) Forgetter(ses *pipeline.Session, input []byte) func() {
	if f.ID != "" || wire.Object(input).Text("session_id") != "" {
		return func() {}
	}
	return func() {
		if kept, ok := ses.State().(interface{ Remove() error }); ok {
			_ = kept.Remove()
		}
	}
}
