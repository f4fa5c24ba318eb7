package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
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

// settleProfile determines the profile whose files and rules apply. An unknown profile is an error.
func (s *Settings) settleProfile(dir string) (problems []settings.Problem, err error) {
	switch {
	case s.Profile != Found:
	case s.Layers != nil:
		s.Profile = ProfileOfFiles(s.Layers)
	case !s.Bare:
		s.Profile, problems = find(dir, s.Environ)
	default:
		s.Profile = ClaudeCode
	}
	_, err = profileNamed(s.Profile)
	return problems, err
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

// commandEnv returns the environment of commands (rule C92; release 2.1.239): the engine's, without telemetry and, if
// demanded, without credentials of providers, plus the variables for hooks.
//
// Hooks of a profile get the variables of their system in place of Claude Code's.
func (r *reading) commandEnv(all []string, project string) []string {
	scrub := truthy(environ.Getenv(all, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"))
	env := lo.Filter(all, func(entry string, _ int) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !hookEnvDenylist.MatchString(name) && !(scrub && credential.MatchString(name))
	})
	if r.profile != nil {
		for _, name := range r.profile.vars {
			env = environ.WithVar(env, name, project)
		}
		return env
	}
	for _, v := range [...][2]string{{projectDir, project}, {"CLAUDECODE", "1"}, {"CLAUDE_CODE_CHILD_SESSION", "1"}, {"CLAUDE_PID", strconv.Itoa(os.Getpid())}} {
		env = environ.WithVar(env, v[0], v[1])
	}
	return env
}

// plugin reads the hooks of one plugin.
func (r *reading) plugin(p Plugin) {
	manifest := p.manifest(r)
	if name, ok := manifest.Get("name").Text(); ok && p.Name == "" {
		p.Name = name
	}
	if p.Name == "" {
		p.Name = filepath.Base(p.Root)
	}
	p.configure(r, manifest)
	r.plugins = append(r.plugins, p.names()...)
	files := []settings.Layer{{File: filepath.Join(p.Root, "hooks", "hooks.json"), Data: p.Data}}
	inline := p.more(r, manifest.Get("hooks"), &files)
	env := p.environ(r)
	from := func(layer settings.Layer) hooksSource {
		layer.Name, layer.Source = p.Name, hook.Plugin
		return hooksSource{reading: r, layer: layer, root: r.at.Dir, space: p.Root, env: env, plugin: &p}
	}
	for _, layer := range files {
		layer.Strict = true
		v, found, err := layer.Read()
		switch {
		case err != nil:
			r.Problem(asProblem(err, layer.File))
		case found:
			r.Loaded.Files = append(r.Loaded.Files, layer.File)
			r.inspect(v)
			from(layer).hooks(r.Hooks(v))
		}
	}
	for _, v := range inline {
		from(settings.Layer{}).hooks(v)
	}
}

// readPluginConfigs reads the plugin options of the settings. It ignores options in a project's settings, which
// must not configure the user's guards.
func (r *reading) readPluginConfigs(layers []settings.Layer, values []settings.Value) {
	r.pluginConfigs = map[string]map[string]settings.Value{}
	for i, v := range values {
		configs := v.Get("pluginConfigs")
		if !configs.Exists() {
			continue
		}
		if source := layers[i].Source; source == hook.Project || source == hook.Local {
			r.Problem(configs.Name().Wrong("pluginConfigs counts only in the settings of the user; move it there"))
			continue
		}
		for id, config := range configs.Members() {
			if r.pluginConfigs[id] == nil {
				r.pluginConfigs[id] = map[string]settings.Value{}
			}
			maps.Insert(r.pluginConfigs[id], config.Get("options").Members())
		}
	}
}

// setOption copies an option from settings, if they have it.
func (r *reading) setOption(options map[string]any, key string, v settings.Value) {
	if !v.Exists() || v.Kind() == 'n' {
		return
	}
	if text, ok := v.Text(); ok {
		options[key] = text
		return
	}
	var value any
	if err := json.Unmarshal(v.JSON(), &value); err != nil {
		r.Problem(v.Wrong("the option %q cannot be used: %v", key, err))
		return
	}
	options[key] = value
}

// misnamed reports options that the program sets for unknown plugins.
func (r *reading) misnamed() {
	known := map[string]bool{}
	for _, id := range r.plugins {
		known[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(r.PluginOptions)) {
		if !known[id] {
			r.Problem(settings.Problem{Fatal: true, Message: fmt.Sprintf(
				"the program sets options for the plugin %q, which does not exist; the plugins are %s",
				id, strings.Join(r.plugins, ", "))})
		}
	}
}

// switched sets a switch to the value of a file, which replaces the value of files of lower rank.
func (r *reading) switched(to *settings.Value, v settings.Value) {
	switch on, ok := r.Bool(v); {
	case on:
		*to = v
	case ok:
		*to = settings.Value{}
	}
}

// addTexts appends the strings of an array. The result is not nil if there is an array, even an empty one.
func (r *reading) addTexts(list []string, v settings.Value) []string {
	if !v.Exists() || v.Kind() == 'n' {
		return list
	}
	if v.Kind() != '[' {
		r.Problem(v.Want("an array of strings"))
		return list
	}
	if list == nil {
		list = []string{}
	}
	for _, element := range v.Elements() {
		if text, ok := element.Text(); ok {
			list = append(list, text)
		} else {
			r.Problem(element.Want("a string"))
		}
	}
	return list
}

// limit adds the elements of a setting to an allow list. An invalid setting allows nothing, because it was meant to
// restrict.
func (r *reading) limit(list []string, v settings.Value) []string {
	if list = r.addTexts(list, v); list == nil && v.Exists() && v.Kind() != 'n' {
		list = []string{}
	}
	return list
}

// readProfile reads each file of a system. An invalid file does not affect the others.
func (r *reading) readProfile(layers []settings.Layer) {
	p := r.profile
	r.Elsewhere, r.Unfired = nil, p.elsewhen
	if r.policy.untrusted && !p.allTrust {
		r.policy.untrusted, r.policy.own = false, &policy{untrusted: true}
	}
	values := make([]settings.Value, len(layers))
	for i, layer := range layers {
		if p.fileOf(layer).list != "" {
			layer.Format = toml
		}
		read, problems := settings.Read([]settings.Layer{layer})
		if values[i] = read[0]; len(problems) == 0 {
			problems = p.unusable(p.fileOf(layer), values[i])
		}
		if len(problems) > 0 {
			r.lose(layer, problems[0])
			values[i] = settings.Value{}
		}
	}
	if p.switchOff {
		ranked := lo.Zip2(layers, values)
		slices.SortStableFunc(ranked, func(a, b lo.Tuple2[settings.Layer, settings.Value]) int {
			return byPrecedence(a.A, b.A)
		})
		byRank, valuesByRank := lo.Unzip2(ranked)
		r.policy.read(r, byRank, valuesByRank)
	}
	for i, layer := range layers {
		if !values[i].Exists() {
			continue
		}
		r.Loaded.Files = append([]string{layer.File}, r.Loaded.Files...)
		r.inspect(values[i])
		p.fileOf(layer).lost(r, layer, values[i])
		r.readProfileFile(layer, p.fileOf(layer), values[i])
	}
}

func (r *reading) readProfileFile(layer settings.Layer, f profileFile, v settings.Value) {
	o := hooksSource{reading: r, layer: layer, root: r.at.Dir, env: r.env}
	if f.plugin {
		file, err := filepath.Abs(layer.File)
		if err != nil {
			file = layer.File
		}
		root := filepath.Dir(filepath.Dir(file))
		o.plugin = &Plugin{Name: filepath.Base(root), Root: root}
		o.env = environ.WithVar(o.env, r.profile.pluginVar, root)
	}
	if f.list != "" {
		for g := range r.Listed(v.Get("hooks"), f.list) {
			o.group(g)
		}
		return
	}
	events := f.events(v)
	if !f.root && !f.foreign {
		events = r.Hooks(v)
	}
	o.hooks(events)
}

// lose reports that a whole file is ignored. The other files load. With a policy that fails closed, every event that
// can block blocks.
func (r *reading) lose(layer settings.Layer, wrong settings.Problem) {
	wrong.Fatal = false
	r.Problem(wrong)
	r.Lose(layer.Source.String(), &hook.Hook{Identity: hook.Identity{Source: layer.Source}}, wrong)
}

// losePlugin reads a plugin and makes its hooks invalid, because they follow the rules of Claude Code. It reports one
// problem if the plugin has hooks. With a policy that fails closed, the hooks block.
func (r *reading) losePlugin(p Plugin) {
	system, first := r.profile.system, len(r.Loaded.Hooks)
	func() {
		defer func(profile *profile) { r.profile = profile }(r.profile)
		r.profile = nil
		r.plugin(p)
	}()
	lost := r.Loaded.Hooks[first:]
	why := "hooks of plugins follow the rules of Claude Code, and the settings follow the rules of " + system
	for _, h := range lost {
		if h.Skip == "" {
			h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, why, why
		}
	}
	if len(lost) > 0 {
		r.Problem(settings.Problem{
			Position: lost[0].Position,
			Message:  "this plugin's hooks do not run: " + why + "; load the plugin with Profile: claude.ClaudeCode",
		})
	}
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
