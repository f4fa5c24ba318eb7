// Package systems describes each hook system to the command line: its events, the settings files that
// it reads, its levels and profiles.
package systems

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

// Dialect describes a hook system to the command line.
type Dialect struct {
	*pipeline.Dialect
	Supports string   // the supported part of the system
	Levels   []string // the values of --level, the default first; nil: there is only one level
	Profiles []string // the values of --profile; nil if there are no profiles

	// Find returns the profile for a directory, or for layers if they replace the directory's own files. passed is a
	// Load that reports the settings of other profiles.
	Find func(dir string, layers []settings.Layer) (profile string, passed pipeline.Load)

	// Borrows reports whether a layer is a file of another system that this system reads too. Verbs for all dialects
	// leave out a dialect if all its files are borrowed. Nil means that no file is borrowed.
	Borrows func(settings.Layer) bool

	Marks  []string               // directories and files that only this dialect has
	Layers map[string]hook.Source // the layer names that --settings accepts
	Strict bool                   // settings are JSON without comments

	// format returns the Format of a file of --settings. If format is nil, all files are JSON.
	format func(file string) func([]byte) (settings.Converted, error)

	// inFull means that the dialect's events are found by their full names alone, because an older dialect
	// has events of the same names.
	inFull bool

	// Exports is the name of the effect with the variables that hooks exported; "" means env.
	Exports  string
	Discover func(dir, profile string) []settings.Layer
	Load     func(Origins) pipeline.Load

	Adds    addition // a source of hooks other than settings
	Modules bool     // modules can subscribe to the events; package project loads them

	// Headless means that without --interactive every hook runs: where there is no user to ask, the
	// user who starts the program has agreed.
	Headless bool
	Asks     bool // a running hook can ask the user

	// Traits returns the types of hooks that an event runs, and who gets the
	// text of a refusal: "model", "user" or "".
	Traits func(event string) (types []string, told string)

	// portable describes the system and the systems of its profiles, for hooks that are moved between systems; nil:
	// the system has no settings with hooks.
	portable func() []portable.System

	// ToolGate is the event before a tool runs, and Writers lists the tools that change files or
	// run commands.
	ToolGate string
	Writers  []string
	Example  string // an input of ToolGate

	// CallMembers holds the names of a tool and of its arguments in the input of ToolGate, if they are not tool_name
	// and tool_input; without them `hooks --for` fails.
	CallMembers [2]string

	// Reaching lists the members of a project's settings that affect more than its own hooks: trust
	// covers them too.
	Reaching [][]string
}

// Origins describes where the hooks of a dialect come from.
type Origins struct {
	Layers     []settings.Layer
	Added      []added
	Level      string                    // one of the dialect's levels
	Profile    string                    // one of the dialect's profiles; empty if the dialect has no profiles
	Modules    []string                  // paths of modules that replace the discovered ones
	FixtureEnv *FixtureEnv               // nil: the environment of the process
	Options    map[string]map[string]any // options of plugins, by name
}

// All lists the dialects of the command line.
var All = []*Dialect{&LLxprt, &claudeRow, &codexRow, &copilotRow, &cursorRow, &Xcsh, &extensionRow}

// Main returns the dialects that are not variants of another.
func Main() []*Dialect {
	return lo.Reject(All, func(d *Dialect, _ int) bool { return d.IsVariant() })
}

// Events returns the events of the command line's dialects. It leaves out events that other linked packages declare for
// programs.
func Events() []pipeline.Declared {
	return lo.Filter(pipeline.Events(nil), func(e pipeline.Declared, _ int) bool {
		return slices.Contains(Names(), e.Info().Dialect)
	})
}

// Names returns the names of all dialects.
func Names() []string {
	return lo.Map(All, func(d *Dialect, _ int) string { return d.Name })
}

// Named returns the dialect with a name; the error for an unknown name lists the known names.
func Named(name string) (*Dialect, error) {
	for _, d := range All {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no dialect %q; write one of: %s", name, strings.Join(Names(), ", "))
}

// LayerNames returns the layer names that --settings accepts, in the order of sources. Names that belong to only one
// system are at the end.
func (d *Dialect) LayerNames() []string {
	order := []string{"project", "user", "system", "local", "flag", "managed"}
	known := lo.Filter(order, func(name string, _ int) bool { return lo.HasKey(d.Layers, name) })
	others, _ := lo.Difference(slices.Sorted(maps.Keys(d.Layers)), known)
	return append(known, others...)
}

// LayersHelp lists the layer names of all dialects.
func LayersHelp() string {
	all := lo.FilterMap(Main(), func(d *Dialect, _ int) (string, bool) {
		return fmt.Sprintf("%s (%s)", strings.Join(d.LayerNames(), ", "), d.Name), len(d.Layers) > 0
	})
	return strings.Join(all, "; ")
}

// LayerOf splits [LAYER=]FILE. A file whose path has a "=" in its first element has to begin with
// "./".
func LayerOf(value string) (name, file string) {
	name, file, named := strings.Cut(value, "=")
	if !named || strings.ContainsRune(filepath.ToSlash(name), '/') {
		return "project", value
	}
	return name, file
}

// Layer reads one [LAYER=]FILE of --settings.
func (d *Dialect) Layer(value string) (settings.Layer, error) {
	if d.Modules {
		return settings.Layer{}, fmt.Errorf(
			"--settings %s: %s has no settings with hooks; name its modules with --module",
			value,
			d.Name,
		)
	}
	name, file := LayerOf(value)
	source, known := d.Layers[name]
	if !known {
		return settings.Layer{}, NoLayer(value, name, d.LayerNames())
	}
	if err := cli.WantFile(file); err != nil {
		return settings.Layer{}, fmt.Errorf("--settings %s: %w", value, err)
	}
	layer := settings.Layer{Name: name, Source: source, File: file, Strict: d.Strict}
	if d.format != nil {
		layer.Format = d.format(file)
	}
	return layer, nil
}

// NoLayer returns the error for a value of --settings with an unknown layer. names lists the known layers.
func NoLayer(value, name string, names []string) error {
	return fmt.Errorf(
		"--settings %s: there is no layer %q; write one of %s before the \"=\", or ./ if it is part of the file's name",
		value,
		name,
		strings.Join(names, ", "),
	)
}

// LevelNamed returns the level of that name; the default if name is empty.
func (d *Dialect) LevelNamed(name string) (string, error) {
	switch {
	case name == "" && len(d.Levels) > 0:
		return d.Levels[0], nil
	case name == "" || slices.Contains(d.Levels, name):
		return name, nil
	case len(d.Levels) == 0:
		return "", fmt.Errorf("--level %s: %s has no levels; leave the flag out", name, d.Name)
	}
	return "", fmt.Errorf(
		"--level %s: %s has no such level; write one of: %s",
		name,
		d.Name,
		strings.Join(d.Levels, ", "),
	)
}

// ProfileNamed returns an error for a profile that the dialect does not have. An empty name, which
// means the found profile, is valid.
func (d *Dialect) ProfileNamed(name string) error {
	switch {
	case name == "" || slices.Contains(d.Profiles, name):
		return nil
	case len(d.Profiles) == 0:
		return fmt.Errorf("--profile %s: %s has no profiles; leave the flag out", name, d.Name)
	}
	return fmt.Errorf(
		"--profile %s: %s has no such profile; write one of: %s",
		name,
		d.Name,
		strings.Join(d.Profiles, ", "),
	)
}

// ProfileHelp lists the profiles of all dialects.
func ProfileHelp() string {
	all := lo.FilterMap(Main(), func(d *Dialect, _ int) (string, bool) {
		return fmt.Sprintf("%s (%s)", strings.Join(d.Profiles, ", "), d.Name), len(d.Profiles) > 0
	})
	return strings.Join(all, "; ")
}

// ProfileAmong returns an error for a profile that none of several dialects has. For a single dialect,
// [Dialect.ProfileNamed] returns it.
func ProfileAmong(all []*Dialect, name string) error {
	if name == "" || len(all) < 2 || slices.ContainsFunc(all, func(d *Dialect) bool { return slices.Contains(d.Profiles, name) }) {
		return nil
	}
	names := lo.FlatMap(all, func(d *Dialect, _ int) []string { return d.Profiles })
	return fmt.Errorf("--profile %s: no dialect has such a profile; write one of: %s", name, strings.Join(names, ", "))
}

// Mark returns the index of the part of a path that identifies the dialect, or -1.
func (d *Dialect) Mark(file string) (at int) {
	at = -1
	for i, part := range strings.Split(filepath.ToSlash(file), "/") {
		if slices.Contains(d.Marks, part) {
			at = i
		}
	}
	return at
}

// Points counts the names in a file's hooks that are events of the dialect; a similar name counts
// half.
func (d *Dialect) Points(file string) (points int) {
	root, _, err := settings.Layer{File: file}.Read()
	if err != nil {
		return 0 // the loader reports the error
	}
	events := lo.Map(pipeline.Events(d.Dialect), func(e pipeline.Declared, _ int) string { return e.Info().Name })
	for name := range root.Get("hooks").Members() {
		switch {
		case slices.Contains(events, name):
			points += 2
		case len(settings.Near(name, events)) > 0:
			points++
		}
	}
	return points
}

// Found returns the existing layers of a directory, with paths as short as possible.
func (d *Dialect) Found(dir, profile string) []settings.Layer {
	return lo.FilterMap(d.Discover(dir, profile), func(l settings.Layer, _ int) (settings.Layer, bool) {
		l.File = cli.ShortPath(l.File)
		return ReadOnce(l)
	})
}

// named returns a copy of d whose events are found only by their full names.
func (d Dialect) named() Dialect {
	d.inFull = true
	return d
}

// IsVariant reports whether the dialect has the events of another dialect, but other rules. A variant is used only if
// its full name is given.
func (d *Dialect) IsVariant() bool { return d == &extensionRow }

// TrustName returns the name under which trust in a dialect's hooks is stored.
func (d *Dialect) TrustName() string {
	if d.IsVariant() {
		return Xcsh.Name
	}
	return d.Name
}

// Added checks and returns the directories that the flags add to the sources of d.
func (d *Dialect) Added(g Given) (all []added, err error) {
	byFlag := map[string][]string{"extension": g.Extensions, "plugin": g.Plugins}
	for _, other := range All {
		if values := byFlag[other.Adds.Flag]; other.Adds.Flag != d.Adds.Flag && len(values) > 0 {
			return nil, fmt.Errorf(
				"--%s %s: %s has no %[1]ss; write --%[4]s for %[5]s%[6]s",
				other.Adds.Flag,
				values[0],
				d.Name,
				d.Adds.Flag,
				d.Adds.one,
				lo.Ternary(d.Modules, "", "'s directory"),
			)
		}
	}
	for _, value := range byFlag[d.Adds.Flag] {
		one, err := d.Adds.read(value)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", d.Adds.Flag, value, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// PluginOptions returns the options that the flags set, by plugin.
func (d *Dialect) PluginOptions(values []string) (map[string]map[string]any, error) {
	options := map[string]map[string]any{}
	for _, value := range values {
		if d.Adds.Flag != "plugin" {
			return nil, fmt.Errorf("--plugin-option %s: %s has no plugins; leave the flag out", value, d.Name)
		}
		path, text, assigned := strings.Cut(value, "=")
		dot := strings.LastIndexByte(path, '.')
		if !assigned || dot < 1 || dot == len(path)-1 {
			return nil, fmt.Errorf("--plugin-option %s: write NAME.KEY=VALUE, such as fmt.width=100", value)
		}
		name, key := path[:dot], path[dot+1:]
		if options[name] == nil {
			options[name] = map[string]any{}
		}
		options[name][key] = text
	}
	return options, nil
}
