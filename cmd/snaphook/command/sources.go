package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// dialectSources describes the settings of one dialect for one directory.
type dialectSources struct {
	dialect *dialect
	dir     string // absolute
	layers  []settings.Layer
	load    pipeline.Load
	policy  policy.Source // read once: trust checks the bytes that are used
}

// idle reports whether all existing files belong to another system.
func (src *dialectSources) idle() bool {
	borrows := src.dialect.borrows
	return borrows != nil && len(src.layers) > 0 && lo.EveryBy(src.layers, borrows)
}

// covered returns where trust reads the project's overlay. A file of the project that --policy
// names replaces the overlay; a file from elsewhere is the user's.
func (src *dialectSources) covered() *policy.Source {
	if policy.IsProjects(src.dir, src.policy.Files[policy.Project]) {
		return &src.policy
	}
	return nil
}

// given holds the settings that the command line names for a dialect.
type given struct {
	replaces bool     // there are files that replace the discovered ones
	settings []string // [LAYER=]FILE
	level    string
	profile  string

	extensions, plugins []string
	modules             []string
	options             []string // NAME.KEY=VALUE, options of plugins
}

// sources returns the sources of settings for an event's dialect; all given files are for this
// dialect.
func (f *sourceFlags) sources(d *dialect) (*dialectSources, error) {
	return f.sourcesOf(
		d,
		given{len(f.settings) > 0, f.settings, f.level, f.profile, f.extensions, f.plugins, f.modules, f.options},
	)
}

func (f *sourceFlags) sourcesOf(d *dialect, g given) (*dialectSources, error) {
	if len(g.modules) > 0 && !d.modules {
		return nil, fmt.Errorf(
			"--module %s: %s has no modules; leave the flag out, or name an event of %s",
			g.modules[0],
			d.Name,
			xcshRow.Name,
		)
	}
	dir, err := f.Directory()
	if err != nil {
		return nil, err
	}
	level, err := d.levelNamed(g.level)
	if err != nil {
		return nil, err
	}
	if err := d.profileNamed(g.profile); err != nil {
		return nil, err
	}
	layers, err := g.named(d)
	if err != nil {
		return nil, err
	}
	passed := g.findProfile(d, dir, layers)
	if layers == nil {
		layers = d.found(dir, g.profile)
	}
	more, err := d.added(g)
	if err != nil {
		return nil, err
	}
	options, err := d.pluginOptions(g.options)
	if err != nil {
		return nil, err
	}
	rules, err := f.policySource(dir)
	if err != nil {
		return nil, err
	}
	return &dialectSources{
		policy:  rules.Once(dir),
		dialect: d,
		dir:     dir,
		layers:  layers,
		load:    passing(d.load(origins{layers, more, level, g.profile, g.modules, nil, options}), passed),
	}, nil
}

// findProfile sets the profile, and returns a Load that reports the settings of other profiles.
func (g *given) findProfile(d *dialect, dir string, layers []settings.Layer) (passed pipeline.Load) {
	if g.profile == "" && d.find != nil {
		g.profile, passed = d.find(dir, layers)
	}
	return passed
}

// passing joins load and passed, which may be nil.
func passing(load, passed pipeline.Load) pipeline.Load {
	if passed == nil {
		return load
	}
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		if err != nil {
			return loaded, err
		}
		more, err := passed(ctx, at)
		loaded.Problems = append(more.Problems, loaded.Problems...)
		loaded.Hooks = append(loaded.Hooks, more.Hooks...)
		return loaded, err
	}
}

// found returns the existing layers of a directory, with paths as short as possible.
func (d *dialect) found(dir, profile string) []settings.Layer {
	return lo.FilterMap(d.discover(dir, profile), func(l settings.Layer, _ int) (settings.Layer, bool) {
		l.File = cli.ShortPath(l.File)
		return once(l)
	})
}

// named returns the layers of --settings; nil if there are none.
func (g given) named(d *dialect) ([]settings.Layer, error) {
	if !g.replaces {
		return nil, nil
	}
	layers := []settings.Layer{} // not nil: nil would search for files
	for _, value := range g.settings {
		layer, err := d.layer(value)
		if err != nil {
			return nil, err
		}
		if layer, found := once(layer); found {
			layers = append(layers, layer)
		}
	}
	return layers, nil
}

// once reads the file of a layer, so that hooks run from the same text for which trust was looked
// up: the file may change, or appear, at any time. The reader of settings reports an unreadable
// file.
func once(l settings.Layer) (layer settings.Layer, found bool) {
	text, found, err := l.Text()
	if err == nil {
		l.Data = text
	}
	return l, found
}

// projectHooks returns the hooks of the directory itself.
func projectHooks(loaded pipeline.Loaded) []*hook.Hook {
	return lo.Filter(loaded.Hooks, func(h *hook.Hook, _ int) bool { return isProjects(h.Source) })
}

// isProjects reports whether a source lies in the project's directory.
func isProjects(s hook.Source) bool { return s == hook.Project || s == hook.Local }

// unreadable returns one error for the settings files that are useless as a whole, or nil.
func unreadable(problems []settings.Problem) error {
	var errs []error
	for _, p := range lo.Uniq(problems) { // layers may share a file
		if p.Fatal {
			errs = append(errs, p)
		}
	}
	return errors.Join(errs...)
}
