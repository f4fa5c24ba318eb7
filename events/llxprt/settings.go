package llxprt

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of the LLxprt system; pass its Load in [pipeline.Config]. The zero Settings finds the
// files where the system keeps them, see [Discover].
//
// The hooks of all layers run, in the order project, user, system, extensions (L7). No hook runs unless
// tools.enableHooks is true. If several layers set it, the system's setting overrides the project's, and the project's
// overrides the user's. In the profile [Gemini] hooks are on unless a layer disables them.
type Settings struct {
	// Profile selects the files and rules. Found stands for the result of [Find] or, if Layers is set, of
	// [ProfileOfFiles].
	Profile Profile
	Layers  []settings.Layer // replace the files that Discover finds; read on every Load

	// LayersFound means that Layers has the files that [Find] would read, not a replacement: hooks of the other profile
	// in the directory are a problem.
	LayersFound bool

	Extensions []Extension // the active extensions, in order
	Environ    []string    // the engine's environment for hooks; nil means os.Environ()

	// Shell starts a shell for every command, like hooksConfig.alwaysShell in any settings file. Otherwise a command
	// that is one literal call of a program starts without a shell, which saves most of the time and makes no
	// difference to the program; see [run.Direct].
	Shell bool

	// Types are types of hooks in addition to "command".
	Types entries.Types

	both bool // there are settings of LLxprt and of Gemini
}

// Extension contributes hooks: the file hooks/hooks.json below its directory,
// or Data in its place. ${extensionPath} in a command is the directory.
type Extension struct {
	Name string // empty means the directory's last element
	Dir  string
	Data []byte
}

// order lists the sources in the order in which their hooks run (L7).
var order = []hook.Source{hook.Project, hook.User, hook.SystemWide, hook.Extension}

// layerRank returns the index of a source in the order; the host's own sources come last.
func layerRank(s hook.Source) int {
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

// set here, because Load uses Dialect: in Dialect's literal, Load would make an initialization cycle
func init() { Dialect.Settings = Settings{}.Load }

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	s.profile(at.Dir)
	layers := slices.Concat(
		s.Layers,
		lo.Map(s.Extensions, func(e Extension, _ int) settings.Layer { return e.layer() }),
	)
	slices.SortStableFunc(
		layers,
		func(a, b settings.Layer) int { return cmp.Compare(layerRank(a.Source), layerRank(b.Source)) },
	)

	values, problems := settings.Read(layers)
	r := &reading{
		Reader:  entries.Reader{Dialect: Dialect, Elsewhere: elsewhere, Misplaced: misplaced},
		at:      at,
		profile: s.Profile,
		types:   s.Types,
	}
	r.Loaded.Problems = lo.Uniq(problems) // layers of the same file repeat its problems
	r.Loaded.Values = map[any]any{profileKey{}: s.Profile}
	for i, layer := range layers {
		if values[i].Exists() {
			r.Loaded.Files = append(r.Loaded.Files, layer.File)
			r.Loaded.Problems = append(r.Loaded.Problems, values[i].Duplicates()...)
		}
	}
	r.switches(layers, values, s.Environ, s.Shell)
	for i, layer := range layers {
		like := &hook.Hook{Identity: hook.Identity{Source: layer.Source}}
		(&group{reading: r, layer: layer}).exclude(like)
		if values[i].Exists() && values[i].Kind() != '{' {
			r.Problem(values[i].Want(`an object {"hooks": {…}}`))
		}
		hooks := r.Hooks(values[i])
		r.LoseUnread(layer.Source.String(), like, values[i], hooks, '{')
		r.hooks(layer, hooks)
	}
	if s.both {
		passed, lost := s.Profile.passOver(at, r.Loaded.Hooks)
		r.Loaded.Hooks = append(r.Loaded.Hooks, passed...)
		r.Loaded.Problems = append(r.Loaded.Problems, lost...)
	}
	return r.Loaded, nil
}

// profile sets the profile and the layers.
func (s *Settings) profile(dir string) {
	switch {
	case s.Profile != Found:
	case s.Layers != nil && !s.LayersFound:
		s.Profile = ProfileOfFiles(s.Layers)
	default:
		s.Profile, s.both = choose(dir)
	}
	if s.Layers == nil {
		s.Layers = s.Profile.Discover(dir)
	}
}

func (e Extension) layer() settings.Layer {
	name := e.Name
	if name == "" {
		name = filepath.Base(e.Dir)
	}
	return settings.Layer{
		Name:   name,
		Source: hook.Extension,
		File:   filepath.Join(e.Dir, "hooks", "hooks.json"),
		Data:   e.Data,
	}
}

// reading holds the state of one Load.
type reading struct {
	entries.Reader
	at      pipeline.Workspace
	profile Profile
	all     scopeSettings // settings for hooks of all levels
	own     scopeSettings // settings for the project's hooks, which the project's own settings may restrict further
	types   entries.Types
}

// scopeSettings holds the settings that apply to a set of hooks.
type scopeSettings struct {
	environ   []string
	redaction []environ.Redaction // of each layer
	shell     bool
	off       string      // why none of the hooks runs; empty if they are on
	offBy     hook.Source // the source of the settings that off names
	configBy  hook.Source
	decided   bool                   // a layer has switched the hooks on or off
	config    string                 // like off, but set by hooksConfig.enabled
	disabled  map[string]hook.Source // the source that disables a hook, by its name or, without a name, its command
	formerly  map[string]hook.Source // like disabled, but from hooks.disabled, and by name only
}

// of returns the settings that apply to a hook of a source.
func (r *reading) of(source hook.Source) *scopeSettings {
	if source == hook.Project {
		return &r.own
	}
	return &r.all
}

// switches reads the settings for all hooks: the switch, the disabled names, and the redaction of the environment. If
// the user has not agreed to a project, its settings apply only to its own hooks. There is one exception: if no other
// level has set the switch, the project can enable the hooks of all levels.
func (r *reading) switches(layers []settings.Layer, values []settings.Value, environment []string, shell bool) {
	if environment == nil {
		environment = os.Environ()
	}
	r.all = scopeSettings{shell: shell}
	if r.profile != Gemini {
		r.all.off = "hooks are off: tools.enableHooks is not true in any settings file; add \"tools\": {\"enableHooks\": true}"
	}
	r.own = r.all
	r.all.disabled, r.own.disabled = map[string]hook.Source{}, map[string]hook.Source{}
	r.all.formerly, r.own.formerly = map[string]hook.Source{}, map[string]hook.Source{}
	for _, i := range overruling(layers) { // the last layer that sets a switch decides
		w := r.wishes(values[i])
		w.by = layers[i].Source
		vouched := r.at.Vouches(layers[i].Source)
		r.own.add(w, vouched)
		if !vouched && !r.at.Untrusted {
			r.tellOff(values[i], w)
		}
		if vouched {
			r.all.add(w, true)
		} else if w.hooks.Kind() == 't' && !r.all.decided {
			r.all.off = ""
		}
	}
	r.own.finish(environment, r.at.Dir)
	r.all.finish(environment, r.at.Dir)
}

// tellOff reports switches set by a project that the user has not decided about. They disable only its own hooks.
func (r *reading) tellOff(v settings.Value, w wishes) {
	const alone = "%s of a project that is not trusted yet switches off only the project's own hooks; " +
		"the user's hooks run until trust is granted"
	for _, off := range []struct {
		name string
		at   settings.Value
		is   bool
	}{
		{"tools.enableHooks", w.hooks, w.hooks.Kind() == 'f'},
		{"hooksConfig.enabled", w.enabled, w.enabled.Kind() == 'f'},
		{"hooksConfig.disabled", v.Get("hooksConfig").Get("disabled"), len(w.disabled) > 0},
		{"hooks.disabled", v.Get("hooks").Get("disabled"), len(w.formerly) > 0},
	} {
		if off.is {
			r.Problem(off.at.Wrong(alone, off.name))
		}
	}
}

// overruling returns the indexes of the layers with switches, in the order of rising precedence: a machine's defaults,
// user, project, system.
func overruling(layers []settings.Layer) (order []int) {
	rank := func(l settings.Layer) int {
		if l.Name == defaultsLayer {
			return 0
		}
		return 1 + slices.Index([]hook.Source{hook.User, hook.Project, hook.SystemWide}, l.Source)
	}
	for i, layer := range layers {
		if rank(layer) > 0 || layer.Name == defaultsLayer {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(layers[a]), rank(layers[b])) })
	return order
}

// wishes holds one layer's settings for all hooks. A switch that is not a boolean is the zero
// Value.
type wishes struct {
	hooks, enabled settings.Value // tools.enableHooks, hooksConfig.enabled
	shell          bool
	disabled       []string
	formerly       []string // names in hooks.disabled, the place of the list in older versions
	redaction      environ.Redaction
	by             hook.Source
}

func (r *reading) wishes(v settings.Value) (w wishes) {
	config := v.Get("hooksConfig")
	r.object(config, `an object such as {"enabled": true}`)
	r.object(v.Get("tools"), `an object such as {"enableHooks": true}`)
	r.Misspelt(config, configMembers...)
	r.Misspelt(v.Get("tools"), toolsMembers...)
	w.hooks, w.enabled = r.boolean(v.Get("tools").Get("enableHooks")), r.boolean(config.Get("enabled"))
	w.shell, _ = r.Bool(config.Get("alwaysShell"))
	w.disabled = r.texts(config.Get("disabled"))
	if former := v.Get("hooks").Get("disabled"); former.Kind() == '[' {
		w.formerly = r.texts(former)
	}
	redaction := v.Get("security").Get("environmentVariableRedaction")
	w.redaction.Enabled, _ = r.Bool(redaction.Get("enabled"))
	w.redaction.Allowed = r.texts(redaction.Get("allowed"))
	w.redaction.Blocked = r.texts(redaction.Get("blocked"))
	return w
}

// object reports settings that are not an object, and therefore enable or disable nothing. Null counts as absent.
func (r *reading) object(v settings.Value, want string) {
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		r.Problem(v.Want(want))
	}
}

func (r *reading) boolean(v settings.Value) settings.Value {
	if _, ok := r.Bool(v); !ok {
		return settings.Value{}
	}
	return v
}

// add merges the settings of one layer. Without vouched the layer cannot enable hooks that another layer has disabled.
func (s *scopeSettings) add(w wishes, vouched bool) {
	switch {
	case w.hooks.Kind() == 'f':
		s.off, s.decided = "hooks are off: tools.enableHooks is false at "+w.hooks.Position().String(), true
		s.offBy = w.by
	case w.hooks.Kind() == 't' && (vouched || !s.decided):
		s.off, s.decided = "", true
	}
	switch {
	case w.enabled.Kind() == 'f':
		s.config = "hooks are off: hooksConfig.enabled is false at " + w.enabled.Position().String()
		s.configBy = w.by
	case w.enabled.Kind() == 't' && vouched:
		s.config = ""
	}
	s.shell = s.shell || w.shell
	for _, name := range w.disabled {
		s.disabled[name] = w.by // system settings are added last, and override the others
	}
	for _, name := range w.formerly {
		s.formerly[name] = w.by
	}
	s.redaction = append(s.redaction, w.redaction)
}

func (s *scopeSettings) finish(environment []string, dir string) {
	if s.config != "" && (s.off == "" || s.offBy != hook.Host && s.offBy != hook.SystemWide) {
		s.off, s.offBy = s.config, s.configBy // of two reasons, keep the one that no lock overrides
	}
	s.environ = withProject(environ.ApplyAll(environment, s.redaction), dir)
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

// hooks reads the hooks of one layer (L4).
func (r *reading) hooks(layer settings.Layer, v settings.Value) {
	for g := range r.Groups(v, nil) {
		(&group{reading: r, Group: g, layer: layer}).read()
	}
}

// projectVars lists the variables that hold the project's directory (L20).
var projectVars = []string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"}

func withProject(env []string, dir string) []string {
	for _, name := range projectVars {
		env = environ.WithVar(env, name, dir)
	}
	return env
}
