package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/stages"
	"github.com/snaphook-go/snaphook/trust"
)

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

// TrustFlags holds the flags that decide whether the hooks of a project run: with a user they need the user's trust,
// which a flag can grant or refuse for one run.
type TrustFlags struct {
	Interactive bool
	Trusted     bool
	Untrusted   bool
}

// Judge determines how far the project is trusted. It warns if trust was revoked, and if the hooks have changed since
// trust was granted.
func (f *TrustFlags) Judge(cmd *cobra.Command, src *Sources) (Trust, error) {
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
func (f *TrustFlags) warnHeadless(cmd *cobra.Command, src *Sources) {
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

// Workspace returns the Workspace of a fire with these flags for a dialect's settings. It prints nothing, and runs
// nothing. If the decisions cannot be read, the project counts as undecided; if the project cannot be compared with a
// decision, it counts as trusted. The fire itself reports both errors.
func (f *TrustFlags) Workspace(ctx context.Context, src *Sources) pipeline.Workspace {
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

// KeepBack determines which of the project's modules must not be loaded: all or none. Loading a module runs it, even if
// it has no handler. Loading therefore needs an explicit decision for the project: a project without a decision loads
// none.
func (f *TrustFlags) KeepBack(ctx context.Context, src *Sources, a *Attached) error {
	if f.Trusted {
		return nil
	}
	loaded, err := src.Load(ctx, pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return err
	}
	own := projectHooks(loaded)
	if f.Untrusted {
		a.Kept, a.why = own, "--untrusted was given"
		return nil
	}
	if len(own) == 0 && decisionOf(ctx, src.Dir).Digests[src.Dialect.TrustName()] == "" {
		return nil // the project has no modules now, and had none when trust was granted
	}
	st, err := TrustStatusOf(ctx, src)
	if err != nil {
		return fmt.Errorf("%w; or give --trusted or --untrusted", err)
	}
	a.Swapped = st.State == trust.Changed
	if st.State == trust.Trusted {
		a.Check = st.check
		return nil
	}
	a.Kept, a.why = own, keptBack[st.State]
	return nil
}

var keptBack = map[trust.State]string{
	trust.Unknown:   "the folder is not trusted",
	trust.Untrusted: "trust in the folder was revoked",
	trust.Changed:   "they, or files that they import, have changed since trust was granted",
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
