package project

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// SourceFlags holds the flags that select the settings of a project.
type SourceFlags struct {
	*cli.Global

	Settings    []string // [LAYER=]FILE
	extensions  []string
	plugins     []string
	options     []string // NAME.KEY=VALUE, options of plugins
	ModuleFiles []string
	JS          string // the runtime of modules, one of jsrun.Runtimes
	level       string
	profile     string
	Policies    []string // [LEVEL=]FILE
	dialect     string
}

// AddSources adds the flags that select settings.
func (f *SourceFlags) AddSources(to *pflag.FlagSet) {
	to.StringArrayVar(&f.Settings, "settings", nil, "Read `[LAYER=]FILE` in place of the settings found; repeatable. "+
		"LAYER is one of "+systems.LayersHelp()+": user=mine.json")
	to.StringArrayVar(
		&f.extensions,
		"extension",
		nil,
		"Add the hooks of the extension (llxprt) in `DIR`, hooks/hooks.json below it; repeatable: --extension ./ext",
	)
	to.StringArrayVar(
		&f.plugins,
		"plugin",
		nil,
		"Add the hooks of the plugin (claude) in `[NAME@MARKETPLACE=]DIR`; repeatable: --plugin fmt@acme=./fmt",
	)
	to.StringArrayVar(
		&f.options,
		"plugin-option",
		nil,
		"Set an option of a plugin (claude), as `NAME.KEY=VALUE`; repeatable: --plugin-option fmt.width=100",
	)
	to.StringVar(
		&f.profile,
		"profile",
		"",
		"Act as `AGENT`: "+systems.ProfileHelp()+"; default: the only agent that has settings: --profile gemini",
	)
	to.StringVar(
		&f.level,
		"level",
		"",
		"Follow `RELEASE` where releases differ (claude): 2.1.88, the default, or "+systems.NewerLevel,
	)
}

// AddPolicy adds the flag that names the policies of hooks.
func (f *SourceFlags) AddPolicy(to *pflag.FlagSet) {
	to.StringArrayVar(&f.Policies, "policy", nil, "Read `[LEVEL=]FILE` in place of that level's policy; repeatable. "+
		"LEVEL is machine, user or project, which is the default: machine=/tmp/strict.json")
}

// AddDialect adds --dialect, for commands that handle more than one event.
func (f *SourceFlags) AddDialect(to *pflag.FlagSet) {
	to.StringVar(&f.dialect, "dialect", "", "Use only `DIALECT`, such as claude; default: all dialects")
}

// AddModules adds the flags that name modules and select where they run.
func (f *SourceFlags) AddModules(to *pflag.FlagSet) {
	to.StringArrayVar(
		&f.ModuleFiles,
		"module",
		nil,
		"Load the module (xcsh) in `FILE`, JavaScript or TypeScript, in place of those found; "+
			"repeatable; modules load in the order of the flags: --module gate.ts --module log.ts",
	)
	f.AddJS(to)
}

// AddJS adds the flag that selects where modules run.
func (f *SourceFlags) AddJS(to *pflag.FlagSet) {
	f.JS = jsrun.Sandbox
	to.Var((*runtimeFlag)(&f.JS), "js", "Run modules (xcsh) in this runtime: sandbox; node or bun, which have files, network and "+
		"packages; or auto, which uses node or bun only for modules that need them: --js auto")
}

// runtimeFlag is one of [jsrun.Runtimes].
type runtimeFlag string

func (r *runtimeFlag) String() string { return string(*r) }

func (r *runtimeFlag) Type() string { return "RUNTIME" }

// Set implements [pflag.Value].
func (r *runtimeFlag) Set(text string) error {
	if !slices.Contains(jsrun.Runtimes, text) {
		return fmt.Errorf("there is no runtime %q; write one of %s", text, strings.Join(jsrun.Runtimes, ", "))
	}
	*r = runtimeFlag(text)
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

// Passes reports whether the command skips a source: the source is idle, and --dialect was not given.
func (f *SourceFlags) Passes(src *Sources, _ int) bool { return f.dialect == "" && src.Idle() }

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

// PolicySource returns the files from which the policy for a directory is read.
func (f *SourceFlags) PolicySource(dir string) (policy.Source, error) {
	files := map[policy.Level]string{}
	for level, file := range policy.Files(dir) {
		// An unreadable file counts too: it may contain rules, and the readers report the error.
		if _, found, err := (settings.Layer{File: file}).Text(); found || err != nil {
			files[level] = cli.ShortPath(file)
		}
	}
	given := map[policy.Level]bool{}
	for _, value := range f.Policies {
		name, file := systems.LayerOf(value)
		level, known := LevelNamed(name)
		switch {
		case !known:
			return policy.Source{}, fmt.Errorf(
				"--policy %s: there is no level %q; write machine, user or project before the \"=\", or ./ if it is part of the file's name",
				value,
				name,
			)
		case given[level]:
			return policy.Source{}, fmt.Errorf(
				"--policy %s: the %s's policy is given twice; give one file for each level",
				value,
				level,
			)
		}
		if err := cli.WantFile(file); err != nil {
			return policy.Source{}, fmt.Errorf("--policy %s: %w", value, err)
		}
		given[level], files[level] = true, file
	}
	return policy.Source{Files: files}, nil
}

// LevelNamed returns the level of an overlay by its name, and whether there is such a level.
func LevelNamed(name string) (policy.Level, bool) {
	for _, level := range []policy.Level{policy.Machine, policy.User, policy.Project} {
		if level.String() == name {
			return level, true
		}
	}
	return 0, false
}

// Log returns the engine's logger. Without --verbose it logs only the engine's own errors, because the failures of
// hooks are in the answer and are printed once.
func (f *SourceFlags) Log(cmd *cobra.Command) *slog.Logger {
	return EngineLog(f.Global, cmd.ErrOrStderr())
}

// Logs reports whether the engine's whole log is printed.
func (f *SourceFlags) Logs() bool { return f.Verbose || WantsDebug() }

// EngineLog returns a logger that writes lines of text to w: errors alone, or everything if --verbose or the
// environment asks for it.
func EngineLog(global *cli.Global, w io.Writer) *slog.Logger {
	level := slog.LevelError
	if global.Verbose || WantsDebug() {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// WantsDebug reports whether the environment asks for the debug log: by SNAPHOOK_DEBUG, or by
// DEBUG=llxprt:core:hooks:* (L63).
func WantsDebug() bool {
	switch strings.ToLower(os.Getenv("SNAPHOOK_DEBUG")) {
	case "", "0", "false":
		return pipeline.WantsDebug(os.Getenv("DEBUG"))
	}
	return true
}
