package claude

import (
	"cmp"
	"maps"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/internal/splice"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// hooksSource is the source of hooks, with the values that all hooks of the source share.
type hooksSource struct {
	*reading
	layer  settings.Layer
	root   string // the directory to which a path rule with a leading slash is relative
	space  string // distinguishes hooks of different plugins and skills (C18)
	env    []string
	plugin *Plugin // nil: the hooks come from no plugin
	agent  bool    // the hooks are in an agent's front matter: Stop means SubagentStop
}

// label returns the name of the source in the ids of the source's hooks.
func (o hooksSource) label() string {
	if o.plugin != nil {
		return "plugin:" + o.plugin.id()
	}
	if o.layer.Source == hook.FrontMatter {
		return "frontmatter:" + o.layer.Name
	}
	return o.layer.Source.String()
}

// hooks reads the object of events.
func (o hooksSource) hooks(v settings.Value) {
	for g := range o.Groups(v, o.renamed) {
		o.group(g)
	}
}

func (o hooksSource) group(g entries.Group) {
	(&group{hooksSource: o, Group: g, traits: traitsOf(g.Event.Name)}).read()
}

// renamed returns the event that is meant by a name in the settings.
func (o hooksSource) renamed(event string) string {
	if o.profile != nil {
		return cmp.Or(o.profile.events[event], event)
	}
	if t := table[event]; o.agent && t != nil && t.inAgent != "" {
		return t.inAgent
	}
	return event
}

// placeholder matches ${NAME} and ${user_config.key}.
var (
	placeholder = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*|user_config\.[^{}]+)\}`)
	userConfig  = lazyregexp.New(`\$\{user_config\.[^{}]+\}`)
)

// pathVars holds the placeholders for directories, with their values. All hooks of a source share it.
type pathVars struct {
	all   map[string]string
	words map[string]string // the placeholders with a value that a shell reads as one word
	other []string          // the names of the placeholders that are not in words
}

// paths returns the placeholders of the source.
func (o hooksSource) paths() *pathVars {
	if vars, ok := o.pathsOf[o.plugin]; ok {
		return vars
	}
	vars := &pathVars{all: o.directories(), words: map[string]string{}}
	for name, value := range vars.all {
		if tame.MatchString(value) {
			vars.words[name] = value
		} else {
			vars.other = append(vars.other, name)
		}
	}
	o.pathsOf[o.plugin] = vars
	return vars
}

func (o hooksSource) directories() map[string]string {
	if p := o.profile; p != nil {
		paths := map[string]string{}
		for _, name := range p.vars {
			paths[name] = o.at.Dir
		}
		if o.plugin != nil {
			paths[p.pluginVar] = o.plugin.Root
		}
		return paths
	}
	paths := map[string]string{projectDir: o.at.Dir}
	if o.plugin != nil {
		maps.Copy(paths, map[string]string{pluginRoot: o.plugin.Root, pluginData: o.plugin.data(o.reading)})
	}
	return paths
}

// replace replaces every placeholder that f knows. It does not expand replacements: a user's value that looks like a
// placeholder stays as it is (C92).
func replace(text string, f func(name, option string) (string, bool)) string {
	return placeholder.ReplaceAllStringFunc(text, func(whole string) string {
		name, option := parts(whole)
		if value, ok := f(name, option); ok {
			return value
		}
		return whole
	})
}

// parts returns the name of the variable in a placeholder, or the name of its option.
func parts(whole string) (name, option string) {
	name = whole[2 : len(whole)-1]
	if userConfig.MatchString(whole) {
		return "", name[len("user_config."):]
	}
	return name, ""
}

// plainly replaces placeholders by their values, for a text that is not read as code.
func (o hooksSource) plainly(text string) string {
	paths := o.paths()
	return replace(text, func(name, option string) (string, bool) {
		if option != "" {
			return o.option(option), true
		}
		value, ok := paths.all[name]
		return value, ok
	})
}

// inShell returns a script in which placeholders for a user's values are variables, and never code. A path is a
// variable too, if it needs quotes or depends on the project. Such a variable is one word even without quotes. The
// error names a value that would be inside code of another language; the script must then not be run (C93).
func (o hooksSource) inShell(script string) (string, error) {
	paths := o.paths()
	script = replace(script, func(name, option string) (string, bool) {
		value, ok := paths.words[name]
		return value, ok && name != projectDir
	})
	script, err := splice.Script(script, placeholder, o.variable)
	if err != nil {
		return "", err
	}
	return run.QuoteVars(script, paths.other...), nil
}

// inPowerShell returns a script in which every placeholder is a variable (release 2.1.198), or literal text.
func (o hooksSource) inPowerShell(script string) (string, error) {
	return splice.PowerShell(script, placeholder, o.variable)
}

// variable returns the variable and value for a placeholder; the bool is false for an unknown placeholder.
func (o hooksSource) variable(text string) (splice.Var, bool) {
	name, option := parts(text)
	if option != "" {
		name = optionVar(option)
		return splice.Var{Name: name, Value: environ.Getenv(o.env, name)}, true
	}
	value, ok := o.paths().all[name]
	return splice.Var{Name: name, Value: value, Word: !tame.MatchString(value)}, ok
}

// option returns the value of a plugin's option; empty if it has none.
func (o hooksSource) option(key string) string {
	if o.plugin == nil {
		return ""
	}
	value, ok := o.plugin.Options[key]
	if !ok {
		return ""
	}
	return optionText(value)
}
