package project

import (
	"slices"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
)

// Passes reports whether the command skips a source: the source is idle, and --dialect was not given.
func (f *SourceFlags) Passes(src *Sources, _ int) bool { return f.dialect == "" && src.Idle() }

// AddDialect adds --dialect, for commands that handle more than one event.
func (f *SourceFlags) AddDialect(to *pflag.FlagSet) {
	to.StringVar(&f.dialect, "dialect", "", "Use only `DIALECT`, such as claude; default: all dialects")
}

// AllSources returns the sources of settings: one for each dialect, or the one named by --dialect. If files are given,
// it returns only the sources of dialects that have one of the files.
func (f *SourceFlags) AllSources(cmd *cobra.Command) (all []*Sources, err error) {
	chosen, err := f.chosen()
	if err != nil {
		return nil, err
	}
	parts, err := f.Split(cmd, chosen)
	if err != nil {
		return nil, err
	}
	for i, d := range chosen {
		if parts[i].Replaces &&
			len(parts[i].Settings)+len(parts[i].Plugins)+len(parts[i].Extensions)+len(parts[i].Modules) == 0 {
			continue
		}
		src, err := f.SourcesGiven(d, parts[i])
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	return all, nil
}

func (f *SourceFlags) chosen() ([]*systems.Dialect, error) {
	if f.dialect == "" {
		return systems.Main(), nil
	}
	d, err := systems.Named(f.dialect)
	return []*systems.Dialect{d}, err
}

// Split distributes the given files among dialects.
func (f *SourceFlags) Split(cmd *cobra.Command, chosen []*systems.Dialect) ([]systems.Given, error) {
	parts := make([]systems.Given, len(chosen))
	if err := systems.ProfileAmong(chosen, f.profile); err != nil {
		return nil, err
	}
	for i, d := range chosen {
		alone := len(chosen) == 1 // the only dialect has to take every file
		parts[i].Replaces = len(f.Settings)+len(f.ModuleFiles) > 0
		if alone || d.Adds.Flag == "extension" {
			parts[i].Extensions = f.extensions
		}
		if alone || d.Adds.Flag == "plugin" {
			parts[i].Plugins, parts[i].Options = f.plugins, f.options
		}
		if alone || d.Modules {
			parts[i].Modules = f.ModuleFiles
		}
		if alone || len(d.Levels) > 0 {
			parts[i].Level = f.level
		}
		if alone || slices.Contains(d.Profiles, f.profile) {
			parts[i].Profile = f.profile
		}
	}
	for _, value := range f.Settings {
		i, err := owner(cmd, chosen, value)
		if err != nil {
			return nil, err
		}
		parts[i].Settings = append(parts[i].Settings, value)
	}
	return parts, nil
}

// owner returns the dialect of a settings file: by the name of its layer, by its path, or by the
// events that it names, in this order.
func owner(cmd *cobra.Command, chosen []*systems.Dialect, value string) (int, error) {
	name, file := systems.LayerOf(value)
	var may []int
	for i, d := range chosen {
		if _, ok := d.Layers[name]; ok {
			may = append(may, i)
		}
	}
	if len(may) == 0 {
		return 0, systems.NoLayer(
			value,
			name,
			lo.Uniq(lo.FlatMap(chosen, func(d *systems.Dialect, _ int) []string { return d.LayerNames() })),
		)
	}
	marked := lo.MaxBy(may, func(a, b int) bool { return chosen[a].Mark(file) > chosen[b].Mark(file) })
	if chosen[marked].Mark(file) >= 0 {
		return marked, nil
	}
	return guess(cmd, chosen, may, file), nil
}

// guess chooses the dialect by the events that a file names; of dialects with equally many events it chooses the first.
func guess(cmd *cobra.Command, chosen []*systems.Dialect, may []int, file string) int {
	points := lo.Map(may, func(i int, _ int) int { return chosen[i].Points(file) })
	best := slices.Index(points, slices.Max(points))
	if points[best] > 0 && lo.Count(points, points[best]) > 1 {
		cli.Warn(
			cmd,
			"%s: the file fits several dialects, and is read as settings of %s; --dialect chooses another",
			file,
			chosen[may[best]].Name,
		)
	}
	return may[best]
}
