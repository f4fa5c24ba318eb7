package systems

import (
	"context"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Given holds the settings that the command line names for a dialect.
type Given struct {
	Replaces bool     // the named files replace the discovered ones
	Settings []string // [LAYER=]FILE
	Level    string
	Profile  string

	Extensions, Plugins []string
	Modules             []string
	Options             []string // NAME.KEY=VALUE, options of plugins
}

// FindProfile sets the profile if none was named, and returns a Load that reports the settings of other profiles.
func (g *Given) FindProfile(d *Dialect, dir string, layers []settings.Layer) (passed pipeline.Load) {
	if g.Profile == "" && d.Find != nil {
		g.Profile, passed = d.Find(dir, layers)
	}
	return passed
}

// Passing joins load and passed; passed may be nil.
func Passing(load, passed pipeline.Load) pipeline.Load {
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

// Named returns the layers of --settings; nil if no file replaces the discovered ones.
func (g Given) Named(d *Dialect) ([]settings.Layer, error) {
	if !g.Replaces {
		return nil, nil
	}
	layers := []settings.Layer{} // not nil: for nil, the loader would search for files
	for _, value := range g.Settings {
		layer, err := d.Layer(value)
		if err != nil {
			return nil, err
		}
		if layer, found := ReadOnce(layer); found {
			layers = append(layers, layer)
		}
	}
	return layers, nil
}

// ReadOnce reads the file of a layer, so that hooks run from the same text for which trust was looked
// up: the file may change, or appear, at any time. The reader of settings reports an unreadable
// file.
func ReadOnce(l settings.Layer) (layer settings.Layer, found bool) {
	text, found, err := l.Text()
	if err == nil {
		l.Data = text
	}
	return l, found
}

// IsProjects reports whether a source lies in the project's directory.
func IsProjects(s hook.Source) bool { return s == hook.Project || s == hook.Local }
