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
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/state"
	"github.com/snaphook-go/snaphook/trust"
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

// Log returns the engine's logger. Without --verbose it logs only the engine's own errors, because the failures of
// hooks are in the answer and are printed once.
func (f *SourceFlags) Log(cmd *cobra.Command) *slog.Logger {
	return EngineLog(f.Global, cmd.ErrOrStderr())
}

// EngineLog returns a logger that writes lines of text to w: errors alone, or everything if --verbose or the
// environment asks for it.
func EngineLog(global *cli.Global, w io.Writer) *slog.Logger {
	level := slog.LevelError
	if global.Verbose || WantsDebug() {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// Logs reports whether the engine's whole log is printed.
func (f *SourceFlags) Logs() bool { return f.Verbose || WantsDebug() }

// WantsDebug reports whether the environment asks for the debug log: by SNAPHOOK_DEBUG, or by
// DEBUG=llxprt:core:hooks:* (L63).
func WantsDebug() bool {
	switch strings.ToLower(os.Getenv("SNAPHOOK_DEBUG")) {
	case "", "0", "false":
		return pipeline.WantsDebug(os.Getenv("DEBUG"))
	}
	return true
}

// Trust is the user's trust in a project. The project's own hooks run unless Untrusted is set, and the project's
// settings affect other hooks unless Undecided is set. If trust was granted, a hook of the project runs only if it is
// the same, byte by byte, as when trust was granted.
type Trust struct {
	Untrusted, Undecided bool
	Granted              map[string]*trust.Covered // granted files, by dialect
	Missed               map[string][]hook.Guard   // guards that existed when trust was granted, by dialect
}

// Guards returns the guards that existed when trust was granted. It ignores the directory, because the process has only
// one.
func (s Trust) Guards(string) map[string][]hook.Guard { return s.Missed }

// Miss adds the guards that one dialect had when trust was granted.
func (s *Trust) Miss(src *Sources, decided trust.Decisions) {
	if guards := decided.Guards(src.Dir)[src.Dialect.Name]; len(guards) > 0 {
		s.Missed = lo.Assign(s.Missed, map[string][]hook.Guard{src.Dialect.Name: guards})
	}
}

// WarnMissing reports guards that do not exist any more. It is for verbs that run hooks, but guard no action.
func WarnMissing(cmd *cobra.Command, src *Sources, missed map[string][]hook.Guard) error {
	if len(missed) == 0 {
		return nil
	}
	loaded, err := src.Load(cmd.Context(), pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return err
	}
	_, set, err := src.Policy.Project(src.Dir)
	if err != nil {
		return err
	}
	for _, g := range pipeline.Missing(missed, pipeline.Guards(src.Dir, loaded.Hooks, set))[src.Dialect.Name] {
		cli.Warn(cmd, "%s", MissingGuard(src.Dialect.Name, g))
	}
	return nil
}

// MissingGuard returns the message that a guard does not exist any more.
func MissingGuard(dialect string, g hook.Guard) string {
	return fmt.Sprintf("%s.%s: trust was granted with the guard %q, which a change has removed; the calls that it guarded are blocked. "+
		"`snaphook trust` shows the hooks, `snaphook trust grant` allows them", dialect, g.Event, cli.OneLine(g.Label))
}

// Wrap limits the hooks of the project to the files that trust was granted for; it returns nil
// without a grant.
func (s Trust) Wrap() func(*hook.Hook, hook.Runner) hook.Runner {
	if len(s.Granted) == 0 {
		return nil
	}
	return func(h *hook.Hook, r hook.Runner) hook.Runner {
		if covered := s.Granted[h.Dialect]; covered != nil {
			return covered.Wrap(h, r)
		}
		return r
	}
}

// WrapAs does the same as Wrap for hooks that the program has changed since it read them. read holds the original hooks
// by id; a changed hook is as trusted as its original.
func (s Trust) WrapAs(read map[string]*hook.Hook) func(*hook.Hook, hook.Runner) hook.Runner {
	wrap := s.Wrap()
	if wrap == nil {
		return nil
	}
	return func(h *hook.Hook, r hook.Runner) hook.Runner { return wrap(cmp.Or(read[h.ID], h), r) }
}

// Judge determines how far the project is trusted. It warns if trust was revoked, and if the hooks have changed since
// trust was granted.
func (f *SessionFlags) Judge(cmd *cobra.Command, src *Sources) (Trust, error) {
	switch {
	case f.Trusted && f.Untrusted:
		return Trust{}, errors.New("--trusted and --untrusted exclude each other; give one of them")
	case src.Dialect.Modules:
		return Trust{}, nil // modules are judged before they are loaded
	case src.Dialect.Headless && !f.Interactive:
		f.warnHeadless(cmd, src)
		stand := Trust{Untrusted: f.Untrusted, Undecided: !f.Trusted && !isVouched(cmd, src)}
		if !f.Trusted && !f.Untrusted {
			stand.Miss(src, Decisions(cmd))
		}
		return stand, nil
	case f.Trusted || f.Untrusted:
		return Trust{Untrusted: f.Untrusted, Undecided: f.Untrusted}, nil
	}
	st, err := TrustStatusOf(cmd.Context(), src)
	state := st.State
	none := lo.Ternary(src.Dialect.Headless, "no hook runs", "its own hooks do not run")
	switch {
	case err != nil:
		return Trust{}, fmt.Errorf("%w; or give --trusted or --untrusted", err)
	case state == trust.Untrusted:
		cli.Warn(cmd, "trust in %s was revoked; %s. `snaphook trust grant` allows them again", src.Dir, none)
	case state == trust.Changed:
		cli.Warn(cmd, "the hooks of %s, or scripts that they run, have changed since trust was granted; they do not run, and the actions "+
			"that they guard are blocked. `snaphook trust` shows them, `snaphook trust grant` allows them", src.Dir)
	}
	stand := Trust{
		Untrusted: state == trust.Untrusted || state == trust.Unknown && f.Interactive,
		Undecided: state != trust.Trusted,
	}
	stand.Miss(src, st.decided)
	switch state {
	case trust.Trusted:
		stand.Granted = map[string]*trust.Covered{src.Dialect.Name: st.covered[0]}
	case trust.Changed:
		// With an empty Covered, every hook of the project fails when it runs.
		stand.Granted = map[string]*trust.Covered{src.Dialect.Name: {}}
	}
	return stand, nil
}

// Decisions returns the user's decisions, for a verb that requires no trust but reports guards that were removed since
// trust was granted. It warns if the decisions cannot be read.
func Decisions(cmd *cobra.Command) trust.Decisions {
	store, err := trust.DefaultStore()
	if err != nil {
		return nil // there is no directory for decisions
	}
	all, err := store.Read(cmd.Context())
	if err != nil {
		cli.Warn(cmd, "%v; removed guards are therefore not noticed", err)
	}
	return all
}

// Workspace returns the Workspace of a fire with these flags for a dialect's settings. It prints nothing, and runs
// nothing. If the decisions cannot be read, the project counts as undecided; if the project cannot be compared with a
// decision, it counts as trusted. The fire itself reports both errors.
func (f *SessionFlags) Workspace(ctx context.Context, src *Sources) pipeline.Workspace {
	at := pipeline.Workspace{Dir: src.Dir, Interactive: f.Interactive}
	state := trust.Unknown
	switch decisionOf(ctx, src.Dir).State {
	case trust.Revoked:
		state = trust.Untrusted
	case trust.Granted:
		st, err := TrustStatusOf(ctx, src)
		if err != nil {
			return at
		}
		state = st.State
	}
	at.Undecided = state != trust.Trusted
	if !src.Dialect.Headless || f.Interactive {
		at.Untrusted = state == trust.Untrusted || state == trust.Unknown && f.Interactive
	}
	return at
}

// isVouched reports whether trust was granted to the project in its present state. It returns false at once if the
// project's settings affect only its own hooks.
func isVouched(cmd *cobra.Command, src *Sources) bool {
	if len(src.reaching()) == 0 {
		return false
	}
	st, err := TrustStatusOf(cmd.Context(), src)
	return err == nil && st.State == trust.Trusted
}

// warnHeadless warns that trust is not required because there is no user to ask.
func (f *SessionFlags) warnHeadless(cmd *cobra.Command, src *Sources) {
	switch {
	case f.Untrusted:
		cli.Warn(
			cmd,
			"--untrusted has no effect without --interactive: where there is no user to ask, all hooks of %s run",
			src.Dialect.Name,
		)
	case !f.Trusted && isRevokedFor(cmd.Context(), src.Dir):
		cli.Warn(
			cmd,
			"trust in %s was revoked, which counts only with --interactive: where there is no user to ask, all hooks of %s run",
			src.Dir,
			src.Dialect.Name,
		)
	}
}

// WarnUntrusted reports how many hooks of a plan do not run for lack of trust.
func WarnUntrusted(cmd *cobra.Command, event pipeline.Declared, plan stages.Planned, verb string) {
	n := lo.CountBy(plan.Skipped, func(s stages.Skipped) bool { return s.Reason == hook.Untrusted })
	if n == 0 {
		return
	}
	hooks := cli.Count(n, "hook")
	if d, err := systems.Named(event.Info().Dialect); err == nil && !d.Headless {
		hooks += " of this project"
	}
	cli.Warn(
		cmd,
		"%s %s run: the folder is not trusted; `snaphook trust` shows them, `snaphook trust grant` allows them",
		hooks,
		verb,
	)
}
