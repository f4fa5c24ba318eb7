package tests

import (
	"fmt"
	"path/filepath"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// fixtureSettings finds the settings of a fixture for one dialect.
type fixtureSettings struct {
	*fixtureStage
	dialect *systems.Dialect
	given   systems.Given // the sources that the flags name for the dialect, and the profile when it is known
}

// load returns the Load of a fixture's settings: the settings in the fixture's text, or else in the file that the
// fixture names, or else in the files of --settings, or else the project's. The settings of the fixture's user are
// added in every case.
func (s *fixtureSettings) load() (pipeline.Load, error) {
	d, g := s.dialect, &s.given
	var err error
	var layers []settings.Layer
	switch of := s.fixture.Settings; {
	case d.Modules:
		if !of.Own() {
			return nil, settings.Problem{Position: of.At, Message: d.Name +
				` has no settings with hooks; write "settings": null, and put modules below "files": {".xcsh/hooks/pre/gate.ts": "…"}`}
		}
	case of.Object != nil:
		layers = []settings.Layer{{
			Name: "project", Source: hook.Project, File: of.At.File, Data: s.world.JSON(of.Text()),
		}}
	case of.Path != "":
		layers, err = s.named(of)
	case len(g.Settings) > 0:
		layers, err = g.Named(d)
	default:
		layers = s.found()
	}
	if err != nil {
		return nil, err
	}
	g.FindProfile(d, s.world.Dir, append([]settings.Layer{}, layers...))
	layers = append(layers, s.users()...)
	level, err := d.LevelNamed(g.Level)
	if err != nil {
		return nil, err
	}
	more, err := d.Added(*g)
	if err != nil {
		return nil, err
	}
	options, err := d.PluginOptions(g.Options)
	if err != nil {
		return nil, err
	}
	return d.Load(systems.Origins{
		Layers: layers, Added: more, Level: level, Profile: g.Profile, Modules: g.Modules,
		FixtureEnv: s.fixtureEnv, Options: options,
	}), nil
}

// named returns the settings file that a fixture names: relative to the directory of the fixture's file or, if there is
// no such file, to the project.
func (s *fixtureSettings) named(of fixture.Settings) ([]settings.Layer, error) {
	name, file := systems.LayerOf(of.Path)
	if file = s.world.Text(file); !filepath.IsAbs(file) {
		beside := filepath.Join(filepath.Dir(of.At.File), file)
		if file = filepath.Join(s.world.Dir, file); cli.WantFile(beside) == nil {
			file = beside
		}
	}
	layer, err := s.dialect.Layer(name + "=" + file)
	if err != nil {
		return nil, settings.Problem{Position: of.At, Message: fmt.Sprintf(
			"settings %q: there is no such file beside the fixture, and none below the project", of.Path)}
	}
	layer, _ = systems.ReadOnce(layer)
	layer.File = s.paths.file(layer.File)
	return []settings.Layer{layer}, nil
}

// found returns the settings in the copy of the project.
func (s *fixtureSettings) found() []settings.Layer {
	d, g := s.dialect, &s.given
	if g.Profile == "" && d.Find == nil {
		g.Profile = orOne(d.Profiles)[0]
	}
	var all []settings.Layer
	by := map[string][]settings.Layer{}
	for _, profile := range lo.Ternary(g.Profile == "", orOne(d.Profiles), []string{g.Profile}) {
		for _, layer := range d.Discover(s.world.Dir, profile) {
			if !systems.IsProjects(layer.Source) {
				continue
			}
			if layer, found := systems.ReadOnce(layer); found {
				layer.File = s.paths.file(layer.File)
				by[profile] = append(by[profile], layer)
			}
		}
		all = append(all, by[profile]...)
	}
	g.FindProfile(d, s.world.Dir, append([]settings.Layer{}, all...))
	found := append([]settings.Layer{}, by[g.Profile]...) // not nil: with nil, snaphook would search for files
	if d.Borrows != nil && lo.EveryBy(found, d.Borrows) {
		return found[:0]
	}
	return found
}

// orOne returns the names, or a list with the empty name if there are none.
func orOne(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// users returns the settings of the fixture's own user.
func (s *fixtureSettings) users() (layers []settings.Layer) {
	d := s.dialect
	if d.Modules {
		return nil
	}
	folder := "." + lo.CoalesceOrEmpty(s.given.Profile, d.Name)
	layer := settings.Layer{
		Name: "user", Source: hook.User, File: filepath.Join(s.world.Home, folder, "settings.json"), Strict: d.Strict,
	}
	if layer, found := systems.ReadOnce(layer); found {
		layers = append(layers, layer)
	}
	return layers
}

// fixturePolicies returns the policy files of a fixture: the project's file and the files of the fixture's user. A file
// of --policy replaces the file of its level.
func fixturePolicies(world *fixture.World, named map[policy.Level]string) map[policy.Level]string {
	files := map[policy.Level]string{}
	for level, file := range map[policy.Level]string{
		policy.Project: filepath.Join(world.Dir, policy.FileName),
		policy.User:    filepath.Join(world.Home, ".config", "snaphook", "config.json"),
	} {
		if cli.WantFile(file) == nil {
			files[level] = file
		}
	}
	for level, file := range named {
		files[level] = file
	}
	return files
}
