package command

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
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/state"
	"github.com/snaphook-go/snaphook/trust"
	"github.com/snaphook-go/snaphook/warm"
	"github.com/snaphook-go/snaphook/wire"
)

// opening describes the purpose of a session.
type opening struct {
	event    pipeline.Declared
	input    []byte
	observe  []pipeline.Observer
	warm     pipeline.Warmer
	finished func(pipeline.Finished) // may be nil
	quiet    bool                    // problems of the settings have been reported
	ask      func(context.Context, *hook.Hook, hook.Question) (string, bool)
}

// session opens a session for the flags, on settings that can be read, and prints warnings about
// them. The caller has to close the system.
func (f *sessionFlags) session(cmd *cobra.Command, o opening) (*pipeline.System, *pipeline.Session, error) {
	d, err := dialectNamed(o.event.Info().Dialect)
	if err != nil {
		return nil, nil, err
	}
	src, err := f.sources(d)
	if err != nil {
		return nil, nil, err
	}
	return f.sessionOf(cmd, src, o)
}

// sessionOf does the same as session, for the settings of one system.
func (f *sessionFlags) sessionOf(
	cmd *cobra.Command, src *dialectSources, o opening,
) (*pipeline.System, *pipeline.Session, error) {
	trust, err := f.judge(cmd, src)
	if err != nil {
		return nil, nil, err
	}
	remote, err := f.fleet.load()
	if err != nil {
		return nil, nil, err
	}
	sys := pipeline.NewSystem(
		pipeline.Config{
			Load:        append([]pipeline.Load{src.load}, remote...),
			Log:         f.log(cmd),
			Observe:     o.observe,
			ObserveIdle: len(o.observe) > 0,
			Policy:      src.policy,
			Warm:        cmp.Or[pipeline.Warmer](o.warm, workersAlone{warm.New(warm.Config{Log: f.log(cmd)})}),
			Wrap:        trust.wrap(),
			Granted:     trust.guards,
		},
	)
	ses, err := sys.NewSession(cmd.Context(), f.config(o, src.dir, trust))
	if err == nil {
		err = unreadable(ses.Problems())
	}
	if err != nil {
		_ = sys.Close() // never fails
		return nil, nil, err
	}
	if !o.quiet {
		o.warn(cmd, ses, f.logs())
	}
	return sys, ses, nil
}

// warn prints warnings about the settings, unless the engine has logged them, and about a recorded input.
func (o opening) warn(cmd *cobra.Command, ses *pipeline.Session, logged bool) {
	if !logged {
		for _, p := range ses.Problems() {
			cli.Warn(cmd, "%s", p)
		}
	}
	if recorded := wire.Object(o.input).Text("hook_event_name"); recorded != "" && recorded != o.event.Info().Name {
		cli.Warn(cmd, "the input is one of %s; it is taken for one of %s", recorded, o.event.Info().Name)
	}
}

// config returns the configuration of the session. If no flags set them, its id and transcript come
// from a recorded input.
func (f *sessionFlags) config(o opening, dir string, trust projectTrust) pipeline.SessionConfig {
	recorded, ask := wire.Object(o.input), o.ask
	return pipeline.SessionConfig{
		ID:          lo.CoalesceOrEmpty(f.id, recorded.Text("session_id"), rand.Text()),
		Transcript:  lo.CoalesceOrEmpty(f.transcript, recorded.Text("transcript_path")),
		Dir:         dir,
		Untrusted:   trust.untrusted,
		Undecided:   trust.undecided,
		Interactive: f.interactive,
		Finished:    o.finished,
		State:       state.Home(),
		Ask:         ask,
		MayAsk:      func(h *hook.Hook) bool { return ask != nil && h.Type == "command" }, // without the input
	}
}

// log returns the engine's logger. The answer has the failures, which are printed once: without
// --verbose only the engine's own errors are logged.
func (f *sourceFlags) log(cmd *cobra.Command) *slog.Logger {
	return engineLog(f.Global, cmd.ErrOrStderr())
}

func engineLog(global *cli.Global, w io.Writer) *slog.Logger {
	level := slog.LevelError
	if global.Verbose || wantsDebug() {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// logs reports whether the engine's whole log is printed.
func (f *sourceFlags) logs() bool { return f.Verbose || wantsDebug() }

// wantsDebug reports whether the environment asks for the debug log: by our own variable, or by
// DEBUG=llxprt:core:hooks:* (L63).
func wantsDebug() bool {
	switch strings.ToLower(os.Getenv("SNAPHOOK_DEBUG")) {
	case "", "0", "false":
		return pipeline.WantsDebug(os.Getenv("DEBUG"))
	}
	return true
}

// projectTrust is the user's trust in a project. Its own hooks run unless it is untrusted, and its
// settings affect other hooks unless the user has not decided. The hooks that run are the ones that
// trust was granted for, byte by byte.
type projectTrust struct {
	untrusted, undecided bool
	granted              map[string]*trust.Covered // granted files, by dialect
	missed               map[string][]hook.Guard   // guards that existed when trust was granted, by dialect
}

// guards returns the guards that existed when trust was granted, for the only directory of the
// process.
func (s projectTrust) guards(string) map[string][]hook.Guard { return s.missed }

// miss adds the guards that one dialect had when trust was granted.
func (s *projectTrust) miss(src *dialectSources, decided trust.Decisions) {
	if guards := decided.Guards(src.dir)[src.dialect.Name]; len(guards) > 0 {
		s.missed = lo.Assign(s.missed, map[string][]hook.Guard{src.dialect.Name: guards})
	}
}

// warnMissing reports guards that do not exist any more, for a verb that runs hooks and guards
// nothing.
func warnMissing(cmd *cobra.Command, src *dialectSources, missed map[string][]hook.Guard) error {
	if len(missed) == 0 {
		return nil
	}
	loaded, err := src.load(cmd.Context(), pipeline.Workspace{Dir: src.dir})
	if err != nil {
		return err
	}
	_, set, err := src.policy.Project(src.dir)
	if err != nil {
		return err
	}
	for _, g := range pipeline.Missing(missed, pipeline.Guards(src.dir, loaded.Hooks, set))[src.dialect.Name] {
		cli.Warn(cmd, "%s", missing(src.dialect.Name, g))
	}
	return nil
}

// missing returns the message that a guard does not exist any more.
func missing(dialect string, g hook.Guard) string {
	return fmt.Sprintf("%s.%s: trust was granted with the guard %q, which a change has removed; its calls are blocked. "+
		"`snaphook trust` shows the hooks, `snaphook trust grant` allows them", dialect, g.Event, cli.OneLine(g.Label))
}

// wrap limits the hooks of the project to the files that trust was granted for; it returns nil
// without a grant.
func (s projectTrust) wrap() func(*hook.Hook, hook.Runner) hook.Runner {
	if len(s.granted) == 0 {
		return nil
	}
	return func(h *hook.Hook, r hook.Runner) hook.Runner {
		if covered := s.granted[h.Dialect]; covered != nil {
			return covered.Wrap(h, r)
		}
		return r
	}
}

// wrapAs does the same as wrap for hooks that have been changed since they were read: they are as
// trusted as the original hooks.
func (s projectTrust) wrapAs(read map[string]*hook.Hook) func(*hook.Hook, hook.Runner) hook.Runner {
	wrap := s.wrap()
	if wrap == nil {
		return nil
	}
	return func(h *hook.Hook, r hook.Runner) hook.Runner { return wrap(cmp.Or(read[h.ID], h), r) }
}

// judge determines how far the project is trusted, and reports a revoked decision.
func (f *sessionFlags) judge(cmd *cobra.Command, src *dialectSources) (projectTrust, error) {
	switch {
	case f.trusted && f.untrusted:
		return projectTrust{}, errors.New("--trusted and --untrusted exclude each other; give one of them")
	case src.dialect.modules:
		return projectTrust{}, nil // modules are judged before they are loaded
	case src.dialect.headless && !f.interactive:
		f.warnHeadless(cmd, src)
		stand := projectTrust{untrusted: f.untrusted, undecided: !f.trusted && !isVouched(cmd, src)}
		if !f.trusted && !f.untrusted {
			stand.miss(src, decisions(cmd))
		}
		return stand, nil
	case f.trusted || f.untrusted:
		return projectTrust{untrusted: f.untrusted, undecided: f.untrusted}, nil
	}
	st, err := standing(cmd.Context(), src)
	state := st.State
	none := lo.Ternary(src.dialect.headless, "no hook runs", "its own hooks do not run")
	switch {
	case err != nil:
		return projectTrust{}, fmt.Errorf("%w; or say --trusted or --untrusted", err)
	case state == trust.Untrusted:
		cli.Warn(cmd, "trust in %s was revoked; %s. `snaphook trust grant` allows them again", src.dir, none)
	case state == trust.Changed:
		cli.Warn(cmd, "the hooks of %s, or scripts that they run, have changed since trust was granted; they do not run, and the actions "+
			"that they guard are blocked. `snaphook trust` shows them, `snaphook trust grant` allows them", src.dir)
	}
	stand := projectTrust{
		untrusted: state == trust.Untrusted || state == trust.Unknown && f.interactive,
		undecided: state != trust.Trusted,
	}
	stand.miss(src, st.decided)
	switch state {
	case trust.Trusted:
		stand.granted = map[string]*trust.Covered{src.dialect.Name: st.covered[0]}
	case trust.Changed:
		stand.granted = map[string]*trust.Covered{src.dialect.Name: {}} // no covered files: a change switches off no guard
	}
	return stand, nil
}

// decisions returns the user's decisions where trust is not required: guards that existed when
// trust was granted are reported there too.
func decisions(cmd *cobra.Command) trust.Decisions {
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

// workspace returns the Workspace of a fire with these flags for a dialect's settings. It prints
// nothing, and runs nothing. An unreadable store is an error of the fire; here the project is
// treated as trusted.
func (f *sessionFlags) workspace(ctx context.Context, src *dialectSources) pipeline.Workspace {
	at := pipeline.Workspace{Dir: src.dir, Interactive: f.interactive}
	state := trust.Unknown
	switch decisionOf(ctx, src.dir).State {
	case trust.Revoked:
		state = trust.Untrusted
	case trust.Granted:
		st, err := standing(ctx, src)
		if err != nil {
			return at
		}
		state = st.State
	}
	at.Undecided = state != trust.Trusted
	if !src.dialect.headless || f.interactive {
		at.Untrusted = state == trust.Untrusted || state == trust.Unknown && f.interactive
	}
	return at
}

// isVouched reports whether trust was granted to the project in its present state. It is called
// only where the project's settings could affect more than its hooks.
func isVouched(cmd *cobra.Command, src *dialectSources) bool {
	if len(src.reaching()) == 0 {
		return false
	}
	st, err := standing(cmd.Context(), src)
	return err == nil && st.State == trust.Trusted
}

// warnHeadless warns that trust is not required because there is no user to ask.
func (f *sessionFlags) warnHeadless(cmd *cobra.Command, src *dialectSources) {
	switch {
	case f.untrusted:
		cli.Warn(
			cmd,
			"--untrusted has no effect without --interactive: where there is no user to ask, all hooks of %s run",
			src.dialect.Name,
		)
	case !f.trusted && isRevokedFor(cmd.Context(), src.dir):
		cli.Warn(
			cmd,
			"trust in %s was revoked, which counts only with --interactive: where there is no user to ask, all hooks of %s run",
			src.dir,
			src.dialect.Name,
		)
	}
}

// warnUntrusted reports how many hooks of a plan do not run for lack of trust.
func warnUntrusted(cmd *cobra.Command, event pipeline.Declared, plan stages.Planned, verb string) {
	n := lo.CountBy(plan.Skipped, func(s stages.Skipped) bool { return s.Reason == hook.Untrusted })
	if n == 0 {
		return
	}
	hooks := cli.Count(n, "hook")
	if d, err := dialectNamed(event.Info().Dialect); err == nil && !d.headless {
		hooks += " of this project"
	}
	cli.Warn(
		cmd,
		"%s %s run: the folder is not trusted; `snaphook trust` shows them, `snaphook trust grant` allows them",
		hooks,
		verb,
	)
}
