package project

import (
	"errors"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// Sources describes the settings of one dialect for one directory.
type Sources struct {
	Dialect *systems.Dialect
	Dir     string // absolute
	Layers  []settings.Layer
	Load    pipeline.Load
	Policy  policy.Source // read once: trust checks the bytes that are used
}

// Idle reports whether all existing files belong to another system.
func (src *Sources) Idle() bool {
	borrows := src.Dialect.Borrows
	return borrows != nil && len(src.Layers) > 0 && lo.EveryBy(src.Layers, borrows)
}

// covered returns the policy from which trust reads the project's overlay; nil if the project has none. A file of the
// project that --policy names replaces the overlay; a file from elsewhere is the user's, and trust does not cover it.
func (src *Sources) covered() *policy.Source {
	if policy.IsProjects(src.Dir, src.Policy.Files[policy.Project]) {
		return &src.Policy
	}
	return nil
}

// reaching returns the project's own settings that affect more than its own hooks.
func (src *Sources) reaching() (found []string) {
	for _, layer := range src.Layers {
		if !systems.IsProjects(layer.Source) {
			continue
		}
		root, _, err := layer.Read()
		if err != nil {
			continue // loading reports the error
		}
		for _, path := range src.Dialect.Reaching {
			v := lo.Reduce(path, func(v settings.Value, name string, _ int) settings.Value { return v.Get(name) }, root)
			if v.Exists() {
				found = append(found, strings.Join(path, ".")+": "+compact(v))
			}
		}
	}
	return found
}

// projectHooks returns the hooks of the directory itself.
func projectHooks(loaded pipeline.Loaded) []*hook.Hook {
	return lo.Filter(loaded.Hooks, func(h *hook.Hook, _ int) bool { return systems.IsProjects(h.Source) })
}

// Unreadable returns one error for the settings files that are useless as a whole, or nil.
func Unreadable(problems []settings.Problem) error {
	var errs []error
	for _, p := range lo.Uniq(problems) { // layers may share a file
		if p.Fatal {
			errs = append(errs, p)
		}
	}
	return errors.Join(errs...)
}
