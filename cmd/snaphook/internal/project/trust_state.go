package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
)

// TrustStatus holds the facts on which trust depends.
type TrustStatus struct {
	Dir     string            `json:"dir"` // absolute, without symbolic links
	State   trust.State       `json:"state"`
	Since   *time.Time        `json:"time"`    // time of the decision
	Digests map[string]string `json:"digests"` // by dialect
	Hooks   []TrustHook       `json:"hooks"`   // all hooks of the project
	Reaches []string          `json:"reaches"` // other effects of the project's settings, in words

	Store   trust.Store
	covered []*trust.Covered
	Guards  map[string][]hook.Guard // present guards, by dialect
	decided trust.Decisions
}

// TrustHook is a hook with everything that trust in it covers.
type TrustHook struct {
	Event string `json:"event"`
	DescribedHook
	Scripts []trust.File `json:"scripts"`
	Unclear *string      `json:"unclear"` // why Scripts may not list all of the hook's files
}

// TrustStatusOf compares the settings with the decisions in the store.
func TrustStatusOf(ctx context.Context, all ...*Sources) (st TrustStatus, err error) {
	st.Digests, st.Guards = map[string]string{}, map[string][]hook.Guard{}
	for _, src := range all {
		if st.Dir, err = filepath.EvalSymlinks(src.Dir); err != nil {
			return st, err
		}
		if err := st.add(ctx, src); err != nil {
			return st, err
		}
	}
	if st.Store, err = trust.DefaultStore(); err != nil {
		return st, err
	}
	decisions, err := st.Store.Read(ctx)
	if err != nil {
		return st, err
	}
	st.Judge(decisions)
	return st, nil
}

// add adds the hooks that the project has for one dialect.
func (st *TrustStatus) add(ctx context.Context, src *Sources) error {
	loaded, err := src.Load(ctx, pipeline.Workspace{Dir: src.Dir})
	if err != nil {
		return err
	}
	if err := Unreadable(loaded.Problems); err != nil {
		return err
	}
	reaching := src.reaching()
	covered, err := trust.Cover(ctx, st.Dir, projectHooks(loaded), trust.Options{
		Reaching: reaching, Policy: src.covered(),
		Files: func(ctx context.Context, h *hook.Hook) ([]string, error) {
			if h.Type != systems.ModuleType {
				return nil, nil
			}
			return moduleFiles(ctx, below(st.Dir, h.Command))
		},
	})
	if err != nil {
		return err
	}
	st.covered = append(st.covered, covered)
	st.Digests[src.Dialect.TrustName()] = covered.Digest
	maps.Copy(st.Guards, covered.Guards)
	if words := "changes the policy of hooks: " + covered.Overlay; covered.Overlay != "" && !slices.Contains(st.Reaches, words) {
		st.Reaches = append(st.Reaches, words)
	}
	if src.Idle() && len(st.covered) > 1 {
		return nil // the files belong to another system, which lists their hooks
	}
	for _, h := range covered.Hooks {
		st.Hooks = append(
			st.Hooks,
			TrustHook{h.Dialect + "." + h.Event, Describe(h.Hook), h.Files, lo.EmptyableToPtr(h.Unclear)},
		)
	}
	return st.reach(ctx, src, loaded.Hooks, reaching)
}

// reach lists the effects of the project's settings beyond its own hooks.
func (st *TrustStatus) reach(ctx context.Context, src *Sources, trusted []*hook.Hook, reaching []string) error {
	if len(reaching) == 0 {
		return nil
	}
	alone, err := src.Load(ctx, pipeline.Workspace{Dir: src.Dir, Undecided: true})
	if err != nil {
		return err
	}
	st.Reaches = append(st.Reaches, differences(alone.Hooks, trusted)...)
	for _, setting := range reaching {
		if !strings.HasPrefix(setting, "hooks: ") {
			st.Reaches = append(st.Reaches, "sets, for the hooks of all levels, "+setting)
		}
	}
	return nil
}

// differences compares the hooks of other levels with and without the project's settings, and describes each hook that
// runs in only one of the two cases.
func differences(without, with []*hook.Hook) (words []string) {
	trusted := lo.KeyBy(with, func(h *hook.Hook) string { return h.Dialect + "/" + h.ID })
	for _, h := range without {
		other := trusted[h.Dialect+"/"+h.ID]
		if systems.IsProjects(h.Source) || other == nil || (h.Skip == "") == (other.Skip == "") {
			continue
		}
		verb := lo.Ternary(h.Skip == "", "switches off", "switches on")
		words = append(
			words,
			fmt.Sprintf("%s the %s's hook %s of %s.%s", verb, h.Source, cli.OneLine(h.Label()), h.Dialect, h.Event),
		)
	}
	return words
}

// check returns an error for a file of the project that trust does not cover.
func (st *TrustStatus) check(path string, text []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(st.Dir, real); err != nil || !filepath.IsLocal(rel) {
		return nil // a file of the user
	}
	return errors.Join(lo.Map(st.covered, func(c *trust.Covered, _ int) error { return c.Check(path, text) })...)
}

// below returns the absolute path of a module. path is the path of its hook, which may be relative to dir.
func below(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Judge compares the status with the user's decision.
func (st *TrustStatus) Judge(all trust.Decisions) {
	st.State, st.decided = all.State(st.Dir, st.Digests), all
	if d, decided := all[st.Dir]; decided {
		st.Since = &d.Time
	}
}

// isRevokedFor reports whether a decision against dir is on record. It returns false if the store cannot be read,
// because its callers require no trust.
func isRevokedFor(ctx context.Context, dir string) bool {
	return decisionOf(ctx, dir).State == trust.Revoked
}

// decisionOf returns the decision about a directory. It returns the zero Decision before the user has
// decided, and if the store cannot be read.
func decisionOf(ctx context.Context, dir string) trust.Decision {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return trust.Decision{}
	}
	store, err := trust.DefaultStore()
	if err != nil {
		return trust.Decision{}
	}
	all, err := store.Read(ctx)
	if err != nil {
		return trust.Decision{}
	}
	return all[path]
}

// compact returns the JSON text of a value without white space.
func compact(v settings.Value) string {
	text := slices.Clone(v.JSON())
	_ = text.Compact() // this cannot fail: the text was parsed before
	return string(text)
}
