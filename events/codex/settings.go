package codex

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/tomlform"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of Codex; its Load goes into [pipeline.Config]. The zero Settings
// finds the files where Codex keeps them, see [Discover].
//
// The hooks of all files run, in the order managed, system, user, project, flag. A file that cannot
// be read does not affect the others (CX1 to CX5).
type Settings struct {
	Layers  []settings.Layer   // replace the files that Discover finds; read on every Load. See [Layer]
	Environ []string           // the engine's environment; nil means os.Environ()
	Tools   request.ToolCaller // for mcp_tool hooks
	Types   entries.Types      // further types of hooks
}

// order lists the layers from lowest to highest precedence. Hooks run in this order. The last layer determines a
// setting with one value, except that requirements.toml overrides all (CX2).
var order = []hook.Source{hook.Managed, hook.SystemWide, hook.User, hook.Project, hook.Flag}

// Not in Dialect's literal: Load uses Dialect, which would be an initialization cycle.
func init() { Dialect.Settings = Settings{}.Load }

// Discover returns the layers of a project directory: requirements.toml, hooks.json and config.toml
// in /etc/codex, and hooks.json and config.toml in the user's directory, which is ~/.codex or
// CODEX_HOME, and in the project's .codex.
func Discover(dir string) []settings.Layer { return discover(dir, os.Environ()) }

func discover(dir string, env []string) []settings.Layer {
	etc, project := filepath.Join(environ.Etc(env), "codex"), filepath.Join(dir, ".codex")
	layers := append(
		[]settings.Layer{Layer(hook.Managed, filepath.Join(etc, "requirements.toml"))}, both(hook.SystemWide, etc)...,
	)
	home := homeDir(env)
	if home != "" {
		layers = append(layers, both(hook.User, home)...)
	}
	if home == "" || !bounded.SameFile(home, project) { // do not list one directory twice
		layers = append(layers, both(hook.Project, project)...)
	}
	return layers
}

// both returns the layers for hooks.json and config.toml of a directory.
func both(source hook.Source, dir string) []settings.Layer {
	return []settings.Layer{Layer(source, filepath.Join(dir, jsonFile)), Layer(source, filepath.Join(dir, tomlFile))}
}

const (
	jsonFile = "hooks.json"
	tomlFile = "config.toml"
)

// Layer returns the layer of a file, which is TOML if its name ends in .toml, and JSON otherwise.
// The source is Managed for requirements.toml, SystemWide, User, Project or Flag.
func Layer(source hook.Source, file string) settings.Layer {
	return settings.Layer{Name: source.String(), Source: source, File: file, Strict: true, Format: Format(file)}
}

// Format returns the Format of a file's layer: TOML if its name ends in .toml, nil for JSON.
func Format(file string) func([]byte) (settings.Converted, error) {
	if filepath.Ext(file) == ".toml" {
		return tomlform.Convert
	}
	return nil
}

// homeDir returns the user's directory; empty if there is no home.
func homeDir(env []string) string {
	if dir := environ.Getenv(env, "CODEX_HOME"); dir != "" {
		return dir
	}
	home := environ.Getenv(env, "HOME")
	if home == "" {
		home, _ = environ.Home()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".codex")
}

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	layers := slices.Clone(s.Layers) // a copy: other loads may use the same slice
	if s.Layers == nil {
		layers = discover(at.Dir, s.Environ)
	}
	slices.SortStableFunc(layers, func(a, b settings.Layer) int {
		return slices.Index(order, a.Source) - slices.Index(order, b.Source)
	})
	r := &reading{
		Reader:   entries.Reader{Dialect: Dialect, Elsewhere: elsewhere, Beside: []string{"state", "managed_dir", "windows_managed_dir"}},
		Settings: s, at: at, env: s.Environ, limits: map[string]int{},
	}
	r.Loaded.Values = map[any]any{limitsKey{}: r.limits}
	files := r.readFiles(layers)
	r.readSwitches(files)
	r.noteBoth(files)
	for _, f := range files {
		f.hooks(r)
	}
	return r.Loaded, nil
}

// elsewhere maps names that people write by mistake to the events of this system.
var elsewhere = map[string]string{
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "PreCompress": "PreCompact",
	"preToolUse": "PreToolUse", "postToolUse": "PostToolUse", "userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop",
	"PostToolUseFailure": "PostToolUse", "PreCompaction": "PreCompact",
}

// reading holds the state of one Load.
type reading struct {
	entries.Reader
	Settings
	at  pipeline.Workspace
	env []string

	limits   map[string]int // limits of tokens, by the ids of hooks
	disabled map[string]hook.Position
	all, own off // the switch for all files, and the switch for the project's files
	managed  off // the switch that applies to hooks outside of managed files
}

// off is a switch that excludes hooks, with the reason. The zero off excludes no hook.
type off struct {
	why string
	by  hook.Source
}

// file is one existing settings file.
type file struct {
	settings.Layer
	root  settings.Value
	wrong *settings.Problem // reason why all hooks of the file are ignored; nil if they count
}

// readFiles reads the files that exist, and lists their names in Loaded, highest priority first.
func (r *reading) readFiles(layers []settings.Layer) (files []*file) {
	values, problems := settings.Read(layers)
	for i, layer := range layers {
		f := &file{Layer: layer, root: values[i]}
		for _, p := range problems {
			if p.Fatal && p.Position.File == layer.File {
				f.wrong = &p
			}
		}
		if f.wrong == nil && f.root.Exists() {
			f.wrong = f.fault(r.Types)
		}
		if f.wrong == nil && !f.root.Exists() {
			continue
		}
		files = append(files, f)
		r.Loaded.Files = append([]string{layer.File}, r.Loaded.Files...)
		if f.wrong != nil {
			f.wrong.Fatal = false // the other files load (CX4)
			r.Problem(*f.wrong)
			continue
		}
		r.Loaded.Problems = append(r.Loaded.Problems, f.root.Duplicates()...)
	}
	r.Loaded.Problems = lo.Uniq(r.Loaded.Problems) // layers with one file repeat its problems
	return files
}

// isTOML reports whether the file is TOML, which has tables other than hooks.
func (f *file) isTOML() bool { return f.Format != nil }

// isManaged reports whether an administrator manages the file: the user cannot switch off single hooks of the file
// (CX6).
func (f *file) isManaged() bool { return f.Source == hook.Managed || f.Source == hook.SystemWide }

// readSwitches reads the switches for all hooks, and for single handlers (CX7 to CX9).
func (r *reading) readSwitches(files []*file) {
	r.disabled = map[string]hook.Position{}
	var pinned settings.Value
	for _, f := range files {
		if !f.isTOML() || !f.root.Exists() {
			continue
		}
		on := r.feature(f.root.Get("features"))
		switch f.Source {
		case hook.Managed:
			if pinned = on; isTrue(f.root.Get("allow_managed_hooks_only")) {
				r.managed = off{"allow_managed_hooks_only is set in " + f.File, f.Source}
			}
			continue
		case hook.User, hook.Flag:
			r.readState(f.root.Get("hooks").Get("state"))
		}
		if on.Exists() {
			set := off{}
			if on.Kind() == 'f' {
				set = off{"[features] hooks = false in " + f.File, f.Source}
			}
			if r.own = set; r.at.Vouches(f.Source) {
				r.all = set
			}
		}
	}
	if pinned.Exists() {
		r.all = off{}
		if pinned.Kind() == 'f' {
			r.all = off{"[features] hooks = false in requirements.toml", hook.Managed}
		}
		r.own = r.all
	}
}

// feature returns the switch for hooks in a table of features, under its name or the older one.
func (r *reading) feature(table settings.Value) (on settings.Value) {
	for _, name := range []string{"codex_hooks", "hooks"} {
		if v := table.Get(name); v.Exists() {
			if _, ok := r.Bool(v); ok {
				on = v
			}
		}
	}
	return on
}

func isTrue(v settings.Value) bool {
	on, _ := v.Bool()
	return on
}

// readState reads which handlers the user has switched off, in
// [hooks.state."FILE:EVENT:GROUP:HANDLER"].
func (r *reading) readState(table settings.Value) {
	for key, state := range table.Members() {
		key = resolved(key)
		if on, ok := r.Bool(state.Get("enabled")); ok && !on {
			r.disabled[key] = state.Position()
		} else if ok {
			delete(r.disabled, key)
		}
	}
}

// switchedOff reports whether the user has switched a handler off; at is the position of that setting.
func (r *reading) switchedOff(key string) (at hook.Position, off bool) {
	if len(r.disabled) == 0 {
		return at, false
	}
	at, off = r.disabled[resolved(key)]
	return at, off
}

// noteBoth reports a layer in which both hooks.json and config.toml have hooks: the hooks of both files run.
func (r *reading) noteBoth(files []*file) {
	for i, f := range files[:max(0, len(files)-1)] {
		next := files[i+1]
		if f.Source == next.Source && !f.isTOML() && next.isTOML() && f.events() > 0 && next.events() > 0 &&
			filepath.Dir(f.File) == filepath.Dir(next.File) {
			r.Problem(next.root.Get("hooks").Wrong(
				"hooks.json and config.toml of this layer both have hooks, and all run: write them into one of the two files"))
		}
	}
}

// events returns the number of events for which the file has hooks.
func (f *file) events() (n int) {
	for name := range f.root.Get("hooks").Members() {
		if table[name] != nil {
			n++
		}
	}
	return n
}

// excluded returns the reason why no hook of the file runs; the zero value if its hooks run.
func (r *reading) excluded(f *file) hook.Exclusion {
	set := r.all
	if f.Source == hook.Project {
		set = r.own
	}
	switch {
	case set.why != "":
		return hook.Exclusion{Skip: hook.Disabled, SkipDetail: set.why, SkippedBy: set.by}
	case r.managed.why != "" && !f.isManaged():
		return hook.Exclusion{Skip: hook.Policy, SkipDetail: r.managed.why, SkippedBy: r.managed.by}
	case r.at.Untrusted && f.Source == hook.Project:
		return hook.Exclusion{Skip: hook.Untrusted, SkipDetail: "the folder is not trusted, so its hooks do not run"}
	}
	return hook.Exclusion{}
}

// key returns the name of a handler in [hooks.state] (CX9).
func (f *file) key(event string, group, handler int) string {
	path := f.File
	if f.Source == hook.Managed {
		name := "managed_dir"
		if windows {
			name = "windows_managed_dir"
		}
		if dir, ok := f.root.Get("hooks").Get(name).Text(); ok && filepath.IsAbs(dir) {
			path = dir
		}
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return strings.Join([]string{path, snake(event), itoa(group), itoa(handler)}, ":")
}

// fault returns the first mistake because of which Codex could not parse a file, or nil. Codex then drops the whole
// file, or the whole table of hooks of a TOML file (CX4).
func (f *file) fault(types entries.Types) *settings.Problem {
	if f.root.Kind() != '{' {
		return wrong(f.root.Want(`an object {"hooks": {…}}`))
	}
	if !f.isTOML() {
		for name, v := range f.root.Members() {
			if name != "hooks" && name != "description" {
				return wrong(outside(name, v))
			}
		}
		if v := f.root.Get("description"); v.Exists() && v.Kind() != '"' && v.Kind() != 'n' {
			return wrong(v.Want("a string"))
		}
	}
	hooks := f.root.Get("hooks")
	if hooks.Exists() && hooks.Kind() != '{' {
		return wrong(hooks.Want("an object whose members are events"))
	}
	for name, groups := range hooks.Members() {
		if table[name] == nil {
			continue // the groups of an unknown event have no effect
		}
		if groups.Kind() != '[' {
			return wrong(groups.Want(`an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`))
		}
		for _, group := range groups.Elements() {
			if p := groupFault(group, types); p != nil {
				return p
			}
		}
	}
	return nil
}

// hooks reads the hooks of the file, in its order.
func (f *file) hooks(r *reading) {
	like := hook.Hook{
		Identity:  hook.Identity{Source: f.Source},
		Selection: hook.Selection{OwnOnly: !r.at.Vouches(f.Source)},
		Exclusion: r.excluded(f),
	}
	label := f.Source.String()
	if f.isTOML() && f.Source != hook.Managed {
		label += "/" + tomlFile
	}
	if f.wrong != nil {
		r.Lose(label, &like, *f.wrong)
		return
	}
	hooks := f.root.Get("hooks")
	for g := range r.Groups(hooks, nil) {
		(&group{reading: r, Group: g, file: f, traits: table[g.Event.Name]}).read(label, like)
	}
}

// resolved replaces the path of the file in a key by the path without symbolic links: a file has one state, even if the
// project was opened by several paths.
func resolved(key string) string {
	at := len(key)
	for range 3 { // event, group and handler have no colon; a path may
		if at = strings.LastIndexByte(key[:at], ':'); at < 0 {
			return key
		}
	}
	if path, err := filepath.EvalSymlinks(key[:at]); err == nil {
		return path + key[at:]
	}
	return key
}
