package command

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/portable"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// dialect describes a hook system to the command line.
type dialect struct {
	*pipeline.Dialect
	supports string   // the supported part of the system
	levels   []string // the values of --level, the default first; nil: there is only one level
	profiles []string // the values of --profile; nil: none

	// find returns the profile for a directory, or for the given files in place of its own, and a
	// Load that names the settings of other profiles.
	find func(dir string, layers []settings.Layer) (profile string, passed pipeline.Load)

	// borrows reports whether a layer is a file of another system that this one reads too. Verbs
	// that look at all dialects do not list the hooks of a dialect all of whose files are borrowed.
	// Nil means that it borrows none.
	borrows func(settings.Layer) bool

	marks  []string               // directories and files that only this dialect has
	layers map[string]hook.Source // the layer names that --settings accepts
	strict bool                   // settings are JSON without comments

	// format returns the Format of a file of --settings that is not JSON; nil: all files are JSON.
	format func(file string) func([]byte) (settings.Converted, error)

	// inFull means that its events are found by their full names alone, because an older dialect
	// has events of the same names.
	inFull bool

	// the name of the effect with the variables that hooks exported; "" means env
	exports  string
	discover func(dir, profile string) []settings.Layer
	load     func(origins) pipeline.Load

	adds    addition // a further source of hooks
	modules bool     // modules can subscribe to the events; see modules.go

	// headless means that without --interactive every hook runs: where there is no user to ask, the
	// user who starts the program has agreed.
	headless bool
	asks     bool // a running hook can ask the user

	// traits returns the types of hooks that an event runs, and who gets the
	// text of a refusal: "model", "user" or "".
	traits func(event string) (types []string, told string)

	// portable describes the system, and those of its profiles, beside the other systems; nil: it has no
	// settings with hooks.
	portable func() []portable.System

	// toolGate is the event before a tool runs, and writers lists the tools that change files or
	// run commands.
	toolGate string
	writers  []string
	example  string // an input of toolGate

	// callMembers holds the names of a tool and of its arguments in the input of toolGate, if they are not tool_name
	// and tool_input.
	callMembers [2]string

	// reaching lists the members of a project's settings that affect more than its own hooks: trust
	// covers them too.
	reaching [][]string
}

// origins describes where the hooks of a dialect come from.
type origins struct {
	layers     []settings.Layer
	added      []added
	level      string                    // one of the dialect's levels
	profile    string                    // one of its profiles; empty if it has none
	modules    []string                  // paths of modules that replace the discovered ones
	fixtureEnv *fixtureEnv               // nil: the environment of the process
	options    map[string]map[string]any // options of plugins, by name
}

var dialects = []*dialect{&llxprtRow, &claudeRow, &codexRow, &copilotRow, &cursorRow, &xcshRow, &extensionRow}

// mainDialects returns the dialects that are not variants of another.
func mainDialects() []*dialect {
	return lo.Reject(dialects, func(d *dialect, _ int) bool { return d.isVariant() })
}

// knownEvents returns the events of the command line's dialects. Linked packages may declare
// others, for programs.
func knownEvents() []pipeline.Declared {
	return lo.Filter(pipeline.Events(nil), func(e pipeline.Declared, _ int) bool {
		return slices.Contains(dialectNames(), e.Info().Dialect)
	})
}

func dialectNames() []string {
	return lo.Map(dialects, func(d *dialect, _ int) string { return d.Name })
}

func dialectNamed(name string) (*dialect, error) {
	for _, d := range dialects {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no dialect %q; write one of: %s", name, strings.Join(dialectNames(), ", "))
}

// layerNames returns the layer names that --settings accepts, in the order of sources.
func (d *dialect) layerNames() []string {
	order := []string{"project", "user", "system", "local", "flag", "managed"}
	return slices.SortedFunc(
		maps.Keys(d.layers),
		func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) },
	)
}

// layerOf splits [LAYER=]FILE. A file whose path has a "=" in its first element has to begin with
// "./".
func layerOf(value string) (name, file string) {
	name, file, named := strings.Cut(value, "=")
	if !named || strings.ContainsRune(filepath.ToSlash(name), '/') {
		return "project", value
	}
	return name, file
}

// layer reads one [LAYER=]FILE of --settings.
func (d *dialect) layer(value string) (settings.Layer, error) {
	if d.modules {
		return settings.Layer{}, fmt.Errorf(
			"--settings %s: %s has no settings with hooks; name its modules with --module",
			value,
			d.Name,
		)
	}
	name, file := layerOf(value)
	source, known := d.layers[name]
	if !known {
		return settings.Layer{}, noLayer(value, name, d.layerNames())
	}
	if err := cli.WantFile(file); err != nil {
		return settings.Layer{}, fmt.Errorf("--settings %s: %w", value, err)
	}
	layer := settings.Layer{Name: name, Source: source, File: file, Strict: d.strict}
	if d.format != nil {
		layer.Format = d.format(file)
	}
	return layer, nil
}

func noLayer(value, name string, names []string) error {
	return fmt.Errorf(
		"--settings %s: there is no layer %q; write one of %s before the \"=\", or ./ if it is part of the file's name",
		value,
		name,
		strings.Join(names, ", "),
	)
}

// levelNamed returns the level of that name; the default if name is empty.
func (d *dialect) levelNamed(name string) (string, error) {
	switch {
	case name == "" && len(d.levels) > 0:
		return d.levels[0], nil
	case name == "" || slices.Contains(d.levels, name):
		return name, nil
	case len(d.levels) == 0:
		return "", fmt.Errorf("--level %s: %s has no levels; leave the flag out", name, d.Name)
	}
	return "", fmt.Errorf(
		"--level %s: %s has no such level; write one of: %s",
		name,
		d.Name,
		strings.Join(d.levels, ", "),
	)
}

// profileNamed returns an error for a profile that the dialect does not have. An empty name, which
// means the found profile, is valid.
func (d *dialect) profileNamed(name string) error {
	switch {
	case name == "" || slices.Contains(d.profiles, name):
		return nil
	case len(d.profiles) == 0:
		return fmt.Errorf("--profile %s: %s has no profiles; leave the flag out", name, d.Name)
	}
	return fmt.Errorf(
		"--profile %s: %s has no such profile; write one of: %s",
		name,
		d.Name,
		strings.Join(d.profiles, ", "),
	)
}

// profileHelp lists the profiles of all dialects.
func profileHelp() string {
	all := lo.FilterMap(mainDialects(), func(d *dialect, _ int) (string, bool) {
		return fmt.Sprintf("%s (%s)", strings.Join(d.profiles, ", "), d.Name), len(d.profiles) > 0
	})
	return strings.Join(all, "; ")
}

// profileAmong returns an error for a profile that none of the dialects has.
func profileAmong(all []*dialect, name string) error {
	if name == "" || len(all) < 2 || slices.ContainsFunc(all, func(d *dialect) bool { return slices.Contains(d.profiles, name) }) {
		return nil
	}
	names := lo.FlatMap(all, func(d *dialect, _ int) []string { return d.profiles })
	return fmt.Errorf("--profile %s: no dialect has such a profile; write one of: %s", name, strings.Join(names, ", "))
}
