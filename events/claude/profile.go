package claude

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/settings"
)

// Profile names a system that uses Claude Code's hook format with its own settings files. Hooks in these files get the
// system's payloads, and the system's rules apply to their answers. Events keep the names of Claude Code. Hooks that a
// program registers in Go, and plugins of [Settings], follow Claude Code.
type Profile string

// The profiles.
const (
	Found      Profile = ""       // the profile whose settings exist, see [Find]
	ClaudeCode Profile = "claude" // Claude Code itself
	Qwen       Profile = "qwen"   // Qwen Code
	Goose      Profile = "goose"  // goose
	Devin      Profile = "devin"  // Devin CLI
	Kimi       Profile = "kimi"   // Kimi Code; a program has to import events/claude/toml for it
)

// Profiles returns the names of all profiles, Claude Code first.
func Profiles() []Profile {
	return append([]Profile{ClaudeCode}, lo.Map(profiles, func(p *profile, _ int) Profile { return p.name })...)
}

// profiles lists the systems other than Claude Code, by precedence.
var profiles = []*profile{&qwen, &goose, &devin, &kimi}

// profile lists the differences between a system and Claude Code. The loader, the payloads and the reading of answers
// depend on these facts, and never on the system's name.
type profile struct {
	name   Profile
	system string // name of the system in messages

	files    []profileFile
	enabling []string          // the files that enable and disable plugins, highest first; "~/" is the user's home directory
	unless   []string          // path of a setting; if the setting is false, files of other systems are not read
	events   map[string]string // maps the system's event names to Claude Code's
	only     []string          // the events of Claude Code that the system has; nil: all
	elsewhen []string          // events of the system without an equivalent here

	members   []string // the members of an entry that are read
	strict    bool     // an unknown member or event makes the whole file invalid
	untyped   bool     // an entry without a type is a command
	kinds     kinds    // the types of hooks that run
	switchOff bool     // disableAllHooks is read
	allTrust  bool     // in an untrusted folder no hook runs; false: only the project's hooks do not run

	match    func(pattern string) (hook.Matcher, string)
	subjects map[string]string // by event: the member that matchers test in place of Claude Code's; "": an empty text

	timeout      time.Duration            // the default of commands and requests
	timeouts     map[string]time.Duration // the defaults of some events
	promptTime   time.Duration            // the default of prompt hooks
	whole        bool                     // timeouts are whole seconds
	longest      time.Duration            // the longest timeout that settings can set; 0: no limit
	milliseconds float64                  // timeouts of commands from this number on are milliseconds; 0: all are seconds
	grace        time.Duration            // between SIGTERM and SIGKILL; 0: the same as in Claude Code

	sequential bool     // the hooks run one after another
	key        []string // members of an entry that make hooks duplicates; nil: hooks are never duplicates
	vars       []string // the variables that hold the project's directory
	pluginVar  string   // the variable that holds the plugin's directory
	sh         bool     // commands run in sh, and not in bash

	failure  failureMember
	payloads payloadTraits
	answers  answerTraits

	tools map[string]toolWords // the system's names for tools, by Claude Code's names
	bare  bool                 // tools of MCP servers are called SERVER__TOOL, without "mcp__"
}

// failureMember is the member of an entry that determines the effect of a failure.
type failureMember struct {
	name   string
	words  []string // the allowed words; the last one blocks
	events []string // the events at which the member has an effect; nil: all events that can block
}

// wrong returns the mistake in the failure policy of an entry; nil if the policy is valid or missing, or the system
// does not read it.
func (f failureMember) wrong(entry settings.Value) *settings.Problem {
	v := entry.Get(f.name)
	if word, isText := v.Text(); f.name == "" || !v.Exists() || isText && slices.Contains(f.words, word) {
		return nil
	}
	return lo.ToPtr(v.Wrong(
		"%s has to be %q or %q; until then no hook of the file runs", f.name, f.words[0], f.words[1],
	))
}

// profileFile is a settings file of a system.
type profileFile struct {
	source   hook.Source
	variable string // the environment variable whose directory replaces home
	home     string // the directory of path below the user's home, "." for the home itself; "": the project
	path     string // with slashes; an element "*" matches every directory
	root     bool   // the file is the object of events; otherwise its member "hooks" is
	list     string // the file is TOML with a list "hooks", in which each hook names its event in this member
	comments bool   // the file may have comments
	plugin   bool   // a file of a plugin; the plugin's directory is two levels above the file
	foreign  bool   // a file of Claude Code
}

// profileNamed returns a profile; nil means Claude Code.
func profileNamed(name Profile) (*profile, error) {
	if name == ClaudeCode {
		return nil, nil //nolint:nilnil // Claude Code does not differ from itself
	}
	for _, p := range profiles {
		if p.name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("there is no profile %q of the dialect claude; write one of: %s", string(name),
		strings.Join(lo.Map(Profiles(), func(p Profile, _ int) string { return string(p) }), ", "))
}

// Discover returns the layers of a project directory at the profile's paths; none for an unknown profile. For Found it
// checks which files exist, see [Find].
func (p Profile) Discover(dir string) []settings.Layer { return p.discover(dir, os.Environ()) }

func (p Profile) discover(dir string, env []string) []settings.Layer {
	if p == Found {
		p, _ = find(dir, env)
	}
	facts, err := profileNamed(p)
	switch {
	case err != nil:
		return nil
	case facts == nil:
		return discover(dir, env)
	}
	return facts.discover(dir, env)
}

// Tool returns the profile's name of a tool of Claude Code, such as Bash or mcp__server__tool. If the profile has no
// name for it, Tool returns Claude Code's name.
func (p Profile) Tool(name string) string {
	facts, err := profileNamed(p)
	if err != nil || facts == nil {
		return name
	}
	if server, isMCP := strings.CutPrefix(name, "mcp__"); isMCP && facts.bare {
		return server
	}
	return cmp.Or(facts.tools[name].name, name)
}

// Argument returns the profile's name of an argument of a tool. Both are given by their names in Claude Code.
func (p Profile) Argument(tool, name string) string {
	facts, err := profileNamed(p)
	if err != nil || facts == nil {
		return name
	}
	return cmp.Or(facts.tools[tool].args[name], name)
}

// Find returns the profile for a directory. If the user has settings of Claude Code, it is ClaudeCode. Otherwise, if
// the user has hooks of one other system, it is that system in every directory. Otherwise, if exactly one system has
// hooks in the directory, it is that system. In all other cases it is ClaudeCode. The problems list hooks that do not
// run because of this choice. There are no problems if the user has settings of Claude Code, or if the project has such
// settings and the user has no hooks of another system.
func Find(dir string) (Profile, []settings.Problem) { return find(dir, os.Environ()) }

func find(dir string, env []string) (Profile, []settings.Problem) {
	claude := discover(dir, env)
	if slices.ContainsFunc(claude, func(l settings.Layer) bool { return !ofProject(l) && isThere(l) }) {
		return ClaudeCode, nil
	}
	var users, all []*profile
	for _, p := range profiles {
		layers := lo.Reject(p.discover(dir, env), func(l settings.Layer, _ int) bool { return p.fileOf(l).foreign })
		if slices.ContainsFunc(layers, func(l settings.Layer) bool { return !ofProject(l) && p.hasHooks(l) }) {
			users = append(users, p)
		}
		if slices.ContainsFunc(layers, p.hasHooks) {
			all = append(all, p)
		}
	}
	projects := slices.ContainsFunc(claude, isThere)
	switch {
	case len(users) == 1 && projects && !users[0].reads(".claude/settings.json"):
		return users[0].name, passedOver(claude, nil, users[0].name)
	case len(users) == 1:
		return users[0].name, nil
	case len(all) == 1 && !projects:
		return all[0].name, nil
	case len(users) > 1 || len(all) > 1 && !projects:
		return ClaudeCode, lo.FlatMap(all, func(p *profile, _ int) []settings.Problem {
			return passedOver(p.discover(dir, env), p, ClaudeCode)
		})
	}
	return ClaudeCode, nil
}

// passedOver returns a problem for each file with hooks of a system that was not chosen.
func passedOver(layers []settings.Layer, of *profile, counts Profile) (problems []settings.Problem) {
	for _, layer := range layers {
		root, found, err := layer.Read()
		hooks := root.Get("hooks")
		if of != nil {
			hooks = of.fileOf(layer).events(root)
		}
		if err == nil && found && hooks.Exists() {
			problems = append(problems, hooks.Wrong(
				"the hooks of this file do not run: the profile %q applies; choose another one of %q",
				string(counts), Profiles(),
			))
		}
	}
	return problems
}

// toml converts settings in TOML.
var toml = func([]byte) (settings.Converted, error) {
	return settings.Converted{}, errors.New("the program cannot read TOML; it has to import events/claude/toml")
}

// UseTOML sets the reader of settings in TOML. Package events/claude/toml calls it before main begins.
func UseTOML(convert func([]byte) (settings.Converted, error)) { toml = convert }

func ofProject(l settings.Layer) bool { return l.Source == hook.Project || l.Source == hook.Local }

// isThere reports whether a settings file exists, also one that cannot be read.
func isThere(l settings.Layer) bool {
	_, found, err := l.Text()
	return found || err != nil
}

// hasHooks reports whether a file has hooks, or cannot be read.
func (p *profile) hasHooks(l settings.Layer) bool {
	root, found, err := l.Read()
	return err != nil || found && p.fileOf(l).events(root).Exists()
}

// events returns the object of events in a file.
func (f profileFile) events(root settings.Value) settings.Value {
	if f.root && !root.Get("hooks").Exists() {
		return root
	}
	return root.Get("hooks")
}

// reads reports whether the profile reads a file of the project, named by its path.
func (p *profile) reads(path string) bool {
	return slices.ContainsFunc(p.files, func(f profileFile) bool { return f.home == "" && f.path == path })
}

// fileOf returns the facts about a layer's file, found by its path.
func (p *profile) fileOf(l settings.Layer) (best profileFile) {
	path := filepath.ToSlash(l.File)
	for _, f := range p.files {
		ends := strings.Split(f.path, "/")
		parts := strings.Split(path, "/")
		if len(parts) < len(ends) {
			continue
		}
		parts = parts[len(parts)-len(ends):]
		fits := !slices.ContainsFunc(lo.Zip2(parts, ends), func(pair lo.Tuple2[string, string]) bool {
			return pair.B != "*" && pair.A != pair.B
		})
		if fits && len(f.path) > len(best.path) {
			best = f
		}
	}
	return best
}

// discover returns the layers of a directory in the order in which their hooks run.
func (p *profile) discover(dir string, env []string) (layers []settings.Layer) {
	home := homeDir(env)
	seen := map[string]bool{} // names of plugins
	for _, f := range p.files {
		base := f.base(dir, home, env)
		if base == "" || f.home != "" && p.reads(f.path) && bounded.SameFile(base, dir) {
			continue // the home directory is the project
		}
		for _, file := range expand(base, strings.Split(f.path, "/")) {
			name := filepath.Base(filepath.Dir(filepath.Dir(file)))
			if f.plugin && (seen[name] || !p.enabled(name, f.source, dir, home)) {
				continue
			}
			seen[name] = seen[name] || f.plugin && isThere(settings.Layer{File: file})
			layer := settings.Layer{Name: f.source.String(), Source: f.source, File: file, Strict: !f.comments}
			if f.list != "" {
				layer.Format = toml
			}
			layers = append(layers, layer)
		}
	}
	return p.withoutForeign(layers)
}

// base returns the directory to which the path of the file is relative; "" if there is none.
func (f profileFile) base(dir, home string, env []string) string {
	if f.home == "" {
		return dir
	}
	if f.variable != "" {
		if own := environ.Getenv(env, f.variable); own != "" {
			return own
		}
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(f.home))
}

// lost adds hooks that block under a policy that fails closed, if the hooks of a file cannot be read as a whole.
func (f profileFile) lost(r *reading, layer settings.Layer, v settings.Value) {
	like := &hook.Hook{Identity: hook.Identity{Source: layer.Source}}
	if f.list != "" {
		r.LoseUnread(layer.Source.String(), like, v, v.Get("hooks"), '[')
	} else {
		r.LoseUnread(layer.Source.String(), like, v, f.events(v), '{')
	}
}

// expand returns the sorted paths below base, in which "*" matches the name of a directory. A path without "*" need not
// exist.
func expand(base string, elements []string) []string {
	at := slices.Index(elements, "*")
	if at < 0 {
		return []string{filepath.Join(append([]string{base}, elements...)...)}
	}
	above := filepath.Join(append([]string{base}, elements[:at]...)...)
	entries, _ := os.ReadDir(above) // the original also ignores a directory that cannot be read
	var files []string
	for _, entry := range entries {
		if info, err := os.Stat(filepath.Join(above, entry.Name())); err == nil && info.IsDir() {
			files = append(files, expand(filepath.Join(above, entry.Name()), elements[at+1:])...)
		}
	}
	return files
}

// enabled reports whether a plugin is enabled. The settings of a project affect only plugins of the project, and so
// cannot disable a guard of the user.
func (p *profile) enabled(name string, source hook.Source, dir, home string) bool {
	for _, path := range p.enabling {
		base := dir
		if rest, user := strings.CutPrefix(path, "~/"); user {
			base, path = home, rest
		} else if source != hook.Project {
			continue
		}
		v, _, err := settings.Layer{File: filepath.Join(base, filepath.FromSlash(path)), Strict: true}.Read()
		lists := func(member string) bool {
			for _, element := range v.Get(member).Elements() {
				if text, _ := element.Text(); text == name {
					return true
				}
			}
			return false
		}
		switch {
		case err != nil:
		case lists("disabledPlugins"):
			return false
		case lists("enabledPlugins"):
			return true
		}
	}
	return true
}

// withoutForeign removes the files of Claude Code if the settings of the system disable them. The settings of a project
// disable only files of the project.
func (p *profile) withoutForeign(layers []settings.Layer) []settings.Layer {
	if p.unless == nil {
		return layers
	}
	off, mine := false, false
	for _, l := range layers {
		if p.fileOf(l).foreign {
			continue
		}
		v, _, _ := l.Read() // errors are reported when the hooks of the file are read
		for _, name := range p.unless {
			v = v.Get(name)
		}
		if on, isBool := v.Bool(); isBool && !on {
			mine, off = true, off || !ofProject(l)
		}
	}
	return lo.Reject(layers, func(l settings.Layer, _ int) bool {
		return p.fileOf(l).foreign && (off || mine && ofProject(l))
	})
}

// unusable returns the first mistake for which the system ignores the whole file, if there is one.
func (p *profile) unusable(f profileFile, v settings.Value) []settings.Problem {
	if f.list != "" {
		for _, e := range v.Get("hooks").Elements() {
			if wrong := p.wrongEntry(f, e); wrong != nil {
				return []settings.Problem{*wrong}
			}
		}
		return nil
	}
	for event, groups := range f.events(v).Members() {
		if !slices.Contains(p.only, event) {
			continue
		}
		for _, g := range groups.Elements() {
			for _, e := range g.Get("hooks").Elements() {
				word, isText := e.Get("type").Text()
				if wrong := p.failure.wrong(e); wrong != nil && (!isText || kindOf(word)&p.kinds != 0) {
					return []settings.Problem{*wrong}
				}
			}
		}
	}
	return nil
}

// wrongEntry returns the mistake in an entry of a list that makes the whole file invalid.
func (p *profile) wrongEntry(f profileFile, e settings.Value) *settings.Problem {
	event, _ := e.Get(f.list).Text()
	if at := e.Get(f.list); p.strict && !slices.Contains(p.only, event) && !slices.Contains(p.elsewhen, event) {
		return lo.ToPtr(at.Wrong("%s has no event %q%s; until it is repaired, no hook of the file runs", p.system, event,
			lo.Ternary(at.Exists(), "", `: add event = "PreToolUse"`)))
	}
	for name, v := range e.Members() {
		if p.strict && name != p.failure.name && !slices.Contains(p.members, name) {
			return lo.ToPtr(v.Wrong("a hook of %s has no member %q; write one of %s. Until it is removed, no hook of the file runs",
				p.system, name, strings.Join(append(slices.Clone(p.members), p.failure.name), ", ")))
		}
	}
	return p.failure.wrong(e)
}

// subject returns the name of the member that matchers of an event test in the profile.
func (p *profile) subject(event, ours string) string {
	if member, differs := p.subjects[event]; differs {
		return member
	}
	return ours
}

// named returns the name that an event of Claude Code has in the system.
func (p *profile) named(event string) string {
	if there, ok := lo.FindKey(p.events, event); ok {
		return there
	}
	return event
}
