package claude

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/settings"
)

// Plugin contributes hooks: the file hooks/hooks.json below its root, and the hooks of its manifest
// .claude-plugin/plugin.json, which are a path, an object of events, or a list of paths and objects.
type Plugin struct {
	Name        string         // empty means the name in the manifest, or the last element of Root
	Marketplace string         // may be empty
	Root        string         // absolute path of the installed plugin
	Data        []byte         // the text of hooks/hooks.json in place of the file; nil means the files are read
	Options     map[string]any // these override the defaults of the manifest and pluginConfigs of settings
}

// The variables of plugins (C92).
const (
	pluginRoot = "CLAUDE_PLUGIN_ROOT"
	pluginData = "CLAUDE_PLUGIN_DATA"
)

// id returns the name that managed settings use for the plugin.
func (p *Plugin) id() string {
	if p.Marketplace == "" {
		return p.Name
	}
	return p.Name + "@" + p.Marketplace
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9_-]`)

// data returns the directory in which the plugin keeps its data.
func (p *Plugin) data(r *reading) string {
	return filepath.Join(configDir(r.Environ), "plugins", "data", notInNames.ReplaceAllString(p.id(), "-"))
}

var notInVars = lazyregexp.New(`[^A-Za-z0-9_]`)

// optionVar returns the name of the variable that holds an option's value.
func optionVar(key string) string {
	return "CLAUDE_PLUGIN_OPTION_" + notInVars.ReplaceAllString(strings.ToUpper(key), "_")
}

func optionText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	b, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

// environ returns the environment of the plugin's commands.
func (p *Plugin) environ(r *reading) []string {
	env := environ.WithVar(environ.WithVar(r.env, pluginRoot, p.Root), pluginData, p.data(r))
	for _, key := range slices.Sorted(maps.Keys(p.Options)) {
		env = environ.WithVar(env, optionVar(key), optionText(p.Options[key]))
	}
	return env
}

// manifest reads plugin.json; it returns the zero Value if the file does not exist or cannot be read.
func (p *Plugin) manifest(r *reading) settings.Value {
	layer := settings.Layer{File: filepath.Join(p.Root, ".claude-plugin", "plugin.json"), Strict: true}
	v, found, err := layer.Read()
	if err != nil {
		r.Problem(asProblem(err, layer.File))
		return settings.Value{}
	}
	if found {
		r.inspect(v)
	} else if _, err := os.Stat(p.Root); err != nil && p.Data == nil {
		r.Problem(settings.Problem{Message: fmt.Sprintf("the plugin's directory %q cannot be read: %v; reinstall the plugin or disable it", p.Root, err)})
	}
	return v
}

// more returns the hooks written in the manifest itself, and appends the files that the manifest names to files.
func (p *Plugin) more(r *reading, v settings.Value, files *[]settings.Layer) (inline []settings.Value) {
	switch v.Kind() {
	case '{':
		if nested := v.Get("hooks"); nested.Kind() == '{' {
			return []settings.Value{nested}
		}
		return []settings.Value{v}
	case '[':
		for _, element := range v.Elements() {
			if element.Kind() == '"' || element.Kind() == '{' {
				inline = append(inline, p.more(r, element, files)...)
			} else {
				r.Problem(element.Want("the path of a file with hooks, which begins with ./, or an object whose members are events"))
			}
		}
	case '"':
		path, _ := v.Text()
		file := filepath.Join(p.Root, path)
		switch _, err := os.Stat(file); {
		case !strings.HasPrefix(path, "./") || !filepath.IsLocal(path):
			r.Problem(v.Wrong("%q is not a path below the plugin's directory; begin it with ./", path))
		case err != nil:
			r.Problem(v.Wrong("the file %q cannot be read: %v", path, err))
		case !slices.ContainsFunc(*files, func(l settings.Layer) bool { return l.File == file }):
			*files = append(*files, settings.Layer{File: file})
		}
	default:
		if v.Exists() && v.Kind() != 'n' {
			r.Problem(v.Want("a path, an array of paths, or an object whose members are events"))
		}
	}
	return inline
}

// configure sets all options of a plugin.
func (p *Plugin) configure(r *reading, manifest settings.Value) {
	options := map[string]any{}
	for key, option := range manifest.Get("userConfig").Members() {
		r.setOption(options, key, option.Get("default"))
	}
	for _, id := range p.names() {
		for key, v := range r.pluginConfigs[id] {
			r.setOption(options, key, v)
		}
	}
	maps.Copy(options, p.Options)
	for _, id := range p.names() {
		maps.Copy(options, r.PluginOptions[id])
	}
	p.Options = options
	p.dropped(r, manifest.Get("userConfig"))
}

// names returns the names that settings may use for the plugin, the most precise last.
func (p *Plugin) names() []string { return slices.Compact([]string{p.Name, p.id()}) }

// dropped reports variables of the engine's environment that hold options of the plugin, if nothing else sets these
// options. Such variables belong to the hook of another engine, and hooks do not inherit them.
func (p *Plugin) dropped(r *reading, declared settings.Value) {
	own := map[string]bool{}
	for key := range p.Options {
		own[optionVar(key)] = true
	}
	for _, entry := range r.Environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, optionVar("")) || own[name] {
			continue
		}
		key, known := strings.ToLower(strings.TrimPrefix(name, optionVar(""))), !declared.Exists()
		for option := range declared.Members() {
			if optionVar(option) == name {
				key, known = option, true
			}
		}
		if known {
			r.Problem(settings.Problem{Message: fmt.Sprintf(
				"the environment has %s, which the hooks of the plugin %q do not inherit; "+
					"write pluginConfigs into the user's settings, or --plugin-option %s.%s=VALUE", name, p.Name, p.id(), key,
			)})
		}
	}
}

func asProblem(err error, file string) settings.Problem {
	if problem, ok := errorAs[settings.Problem](err); ok {
		return problem
	}
	return settings.Problem{Position: hook.Position{File: file}, Message: err.Error(), Fatal: true}
}
