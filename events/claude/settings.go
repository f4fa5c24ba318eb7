package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of Claude Code; pass its Load in [pipeline.Config]. The zero Settings finds the files
// where Claude Code keeps them, see [Discover].
//
// The hooks of all layers run, in the order user, project, local, flag, managed, then plugins, hooks that the program
// adds to the system, front matter, and hooks that the program adds to the session (C2); policies exclude some (C10).
// Files are read once for a directory, and again by Reload.
type Settings struct {
	Layers  []settings.Layer // replace the files that Discover finds; read on every Load
	Plugins []Plugin         // the enabled plugins, in order; their hooks do not run under a Profile of another system
	Environ []string         // the engine's environment, for hooks and for switches; nil means os.Environ()
	Level   Level
	Profile Profile // selects the files and rules; Found: the result of [Find], or of [ProfileOfFiles] for Layers

	Model judge.Model        // for prompt hooks
	Agent judge.AgentRunner  // for agent hooks
	Tools request.ToolCaller // for mcp_tool hooks

	// PublicOnly keeps HTTP hooks from private addresses; see [request.HTTP].
	PublicOnly bool

	// Types are further types of hooks, which run at every event.
	Types entries.Types

	// PluginOptions holds options of plugins by the name of the plugin, or NAME@MARKETPLACE; they
	// override all others. Options for an unknown plugin are a problem.
	PluginOptions map[string]map[string]any

	// Safe runs only managed hooks, like CLAUDE_CODE_SAFE_MODE. Bare reads no settings at all, like CLAUDE_CODE_SIMPLE.
	Safe, Bare bool
}

// Discover returns the layers of a project directory: settings.json and settings.local.json in its
// folder .claude, settings.json in the user's folder, which is ~/.claude or CLAUDE_CONFIG_DIR, and
// the managed settings with their drop-ins.
func Discover(dir string) []settings.Layer { return discover(dir, os.Environ()) }

func discover(dir string, env []string) []settings.Layer {
	layers := []settings.Layer{
		{Name: "project", Source: hook.Project, File: filepath.Join(dir, ".claude", "settings.json"), Strict: true},
		{Name: "local", Source: hook.Local, File: filepath.Join(dir, ".claude", "settings.local.json"), Strict: true},
	}
	if home := configDir(env); home != "" && !bounded.SameFile(home, filepath.Join(dir, ".claude")) {
		layers = append(
			layers,
			settings.Layer{Name: "user", Source: hook.User, File: filepath.Join(home, "settings.json"), Strict: true},
		)
	}
	managed := managedFile()
	for _, file := range append([]string{managed}, dropIns(filepath.Join(filepath.Dir(managed), "managed-settings.d"))...) {
		layers = append(layers, settings.Layer{Name: "managed", Source: hook.Managed, File: file, Strict: true})
	}
	return layers
}

// dropIns returns the settings files in a directory, sorted by name. If the directory cannot be read, it returns the
// directory itself, so that reading it reports the error.
func dropIns(dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{dir}
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".json" {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files
}

func managedFile() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

// configDir returns the user's directory; empty if there is no home.
func configDir(env []string) string {
	if dir := environ.Getenv(env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if home := homeDir(env); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

func homeDir(env []string) string {
	if home := environ.Getenv(env, "HOME"); home != "" {
		return home
	}
	home, _ := environ.Home()
	return home
}

// order lists the layers from lowest to highest precedence. Hooks run in this order, and the last layer determines a
// setting with one value.
var order = []hook.Source{hook.User, hook.Project, hook.Local, hook.Flag, hook.Managed}

func byPrecedence(a, b settings.Layer) int {
	return slices.Index(order, a.Source) - slices.Index(order, b.Source)
}

// Not in Dialect's literal: Load uses Dialect, which would be an initialization cycle.
func init() { Dialect.Settings = Settings{}.Load }

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	problems, err := s.settleProfile(at.Dir)
	if err != nil {
		return pipeline.Loaded{}, err
	}
	r := newReading(s, at)
	r.Loaded.Problems = problems
	if s.Bare || truthy(environ.Getenv(s.Environ, "CLAUDE_CODE_SIMPLE")) {
		return r.Loaded, nil
	}
	layers := slices.Clone(s.Layers) // a copy: other loads may use the same slice
	if s.Layers == nil {
		layers = s.Profile.discover(at.Dir, s.Environ)
	}
	if r.profile != nil {
		r.readProfile(layers)
		for _, p := range s.Plugins {
			r.losePlugin(p)
		}
		return r.Loaded, nil
	}
	slices.SortStableFunc(layers, byPrecedence)
	values := r.readLayers(layers)
	r.policy.read(r, layers, values)
	for i, layer := range layers {
		hooks := r.Hooks(values[i])
		like := &hook.Hook{Identity: hook.Identity{Source: layer.Source}, Exclusion: r.policy.judge(layer.Source, "")}
		r.LoseUnread(layer.Source.String(), like, values[i], hooks, '{')
		hooksSource{reading: r, layer: layer, root: r.rootOf(layer), env: r.env}.hooks(hooks)
	}
	r.readPluginConfigs(layers, values)
	for _, p := range s.Plugins {
		r.plugin(p)
	}
	r.misnamed()
	r.limitEnds()
	return r.Loaded, nil
}

func truthy(s string) bool {
	on, err := strconv.ParseBool(s)
	return on || err != nil && s != ""
}

// reading is the state of one Load; front matter uses it later.
type reading struct {
	entries.Reader
	Settings
	at     pipeline.Workspace
	home   string
	env    []string // the environment of commands
	policy policy

	fallback []string              // the directories to use if the agent's directory no longer exists
	pathsOf  map[*Plugin]*pathVars // placeholders of the sources read so far

	profile *profile // nil: Claude Code

	pluginConfigs map[string]map[string]settings.Value // options in settings, by plugin
	plugins       []string                             // the names of the installed plugins
}

// readingKey is the key of the setting that holds the reading.
type readingKey struct{}

func newReading(s Settings, at pipeline.Workspace) *reading {
	r := &reading{
		Reader:   entries.Reader{Dialect: Dialect, Elsewhere: movedEvents},
		Settings: s,
		at:       at,
		home:     homeDir(s.Environ),
	}
	r.profile, _ = profileNamed(s.Profile) // settleProfile has checked the error
	r.env = r.commandEnv(s.Environ, at.Dir)
	r.fallback, r.pathsOf = lo.Compact([]string{at.Dir, r.home, os.TempDir()}), map[*Plugin]*pathVars{}
	r.Loaded.Admit = func(h *hook.Hook) hook.Exclusion {
		if h.Dialect != Dialect.Name || h.Source != hook.FrontMatter && !h.UserProvided {
			return hook.Exclusion{} // Load has checked the settings' hooks; the program's own need no check
		}
		return r.policy.judge(h.Source, "")
	}
	r.Loaded.Values = map[any]any{readingKey{}: r}
	if n, err := strconv.Atoi(environ.Getenv(s.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")); err == nil && n >= 0 {
		r.Loaded.Values[stopCap{}] = n
	}
	r.policy.forced = map[string]bool{}
	r.policy.untrusted = at.Interactive && at.Untrusted
	r.policy.safe = s.Safe || truthy(environ.Getenv(s.Environ, "CLAUDE_CODE_SAFE_MODE"))
	return r
}

// readLayers reads the files, and lists their names, highest priority first.
func (r *reading) readLayers(layers []settings.Layer) []settings.Value {
	values, problems := settings.Read(layers)
	r.Loaded.Problems = lo.Uniq(append(r.Loaded.Problems, problems...)) // layers with one file repeat its problems
	for i, layer := range slices.Backward(layers) {
		if values[i].Exists() {
			r.Loaded.Files = append(r.Loaded.Files, layer.File)
			r.inspect(values[i])
		}
	}
	return values
}

// inspect reports a file that is not an object, and repeated members.
func (r *reading) inspect(v settings.Value) {
	if v.Kind() != '{' {
		r.Problem(v.Want("an object {\"hooks\": {…}}"))
	}
	r.Loaded.Problems = append(r.Loaded.Problems, v.Duplicates()...)
}

// rootOf returns the directory to which a path rule with a leading slash is relative.
func (r *reading) rootOf(layer settings.Layer) string {
	file, err := filepath.Abs(layer.File)
	switch {
	case layer.Source == hook.User:
		return configDir(r.Environ)
	case layer.File != "" && err == nil && (layer.Source == hook.Flag || layer.Source == hook.Managed):
		return filepath.Dir(file)
	}
	return r.at.Dir
}

// limitEnds limits the total time of SessionEnd hooks to 1.5 seconds, or the value of a variable. At the newer level,
// the longest timeout of the settings files raises it to a minute at most (rule C60; release 2.1.239).
func (r *reading) limitEnds() {
	rules := lo.SliceToMap(
		pipeline.Events(Dialect),
		func(e pipeline.Declared) (string, pipeline.Rules) { return e.Info().Name, e.Info().Rules },
	)
	ends := lo.Filter(r.Loaded.Hooks, func(h *hook.Hook, _ int) bool { return rules[h.Event].Budget && h.Skip == "" })
	each, budget := sessionEnd, sessionEnd
	if ms := parseInt(environ.Getenv(r.Environ, "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS")); ms > 0 {
		each = time.Duration(ms) * time.Millisecond
		budget = each
	} else if r.Level == Docs {
		for _, h := range ends {
			if h.Source != hook.Plugin {
				budget = min(max(budget, h.Timeout), time.Minute)
			}
		}
	}
	for _, h := range ends {
		if h.Timeout == 0 {
			h.Timeout = each
		}
		h.Timeout = min(h.Timeout, budget)
	}
	r.Loaded.Values[endBudget{}] = budget
}

// parseInt reads a number as JavaScript's parseInt does: it reads white space, a sign and digits, and
// ignores the text after the digits. It returns 0 for a text without digits.
func parseInt(text string) int {
	text = strings.TrimLeft(text, " \t\n\r\v\f")
	text = strings.TrimPrefix(text, "+")
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || end == 0 && text[0] == '-') {
		end++
	}
	n, err := strconv.Atoi(text[:min(end, 12)]) // no real timeout has more digits
	if err != nil {
		return 0
	}
	return n
}
