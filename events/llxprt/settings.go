package llxprt

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of the LLxprt system; its Load goes into
// [pipeline.Config]. The zero Settings finds the files where the system keeps
// them, see [Discover].
//
// The hooks of all layers run, in the order project, user, system, extensions
// (seed 003 §6.3). Nothing runs unless tools.enableHooks is true; of several
// layers that set it, system counts before project before user.
type Settings struct {
	Layers     []settings.Layer // in place of the files found; they are read on every Load
	Extensions []Extension      // the active ones, in order
	Environ    []string         // the engine's environment for hooks; nil means os.Environ()

	// Shell starts a shell for every command, and so does hooksConfig.alwaysShell
	// in any settings file. Otherwise a command that is one
	// literal call of a program starts without, which saves most of the time and
	// looks the same to the program; see [run.Direct].
	Shell bool
}

// Extension contributes hooks: the file hooks/hooks.json below its directory,
// or Data in its place. ${extensionPath} in a command is the directory.
type Extension struct {
	Name string // empty means the directory's last element
	Dir  string
	Data []byte
}

// Discover gives the layers of a project directory: .llxprt/settings.json in
// it, in the user's home directory, and the system's, which is
// /etc/llxprt-code/settings.json or its like, or what the variable
// LLXPRT_SYSTEM_SETTINGS_PATH names.
func Discover(dir string) []settings.Layer {
	layers := []settings.Layer{{Name: "project", Source: hook.Project, File: filepath.Join(dir, ".llxprt", "settings.json")}}
	if home, err := os.UserHomeDir(); err == nil && home != dir {
		layers = append(layers, settings.Layer{Name: "user", Source: hook.User, File: filepath.Join(home, ".llxprt", "settings.json")})
	}
	return append(layers, settings.Layer{Name: "system", Source: hook.SystemWide, File: systemFile()})
}

func systemFile() string {
	if file := os.Getenv("LLXPRT_SYSTEM_SETTINGS_PATH"); file != "" {
		return file
	}
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/LLxprt-Code/settings.json"
	case "windows":
		return `C:\ProgramData\llxprt-code\settings.json`
	}
	return "/etc/llxprt-code/settings.json"
}

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Place) (pipeline.Loaded, error) {
	layers := s.Layers
	if layers == nil {
		layers = Discover(at.Dir)
	}
	layers = slices.Concat(layers, lo.Map(s.Extensions, func(e Extension, _ int) settings.Layer { return e.layer() }))
	slices.SortStableFunc(layers, func(a, b settings.Layer) int { return cmp.Compare(a.Source, b.Source) })

	values, problems := settings.Read(layers)
	r := &reading{Reader: entries.Reader{Dialect: Dialect, Elsewhere: elsewhere, Misplaced: misplaced}, at: at, environ: s.Environ, shell: s.Shell}
	r.Loaded.Problems = problems
	for i, layer := range layers {
		if values[i].Exists() {
			r.Loaded.Files = append(r.Loaded.Files, layer.File)
			r.Loaded.Problems = append(r.Loaded.Problems, values[i].Duplicates()...)
		}
	}
	r.switches(layers, values)
	for i, layer := range layers {
		r.hooks(layer, values[i].Get("hooks"))
	}
	return r.Loaded, nil
}

func (e Extension) layer() settings.Layer {
	name := e.Name
	if name == "" {
		name = filepath.Base(e.Dir)
	}
	return settings.Layer{Name: name, Source: hook.Extension, File: filepath.Join(e.Dir, "hooks", "hooks.json"), Data: e.Data}
}

// reading is one Load under way.
type reading struct {
	entries.Reader
	at       pipeline.Place
	environ  []string
	shell    bool
	off      string          // why no hook runs at all; empty if hooks are on
	disabled map[string]bool // by name, or command of a hook without one
}

// switches reads what concerns all hooks: the switch, the disabled names, and
// the redaction of the environment. An untrusted project can switch hooks on,
// which lets others run, but cannot switch any off.
func (r *reading) switches(layers []settings.Layer, values []settings.Value) {
	r.off = "hooks are off: tools.enableHooks is not true in any settings file; add \"tools\": {\"enableHooks\": true}"
	r.disabled = map[string]bool{}
	var redact environ.Redaction
	var off string                                                                      // by hooksConfig.enabled
	for _, source := range [...]hook.Source{hook.User, hook.Project, hook.SystemWide} { // the last one that says something counts
		for i, layer := range layers {
			if layer.Source != source {
				continue
			}
			v, trusted := values[i], !(r.at.Untrusted && source == hook.Project)
			r.enable(v.Get("tools").Get("enableHooks"), trusted)
			if !trusted {
				continue
			}
			config := v.Get("hooksConfig")
			if on, ok := r.Bool(config.Get("enabled")); ok && on {
				off = ""
			} else if ok {
				off = "hooks are off: hooksConfig.enabled is false at " + config.Get("enabled").Position().String()
			}
			if on, ok := r.Bool(config.Get("alwaysShell")); ok {
				r.shell = r.shell || on
			}
			for _, name := range r.texts(config.Get("disabled")) {
				r.disabled[name] = true
			}
			r.redaction(&redact, v.Get("security").Get("environmentVariableRedaction"))
		}
	}
	if off != "" {
		r.off = off
	}
	env := r.environ
	if env == nil {
		env = os.Environ()
	}
	r.environ = withProject(redact.Apply(env), r.at.Dir)
}

func (r *reading) enable(v settings.Value, trusted bool) {
	on, ok := r.Bool(v)
	switch {
	case !ok || !on && !trusted:
	case on:
		r.off = ""
	default:
		r.off = "hooks are off: tools.enableHooks is false at " + v.Position().String()
	}
}

// redaction adds one layer's wishes; a layer cannot undo another's.
func (r *reading) redaction(all *environ.Redaction, v settings.Value) {
	if on, ok := r.Bool(v.Get("enabled")); ok {
		all.Enabled = all.Enabled || on
	}
	all.Allowed = append(all.Allowed, r.texts(v.Get("allowed"))...)
	all.Blocked = append(all.Blocked, r.texts(v.Get("blocked"))...)
}

func (r *reading) texts(v settings.Value) (list []string) {
	if v.Exists() && v.Kind() != '[' && v.Kind() != 'n' {
		r.Problem(v.Want("an array of strings"))
	}
	for _, element := range v.Elements() {
		if s, ok := r.Text(element); ok {
			list = append(list, s)
		}
	}
	return list
}

// The variables that hold the project's directory (seed 003 §7.6).
var projectVars = []string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}

func withProject(env []string, dir string) []string {
	for _, name := range projectVars {
		env = environ.WithVar(env, name, dir)
	}
	return env
}
