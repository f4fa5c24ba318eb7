package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// dialect is what the command line knows of a hook system.
type dialect struct {
	*pipeline.Dialect
	level    string                 // what of the system is supported
	layers   map[string]hook.Source // the names that --settings takes
	discover func(dir string) []settings.Layer
	load     func(layers []settings.Layer, extensions []string) pipeline.Load

	// reaching are the members of a project's settings with which it touches
	// more than its own hooks, so that trust covers them too.
	reaching [][]string
}

var dialects = []*dialect{{
	Dialect:  llxprt.Dialect,
	level:    "LLxprt Code hooks as of February 2026 (seeds 000, 001, 003), which Gemini CLI's hooks share",
	layers:   map[string]hook.Source{"project": hook.Project, "user": hook.User, "system": hook.SystemWide},
	discover: llxprt.Discover,
	load: func(layers []settings.Layer, extensions []string) pipeline.Load {
		s := llxprt.Settings{Layers: layers}
		for _, dir := range extensions {
			s.Extensions = append(s.Extensions, llxprt.Extension{Dir: dir})
		}
		return s.Load
	},
	reaching: [][]string{{"tools", "enableHooks"}, {"hooksConfig"}, {"security", "environmentVariableRedaction"}},
}}

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

// layerNames gives the names that --settings takes, highest priority first.
func (d *dialect) layerNames() []string {
	return slices.SortedFunc(maps.Keys(d.layers), func(a, b string) int { return int(d.layers[a]) - int(d.layers[b]) })
}

// layer reads one [LAYER=]FILE of --settings. A file whose path has a "=" in
// its first element is written with "./" before it.
func (d *dialect) layer(value string) (settings.Layer, error) {
	name, file, named := strings.Cut(value, "=")
	if !named || strings.ContainsRune(filepath.ToSlash(name), '/') {
		name, file = "project", value
	}
	source, known := d.layers[name]
	if !known {
		return settings.Layer{}, fmt.Errorf("--settings %s: there is no layer %q; write one of %s before the \"=\", or ./ if it is part of the file's name",
			value, name, strings.Join(d.layerNames(), ", "))
	}
	if err := wantFile(file); err != nil {
		return settings.Layer{}, fmt.Errorf("--settings %s: %w", value, err)
	}
	return settings.Layer{Name: name, Source: source, File: file}, nil
}
