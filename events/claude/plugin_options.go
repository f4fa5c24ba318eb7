package claude

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// The options of a plugin (C92) have four sources: the defaults of "userConfig" in its manifest; "pluginConfigs" in the
// settings of the user, of the command line and of the administrator; [Plugin].Options; and [Settings].PluginOptions.
// Later ones override earlier ones.

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
