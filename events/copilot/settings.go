package copilot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Surface names the program that runs the hooks.
type Surface string

// The surfaces. The zero Surface is CLI.
const (
	CLI    Surface = "cli"    // the command line, and the Agent Host of VS Code
	Cloud  Surface = "cloud"  // the cloud agent: hooks of the repository alone, and no user to ask
	VSCode Surface = "vscode" // the Local chat of VS Code: its own payloads, no matchers, no policy
)

// Surfaces returns the names of all surfaces.
func Surfaces() []Surface { return []Surface{CLI, Cloud, VSCode} }

// Settings reads the settings of Copilot; its Load goes into [pipeline.Config]. The zero Settings
// finds the files where the command line of Copilot keeps them, see [Discover].
//
// The hooks of all files run, in the order policy, user, project. A file that cannot be read is a
// problem, and does not affect the others.
type Settings struct {
	Profile Surface
	Layers  []settings.Layer // replace the files that Discover finds; read on every Load
	Environ []string         // the engine's environment, for hooks and switches; nil means os.Environ()
	Types   entries.Types    // types of hooks in addition to command, http and prompt
	Alone   bool             // do not read the settings of Claude Code
}

// layerKind determines how a file is read.
type layerKind uint8

// The kinds.
const (
	hookFile layerKind = iota // a file in a directory of hooks: of its entries, only malformed ones are ignored
	inline                    // settings: an invalid entry invalidates the whole file
	foreign                   // settings of Claude Code
)

// places lists the files of the surfaces in the order of their hooks (G1, G2, G60, G61).
var places = []struct {
	source   hook.Source
	base     string // the directory of pattern: etc, home, or "" for the project
	pattern  string
	surfaces []Surface
}{
	{hook.Managed, "etc", "github-copilot/policy.d/*.json", []Surface{CLI}},
	{hook.User, "home", "hooks/*.json", []Surface{CLI, VSCode}},
	{hook.User, "home", "settings.json", []Surface{CLI}},
	{hook.Project, "", ".github/hooks/*.json", []Surface{CLI, Cloud, VSCode}},
	{hook.Project, "", ".github/copilot/settings.json", []Surface{CLI}},
	{hook.Local, "", ".github/copilot/settings.local.json", []Surface{CLI}},
	{hook.Project, "", ".claude/settings.json", []Surface{CLI}},
	{hook.Local, "", ".claude/settings.local.json", []Surface{CLI}},
}

// mostFiles limits the files of one directory that are read.
const mostFiles = 256

// Discover returns the layers of a project directory for the command line: policy.d below
// /etc/github-copilot, the user's hooks and settings.json below ~/.copilot or COPILOT_HOME, and
// .github/hooks, .github/copilot and .claude of the project.
func Discover(dir string) []settings.Layer { return CLI.Discover(dir) }

// Discover returns the layers of a project directory that the surface reads.
func (p Surface) Discover(dir string) []settings.Layer {
	layers, _ := p.discover(dir, os.Environ())
	return layers
}

// discover returns the layers like Discover, and a problem for each directory with too many files.
func (p Surface) discover(dir string, env []string) (layers []settings.Layer, problems []settings.Problem) {
	bases := map[string]string{"": dir, "etc": policyBase(env), "home": copilotHome(env)}
	for _, at := range places {
		if base := bases[at.base]; base != "" && slices.Contains(at.surfaces, p.orCLI()) {
			files := expand(filepath.Join(base, filepath.FromSlash(at.pattern)))
			if len(files) > mostFiles {
				problems = append(problems, tooMany(filepath.Dir(files[0])))
				files = files[:mostFiles]
			}
			for _, file := range files {
				strict := kindOf(file) == hookFile
				layers = append(layers, settings.Layer{Name: layerNames[at.source], Source: at.source, File: file, Strict: strict})
			}
		}
	}
	return layers, problems
}

func tooMany(dir string) settings.Problem {
	return settings.Problem{Position: hook.Position{File: dir}, Message: fmt.Sprintf(
		"the directory has more than %d files with hooks; the others are not read: merge some", mostFiles)}
}

var layerNames = map[hook.Source]string{hook.Managed: "policy", hook.User: "user", hook.Project: "project", hook.Local: "local"}

func (p Surface) orCLI() Surface {
	if p == "" {
		return CLI
	}
	return p
}

// expand returns the files of a pattern whose last element may be *.json, sorted by name.
func expand(pattern string) []string {
	dir, last := filepath.Split(pattern)
	if last != "*.json" {
		return []string{pattern}
	}
	found, _ := os.ReadDir(dir) // the original also ignores a directory that cannot be read
	return lo.FilterMap(found, func(e os.DirEntry, _ int) (string, bool) {
		return filepath.Join(dir, e.Name()), filepath.Ext(e.Name()) == ".json"
	})
}

func policyBase(env []string) string {
	if runtime.GOOS == "windows" {
		return `C:\ProgramData\GitHub\Copilot\..`
	}
	return environ.Etc(env)
}

func copilotHome(env []string) string {
	if dir := environ.Getenv(env, "COPILOT_HOME"); dir != "" {
		return dir
	}
	home := environ.Getenv(env, "HOME")
	if home == "" {
		home, _ = environ.Home()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".copilot")
}

// kindOf returns the kind of a file, by its path.
func kindOf(file string) layerKind {
	parts := strings.Split(filepath.ToSlash(file), "/")
	base := parts[len(parts)-1]
	switch {
	case slices.Contains(parts, ".claude"):
		return foreign
	case base == "settings.json" || base == "settings.local.json":
		return inline
	}
	return hookFile
}

// Foreign reports whether a layer is a settings file of Claude Code, which Copilot reads too. If all layers are
// Foreign, the project shows no sign of Copilot.
func Foreign(l settings.Layer) bool { return kindOf(l.File) == foreign }

func init() { Dialect.Settings = Settings{}.Load } // Load uses Dialect: in the literal it would be a cycle

// order ranks the sources; files of equal rank keep their order.
var order = map[hook.Source]int{hook.Managed: 1, hook.User: 2, hook.Project: 3, hook.Local: 3}

// reading holds the state of one Load.
type reading struct {
	entries.Reader
	Settings
	at     pipeline.Workspace
	env    []string       // the environment of commands
	off    settings.Value // the value of disableAllHooks for all hooks; the zero Value: hooks are on
	offBy  hook.Source    // the source of off
	ownOff settings.Value // like off, but only for the hooks of a project that the user has not agreed to
	etc    string
}

// surfaceKey is the key of the setting that holds the surface.
type surfaceKey struct{}

// surfaceOf returns the surface of a session's settings.
func surfaceOf(s *pipeline.Session) Surface {
	p, _ := s.Setting(surfaceKey{}).(Surface)
	return p.orCLI()
}

// Load reads the settings for a directory. It is a [pipeline.Load]. It fails only for an unknown
// surface.
func (s Settings) Load(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	if s.Profile = s.Profile.orCLI(); !slices.Contains(Surfaces(), s.Profile) {
		return pipeline.Loaded{}, fmt.Errorf("there is no profile %q of the dialect copilot; write one of: %s", string(s.Profile),
			strings.Join(lo.Map(Surfaces(), func(p Surface, _ int) string { return string(p) }), ", "))
	}
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	r := &reading{
		Reader: entries.Reader{Dialect: Dialect, Flat: true, Unfired: unfired, Elsewhere: elsewhere}, Settings: s, at: at,
		etc: policyBase(s.Environ),
	}
	r.env = s.Environ
	for _, v := range [...][2]string{{"COPILOT_CLI", "1"}, {"COPILOT_PROJECT_DIR", at.Dir}, {"CLAUDE_PROJECT_DIR", at.Dir}} {
		r.env = environ.WithVar(r.env, v[0], v[1])
	}
	r.Loaded.Values = map[any]any{surfaceKey{}: s.Profile}
	layers := slices.Clone(s.Layers) // a copy: other loads may use the same slice
	if s.Layers == nil {
		layers, r.Loaded.Problems = s.Profile.discover(at.Dir, s.Environ)
	}
	if s.Alone {
		layers = slices.DeleteFunc(layers, Foreign)
	}
	slices.SortStableFunc(layers, func(a, b settings.Layer) int { return order[a.Source] - order[b.Source] })
	r.files(layers)
	return r.Loaded, nil
}

// files reads the switches for all hooks, and then the hooks of the files.
func (r *reading) files(layers []settings.Layer) {
	values, problems := settings.Read(layers)
	for i, layer := range layers {
		at := slices.IndexFunc(problems, func(p settings.Problem) bool { return p.Position.File == layer.File })
		var wrong *settings.Problem
		if at >= 0 {
			wrong = &problems[at]
		} else if values[i].Exists() {
			wrong = r.unusable(layer, values[i])
		}
		if wrong != nil {
			values[i] = settings.Value{}
			wrong.Fatal = false
			r.Problem(*wrong)
			r.Lose(r.label(layer), r.like(layer), *wrong)
		}
		if kindOf(layer.File) == inline {
			r.switchOff(layer, values[i].Get("disableAllHooks"))
		}
	}
	for i, layer := range layers {
		if values[i].Exists() {
			r.Loaded.Files = append([]string{layer.File}, r.Loaded.Files...)
			r.Loaded.Problems = append(r.Loaded.Problems, values[i].Duplicates()...)
			r.hooks(layer, values[i])
		}
	}
}

// like returns a hook of a layer without an event.
func (r *reading) like(layer settings.Layer) *hook.Hook {
	return &hook.Hook{
		Identity:  hook.Identity{Source: layer.Source},
		Exclusion: r.exclusion(layer.Source, settings.Value{}),
	}
}

func (r *reading) label(layer settings.Layer) string {
	return layer.Source.String() + "/" + strings.TrimSuffix(filepath.Base(layer.File), ".json")
}

// switchOff reads disableAllHooks of settings; the last file that sets it decides (G5). A project that the user has not
// agreed to sets it only for its own hooks.
func (r *reading) switchOff(layer settings.Layer, v settings.Value) {
	on, ok := r.Bool(v)
	to, by := &r.off, &r.offBy
	if !r.at.Vouches(layer.Source) {
		to, by = &r.ownOff, new(hook.Source)
	}
	switch {
	case on:
		*to, *by = v, layer.Source
	case ok:
		*to = settings.Value{}
	}
}

// unusable returns the mistake that invalidates a whole file, or nil (G4).
func (r *reading) unusable(layer settings.Layer, v settings.Value) *settings.Problem {
	version, hooks := v.Get("version"), v.Get("hooks")
	if file, err := filepath.Abs(layer.File); err == nil && layer.Source == hook.Managed &&
		filepath.Dir(file) == filepath.Join(r.etc, "github-copilot", "policy.d") {
		if err := checkOwner(file, r.Environ); err != nil {
			return lo.ToPtr(v.Wrong("%v", err))
		}
	}
	if v.Kind() != '{' {
		return lo.ToPtr(v.Want("an object {\"version\": 1, \"hooks\": {…}}"))
	}
	if kindOf(layer.File) != hookFile {
		return nil
	}
	if n, isNumber := version.Number(); version.Exists() && (!isNumber || n != 1) {
		return lo.ToPtr(version.Wrong("the version has to be the number 1; until then no hook of the file runs"))
	}
	if hooks.Exists() && hooks.Kind() != '{' && hooks.Kind() != 'n' {
		return lo.ToPtr(hooks.Want("an object whose members are events; until then no hook of the file runs"))
	}
	for _, groups := range hooks.Members() {
		if groups.Kind() != '[' {
			return lo.ToPtr(groups.Want("a list of hooks; until then no hook of the file runs"))
		}
	}
	return nil
}

// exclusion returns the reason why hooks of a source do not run; the zero value if they run.
func (r *reading) exclusion(source hook.Source, own settings.Value) hook.Exclusion {
	project := source == hook.Project || source == hook.Local
	no := func(why hook.SkipReason, detail string, by hook.Source) hook.Exclusion {
		return hook.Exclusion{Skip: why, SkipDetail: detail, SkippedBy: by}
	}
	off := func(v settings.Value, by hook.Source) hook.Exclusion {
		return no(hook.Disabled, "disableAllHooks is true at "+v.Position().String(), by)
	}
	switch {
	case project && r.at.Untrusted:
		return no(hook.Untrusted, "the user has not trusted the folder", hook.Host)
	case own.Exists():
		return off(own, source)
	case source == hook.Managed:
	case r.off.Exists():
		return off(r.off, r.offBy)
	case project && r.ownOff.Exists():
		return off(r.ownOff, source)
	}
	return hook.Exclusion{}
}

// unfired lists events of Copilot without an equivalent here.
var unfired = []string{"preMcpToolCall", "postResult", "prePRDescription"}

// elsewhere maps names that people write by mistake to the events of this system.
var elsewhere = map[string]string{
	"BeforeTool": "preToolUse", "AfterTool": "postToolUse", "BeforeAgent": "userPromptSubmitted", "AfterAgent": "agentStop",
	"AgentStop": "agentStop", "UserPromptSubmitted": "userPromptSubmitted", "stop": "agentStop",
	"userPromptSubmit": "userPromptSubmitted", "beforeShellExecution": "preToolUse",
}

// hooks reads the hooks of one file.
func (r *reading) hooks(layer settings.Layer, v settings.Value) {
	f := file{reading: r, layer: layer}
	if off, _ := r.Bool(v.Get("disableAllHooks")); off && kindOf(layer.File) != inline {
		f.off = v.Get("disableAllHooks")
	}
	r.LoseUnread(r.label(layer), r.like(layer), v, v.Get("hooks"), '{')
	first := len(r.Loaded.Hooks)
	for g := range r.Groups(r.Hooks(v), f.spelled) {
		f.group(g)
	}
	if kindOf(layer.File) != inline {
		return
	}
	own := r.Loaded.Hooks[first:]
	if bad, found := lo.Find(own, func(h *hook.Hook) bool { return h.Skip == hook.Invalid }); found {
		for _, h := range own { // settings are strict (G4)
			if h.Skip == "" {
				h.Unusable = "another hook of these settings is malformed, at " + bad.Position.String() + ": none of them runs"
				h.Skip, h.SkipDetail, h.FailClosed = hook.Invalid, h.Unusable, false
			}
		}
	}
}
