package project

import (
	"errors"
	"fmt"

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

// Sources returns the sources of settings for an event's dialect. It assigns all files that the flags name to this
// dialect.
func (f *SourceFlags) Sources(d *systems.Dialect) (*Sources, error) {
	return f.SourcesGiven(
		d,
		systems.Given{
			Replaces: len(f.Settings) > 0, Settings: f.Settings, Level: f.level, Profile: f.profile,
			Extensions: f.extensions, Plugins: f.plugins, Modules: f.ModuleFiles, Options: f.options,
		},
	)
}

// SourcesGiven returns the sources of settings for a dialect. The settings in g replace the settings that the flags
// name.
func (f *SourceFlags) SourcesGiven(d *systems.Dialect, g systems.Given) (*Sources, error) {
	if len(g.Modules) > 0 && !d.Modules {
		return nil, fmt.Errorf(
			"--module %s: %s has no modules; leave the flag out, or name an event of %s",
			g.Modules[0],
			d.Name,
			systems.Xcsh.Name,
		)
	}
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	level, err := d.LevelNamed(g.Level)
	if err != nil {
		return nil, err
	}
	if err := d.ProfileNamed(g.Profile); err != nil {
		return nil, err
	}
	layers, err := g.Named(d)
	if err != nil {
		return nil, err
	}
	passed := g.FindProfile(d, dir, layers)
	if layers == nil {
		layers = d.Found(dir, g.Profile)
	}
	more, err := d.Added(g)
	if err != nil {
		return nil, err
	}
	options, err := d.PluginOptions(g.Options)
	if err != nil {
		return nil, err
	}
	rules, err := f.PolicySource(dir)
	if err != nil {
		return nil, err
	}
	return &Sources{
		Policy:  rules.Once(dir),
		Dialect: d,
		Dir:     dir,
		Layers:  layers,
		Load: systems.Passing(d.Load(systems.Origins{
			Layers: layers, Added: more, Level: level, Profile: g.Profile, Modules: g.Modules, Options: options,
		}), passed),
	}, nil
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
