package claude

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of Claude Code; its Load goes into
// [pipeline.Config]. The zero Settings finds the files where Claude Code keeps
// them, see [Discover].
//
// The hooks of all layers run, in the order user, project, local, flag,
// managed, then plugins, the program's own, and those of front matter (seed 004
// §18.9); policies leave some out (seed 004 §18.6). Files are read once for a
// directory, and again by Reload.
type Settings struct {
	Layers  []settings.Layer // in place of the files found; they are read on every Load
	Plugins []Plugin         // the enabled ones, in order
	Environ []string         // the engine's environment, for hooks and for switches; nil means os.Environ()
	Level   Level

	Model run.Model       // for prompt hooks
	Agent run.AgentRunner // for agent hooks
	Tools run.ToolCaller  // for mcp_tool hooks

	// PublicOnly keeps HTTP hooks from private addresses; see [run.HTTP].
	PublicOnly bool

	// Safe runs managed hooks alone, and so does CLAUDE_CODE_SAFE_MODE. Bare
	// reads no settings at all, and so does CLAUDE_CODE_SIMPLE.
	Safe, Bare bool
}

// Discover gives the layers of a project directory: .claude/settings.json and
// settings.local.json in it, settings.json in the user's directory, which is
// ~/.claude or what CLAUDE_CONFIG_DIR names, and the managed settings with
// their drop-ins.
func Discover(dir string) []settings.Layer { return discover(dir, os.Environ()) }

func discover(dir string, environ []string) []settings.Layer {
	layers := []settings.Layer{
		{Name: "project", Source: hook.Project, File: filepath.Join(dir, ".claude", "settings.json"), Strict: true},
		{Name: "local", Source: hook.Local, File: filepath.Join(dir, ".claude", "settings.local.json"), Strict: true},
	}
	if home := configDir(environ); home != "" && home != filepath.Join(dir, ".claude") {
		layers = append(layers, settings.Layer{Name: "user", Source: hook.User, File: filepath.Join(home, "settings.json"), Strict: true})
	}
	managed := managedFile()
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(managed), "managed-settings.d", "*.json")) // sorted; the pattern is good
	for _, file := range append([]string{managed}, files...) {
		layers = append(layers, settings.Layer{Name: "managed", Source: hook.Managed, File: file, Strict: true})
	}
	return layers
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

// configDir is the user's directory; empty if there is no home.
func configDir(environ []string) string {
	if dir := getenv(environ, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if home := homeDir(environ); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

func homeDir(environ []string) string {
	if home := getenv(environ, "HOME"); home != "" {
		return home
	}
	home, _ := os.UserHomeDir()
	return home
}

// getenv gives the value of a variable, "" if there is none. Of equal names the
// last one counts.
func getenv(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// order is that of the layers' hooks, and at the same time of precedence: of a
// setting that is one value, the last layer's counts.
var order = []hook.Source{hook.User, hook.Project, hook.Local, hook.Flag, hook.Managed}

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Place) (pipeline.Loaded, error) {
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	r := newReading(s, at)
	if s.Bare || truthy(getenv(s.Environ, "CLAUDE_CODE_SIMPLE")) {
		return r.loaded, nil
	}
	layers := slices.Clone(s.Layers) // others may be loading them too
	if s.Layers == nil {
		layers = discover(at.Dir, s.Environ)
	}
	slices.SortStableFunc(layers, func(a, b settings.Layer) int {
		return slices.Index(order, a.Source) - slices.Index(order, b.Source)
	})
	values := r.readLayers(layers)
	r.policy.read(r, layers, values)
	for i, layer := range layers {
		origin{reading: r, layer: layer, root: r.rootOf(layer), env: r.env}.file(values[i])
	}
	for _, p := range s.Plugins {
		r.plugin(p)
	}
	r.limitEnds()
	return r.loaded, nil
}

func truthy(s string) bool {
	on, err := strconv.ParseBool(s)
	return on || err != nil && s != ""
}

// reading is one Load, and what is kept of it for front matter.
type reading struct {
	Settings
	at     pipeline.Place
	home   string
	env    []string // what commands get
	policy policy
	ids    map[string]int
	loaded pipeline.Loaded
}

// readingKey is the key of the setting that holds the reading.
type readingKey struct{}

func newReading(s Settings, at pipeline.Place) *reading {
	r := &reading{Settings: s, at: at, home: homeDir(s.Environ), ids: map[string]int{}}
	r.env = commandEnv(s.Environ, at.Dir)
	r.loaded.Admit = func(h *hook.Hook) (hook.Why, string) {
		if h.Dialect != Dialect.Name || h.Source != hook.Host && h.Source != hook.FrontMatter {
			return "", ""
		}
		return r.policy.judge(h.Source, "")
	}
	r.loaded.Values = map[any]any{readingKey{}: r}
	if n, err := strconv.Atoi(getenv(s.Environ, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")); err == nil && n >= 0 {
		r.loaded.Values[stopCap{}] = n
	}
	r.policy.forced = map[string]bool{}
	r.policy.untrusted = at.Interactive && at.Untrusted
	r.policy.safe = s.Safe || truthy(getenv(s.Environ, "CLAUDE_CODE_SAFE_MODE"))
	return r
}

// readLayers reads the files. The names of files come highest priority first.
func (r *reading) readLayers(layers []settings.Layer) []settings.Value {
	values, problems := settings.Read(layers)
	r.loaded.Problems = problems
	for i, layer := range slices.Backward(layers) {
		if values[i].Exists() {
			r.loaded.Files = append(r.loaded.Files, layer.File)
			r.inspect(values[i])
		}
	}
	return values
}

// inspect looks at a file as a whole.
func (r *reading) inspect(v settings.Value) {
	if v.Kind() != '{' {
		r.problem(v.Want("an object {\"hooks\": {…}}"))
	}
	r.loaded.Problems = append(r.loaded.Problems, v.Duplicates()...)
}

// rootOf is what a path rule with a leading slash counts from.
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

func (r *reading) problem(p settings.Problem) {
	r.loaded.Problems = append(r.loaded.Problems, p)
}

// limitEnds keeps the SessionEnd hooks to their common time: the longest that a
// hook of the settings files asks for, up to a minute, or what a variable says
// (seed 004 §18.3; release 2.1.239).
func (r *reading) limitEnds() {
	rules := lo.SliceToMap(pipeline.Events(Dialect), func(e pipeline.Declared) (string, pipeline.Rules) { return e.Info().Name, e.Info().Rules })
	ends := lo.Filter(r.loaded.Hooks, func(h *hook.Hook, _ int) bool { return rules[h.Event].Budget && h.Skip == "" })
	each, budget := sessionEnd, sessionEnd
	if ms, err := strconv.Atoi(getenv(r.Environ, "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS")); err == nil && ms > 0 {
		each = time.Duration(ms) * time.Millisecond
		budget = each
	} else {
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
}

// id is unique also when two files have the same rank.
func (r *reading) id(source, event string, group, i int) string {
	id := fmt.Sprintf("%s/%s/%d/%d", source, event, group, i)
	if r.ids[id]++; r.ids[id] > 1 {
		id += "#" + strconv.Itoa(r.ids[id])
	}
	return id
}
