package cursor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run/judge"
	"github.com/snaphook-go/snaphook/settings"
)

// Settings reads the settings of Cursor; its Load goes into [pipeline.Config]. The zero Settings
// finds the files where Cursor keeps them, see [Discover].
//
// The hooks of all files run, in the order of [Discover]. A file that cannot be read does not
// affect the others (U1 to U8).
type Settings struct {
	Layers  []settings.Layer // replace the files that Discover finds; read on every Load. See [Layer]
	Environ []string         // the engine's environment, for hooks and to find files; nil means os.Environ()
	Model   judge.Model      // for prompt hooks
	Types   entries.Types    // further types of hooks. They run on every event
	Alone   bool             // do not import the settings of Claude Code
}

// rank describes a kind of settings file; ranks lists the kinds in order.
type rank struct {
	name   string // the layer's name
	source hook.Source
	claude bool // a settings file of Claude Code
	within bool // hooks run in the directory of the file, not in the project's
}

// ranks lists the layers in the order of their hooks. If several hooks set the same member, the
// last answer is used (U2).
var ranks = []rank{
	{"managed", hook.Managed, false, true},
	{"project", hook.Project, false, false},
	{"user", hook.User, false, true},
	{"claude-local", hook.Local, true, false},
	{"claude-project", hook.Project, true, false},
	{"claude-user", hook.User, true, false},
}

// LayerNames returns the names that [Layer] accepts, with the source of each.
func LayerNames() map[string]hook.Source {
	return lo.SliceToMap(ranks, func(r rank) (string, hook.Source) { return r.name, r.source })
}

// Layer returns the layer of a file. The name is managed, project or user for a hooks.json, and
// claude-local, claude-project or claude-user for a settings file of Claude Code.
func Layer(name, file string) settings.Layer {
	return settings.Layer{Name: name, Source: LayerNames()[name], File: file, Strict: true}
}

// Discover returns the layers of a project directory: hooks.json of the enterprise, in .cursor of
// the project and of the user's home, and then the settings of Claude Code.
func Discover(dir string) []settings.Layer { return discover(dir, os.Environ()) }

func discover(dir string, env []string) []settings.Layer {
	home := environ.Getenv(env, "HOME")
	if home == "" {
		home, _ = environ.Home()
	}
	layers := []settings.Layer{Layer("managed", managedFile(env)), Layer("project", filepath.Join(dir, ".cursor", "hooks.json"))}
	own := home != "" && !bounded.SameFile(home, dir)
	if own {
		layers = append(layers, Layer("user", filepath.Join(home, ".cursor", "hooks.json")))
	}
	layers = append(layers,
		Layer("claude-local", filepath.Join(dir, ".claude", "settings.local.json")),
		Layer("claude-project", filepath.Join(dir, ".claude", "settings.json")))
	if own {
		layers = append(layers, Layer("claude-user", filepath.Join(home, ".claude", "settings.json")))
	}
	return layers
}

func managedFile(env []string) string {
	dir := filepath.Join(environ.Etc(env), "cursor")
	if environ.Getenv(env, "SNAPHOOK_ETC") == "" {
		switch runtime.GOOS {
		case "darwin":
			dir = "/Library/Application Support/Cursor"
		case "windows":
			dir = `C:\ProgramData\Cursor`
		}
	}
	return filepath.Join(dir, "hooks.json")
}

func init() { Dialect.Settings = Settings{}.Load } // Load uses Dialect: in the literal it would be a cycle

// Load reads the settings for a directory. It is a [pipeline.Load].
func (s Settings) Load(_ context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
	if s.Environ == nil {
		s.Environ = os.Environ()
	}
	layers := slices.Clone(s.Layers) // a copy: other loads may use the same slice
	if s.Layers == nil {
		layers = discover(at.Dir, s.Environ)
	}
	files := lo.FilterMap(layers, func(l settings.Layer, _ int) (*file, bool) {
		i := slices.IndexFunc(ranks, func(r rank) bool { return r.name == l.Name })
		if i < 0 { // a layer with another name has the rank of its source
			i = max(0, slices.IndexFunc(ranks, func(r rank) bool { return r.source == l.Source }))
		}
		return &file{Layer: l, rank: ranks[i], order: i}, !(ranks[i].claude && s.Alone)
	})
	slices.SortStableFunc(files, func(a, b *file) int { return a.order - b.order })
	r := &reading{Reader: entries.Reader{Dialect: Dialect, Elsewhere: elsewhere}, Settings: s, at: at}
	r.readFiles(files)
	return r.Loaded, nil
}

// elsewhere maps names that people write by mistake to the events of this system.
var elsewhere = lo.Assign(imports, map[string]string{
	"BeforeTool": "preToolUse", "AfterTool": "postToolUse", "BeforeAgent": "beforeSubmitPrompt", "AfterAgent": "stop", "PreCompress": "preCompact",
	"userPromptSubmitted": "beforeSubmitPrompt", "userPromptSubmit": "beforeSubmitPrompt", "agentStop": "stop",
	"PostToolUseFailure": "postToolUseFailure", "SubagentStart": "subagentStart", "beforeTabReadFile": "beforeTabFileRead",
	"afterTabEdit": "afterTabFileEdit", "beforeFileRead": "beforeReadFile",
})

// reading holds the state of one Load.
type reading struct {
	entries.Reader
	Settings
	at pipeline.Workspace
}

// file is one settings file.
type file struct {
	settings.Layer
	rank
	order int
	root  settings.Value
	wrong *settings.Problem // the reason why the whole file is ignored; nil if the file is read
}

// readFiles reads the existing files and their hooks, and lists their names in Loaded.
func (r *reading) readFiles(files []*file) {
	values, problems := settings.Read(lo.Map(files, func(f *file, _ int) settings.Layer { return f.Layer }))
	for i, f := range files {
		f.root = values[i]
		for _, p := range problems {
			if p.Fatal && p.Position.File == f.File {
				f.wrong = &p
			}
		}
		if f.wrong == nil && !f.root.Exists() {
			continue
		}
		if f.wrong == nil && f.root.Kind() != '{' {
			f.wrong = lo.ToPtr(f.root.Want(`an object {"version": 1, "hooks": {…}}`))
		}
		r.Loaded.Files = append(r.Loaded.Files, f.File)
		r.readFile(f)
	}
	r.Loaded.Problems = lo.Uniq(r.Loaded.Problems) // layers with one file repeat its problems
}

func (r *reading) readFile(f *file) {
	like := hook.Hook{
		Identity:  hook.Identity{Source: f.source},
		Selection: hook.Selection{OwnOnly: !r.at.Vouches(f.source)},
	}
	if r.at.Untrusted && (f.source == hook.Project || f.source == hook.Local) {
		like.Exclusion = hook.Exclusion{Skip: hook.Untrusted, SkipDetail: "the workspace is not trusted, so its hooks do not run"}
	}
	if f.wrong != nil {
		f.wrong.Fatal = false // the other files load (U4)
		f.wrong.Message += "; no hook of this file runs until it is repaired"
		r.Problem(*f.wrong)
		r.Lose(f.rank.name, &like, *f.wrong)
		return
	}
	hooks, rename := f.root.Get("hooks"), importing
	if !f.claude {
		r.Loaded.Problems = append(r.Loaded.Problems, f.root.Duplicates()...)
		r.version(f.root.Get("version"))
		hooks, rename = r.Hooks(f.root), nil
	}
	r.LoseUnread(f.rank.name, &like, f.root, hooks, '{')
	r.Flat = !f.claude
	for g := range r.Groups(hooks, rename) {
		e := &entry{reading: r, Group: g, file: f, traits: table[g.Event.Name]}
		e.read(like)
	}
}

// importing returns the event that imports hooks of an event of Claude Code, or "".
func importing(event string) string { return imports[event] }

// version reports a file of another version, which is nevertheless read.
func (r *reading) version(v settings.Value) {
	if n, ok := v.Number(); v.Exists() && (!ok || n != 1) {
		r.Problem(v.Wrong(`version has to be 1; the hooks are read as if it were`))
	}
}
