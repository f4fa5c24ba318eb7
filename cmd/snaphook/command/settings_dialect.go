package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// addDialect adds the flag of the verbs that concern more than one event.
func (f *sourceFlags) addDialect(to *pflag.FlagSet) {
	to.StringVar(&f.dialect, "dialect", "", "Look at `DIALECT` alone, such as claude; at all of them if not given")
}

// allSources returns the sources of settings: one for each dialect, or the one that --dialect names. If files
// are given, it returns only those of dialects that have one of the files.
func (f *sourceFlags) allSources(cmd *cobra.Command) (all []*dialectSources, err error) {
	chosen, err := f.chosen()
	if err != nil {
		return nil, err
	}
	parts, err := f.split(cmd, chosen)
	if err != nil {
		return nil, err
	}
	for i, d := range chosen {
		if parts[i].replaces &&
			len(parts[i].settings)+len(parts[i].plugins)+len(parts[i].extensions)+len(parts[i].modules) == 0 {
			continue
		}
		src, err := f.sourcesOf(d, parts[i])
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	return all, nil
}

func (f *sourceFlags) chosen() ([]*dialect, error) {
	if f.dialect == "" {
		return mainDialects(), nil
	}
	d, err := dialectNamed(f.dialect)
	return []*dialect{d}, err
}

// split distributes the given files among dialects.
func (f *sourceFlags) split(cmd *cobra.Command, chosen []*dialect) ([]given, error) {
	parts := make([]given, len(chosen))
	if err := profileAmong(chosen, f.profile); err != nil {
		return nil, err
	}
	for i, d := range chosen {
		alone := len(chosen) == 1 // then every file must be for this dialect
		parts[i].replaces = len(f.settings)+len(f.modules) > 0
		if alone || d.adds.flag == "extension" {
			parts[i].extensions = f.extensions
		}
		if alone || d.adds.flag == "plugin" {
			parts[i].plugins, parts[i].options = f.plugins, f.options
		}
		if alone || d.modules {
			parts[i].modules = f.modules
		}
		if alone || len(d.levels) > 0 {
			parts[i].level = f.level
		}
		if alone || slices.Contains(d.profiles, f.profile) {
			parts[i].profile = f.profile
		}
	}
	for _, value := range f.settings {
		i, err := owner(cmd, chosen, value)
		if err != nil {
			return nil, err
		}
		parts[i].settings = append(parts[i].settings, value)
	}
	return parts, nil
}

// owner returns the dialect of a settings file: by the name of its layer, by its path, or by the
// events that it names, in this order.
func owner(cmd *cobra.Command, chosen []*dialect, value string) (int, error) {
	name, file := layerOf(value)
	var may []int
	for i, d := range chosen {
		if _, ok := d.layers[name]; ok {
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		return 0, noLayer(
			value,
			name,
			lo.Uniq(lo.FlatMap(chosen, func(d *dialect, _ int) []string { return d.layerNames() })),
		)
	}
	marked := lo.MaxBy(may, func(a, b int) bool { return chosen[a].mark(file) > chosen[b].mark(file) })
	if chosen[marked].mark(file) >= 0 {
		return marked, nil
	}
	return guess(cmd, chosen, may, file), nil
}

// guess chooses the dialect by the events that a file names; of equal ones it chooses the first.
func guess(cmd *cobra.Command, chosen []*dialect, may []int, file string) int {
	points := lo.Map(may, func(i int, _ int) int { return chosen[i].points(file) })
	best := slices.Index(points, slices.Max(points))
	if points[best] > 0 && lo.Count(points, points[best]) > 1 {
		cli.Warn(
			cmd,
			"%s: nothing in it is of one dialect alone, so it is read as settings of %s; --dialect names another",
			file,
			chosen[may[best]].Name,
		)
	}
	return may[best]
}

// mark returns the index in a path of the part that identifies the dialect; -1 if there is none.
func (d *dialect) mark(file string) (at int) {
	at = -1
	for i, part := range strings.Split(filepath.ToSlash(file), "/") {
		if slices.Contains(d.marks, part) {
			at = i
		}
	}
	return at
}

// points counts the names in a file's hooks that are events of the dialect; similar names count
// half.
func (d *dialect) points(file string) (points int) {
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
