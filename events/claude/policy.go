package claude

import (
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
)

// policy holds the settings that keep hooks from running. judge checks them in the order of C10.
type policy struct {
	untrusted bool // the session has a user, who has not agreed to the directory
	safe      bool // only managed hooks run

	// The next fields are switches of the settings; the zero Value is off.
	nothing     settings.Value // disableAllHooks of the managed settings
	managedOnly settings.Value // allowManagedHooksOnly
	pluginsOnly settings.Value // strictPluginOnlyCustomization
	mostOffBy   hook.Source    // the source of mostOff
	mostOff     settings.Value // disableAllHooks of the highest layer that sets it

	// own is the policy of a project that the user has not agreed to. It applies only to the project's own hooks, in
	// addition to the policies of the other layers.
	own *policy

	forced map[string]bool // the plugins that the managed settings enable, by name@marketplace
	urls   []string        // allowedHttpHookUrls; nil allows all
	vars   []string        // httpHookAllowedEnvVars; nil allows all
}

// read reads the policies of the layers, lowest priority first.
func (p *policy) read(r *reading, layers []settings.Layer, values []settings.Value) {
	for i, v := range values {
		r.Misspelt(v, rootMembers...)
		if !r.at.Vouches(layers[i].Source) {
			p.readOwn(r, v, layers[i].Source)
			continue
		}
		p.urls = r.limit(p.urls, v.Get("allowedHttpHookUrls"))
		p.vars = r.limit(p.vars, v.Get("httpHookAllowedEnvVars"))
		p.switchOff(r, v, layers[i].Source)
		if layers[i].Source == hook.Managed {
			p.manage(r, v)
		}
	}
}

// readOwn reads the policy of a project that the user has not agreed to.
func (p *policy) readOwn(r *reading, v settings.Value, by hook.Source) {
	if p.own == nil {
		p.own = &policy{}
	}
	p.own.urls = r.limit(p.own.urls, v.Get("allowedHttpHookUrls"))
	p.own.vars = r.limit(p.own.vars, v.Get("httpHookAllowedEnvVars"))
	p.own.switchOff(r, v, by)
	if off := v.Get("disableAllHooks"); off.Kind() == 't' && !r.at.Untrusted {
		r.Problem(off.Wrong(
			"disableAllHooks of a project that is not trusted yet switches off only the project's own hooks; " +
				"the user's hooks run until trust is granted"))
	}
}

// switchOff reads disableAllHooks of a layer.
func (p *policy) switchOff(r *reading, v settings.Value, by hook.Source) {
	before := p.mostOff
	if r.switched(&p.mostOff, v.Get("disableAllHooks")); p.mostOff != before {
		p.mostOffBy = by
	}
}

// ownOf returns the policy that applies only to hooks of the source, or nil.
func (p *policy) ownOf(source hook.Source) *policy {
	if source == hook.Project || source == hook.Local {
		return p.own
	}
	return nil
}

// manage reads the members that only managed settings can have.
func (p *policy) manage(r *reading, v settings.Value) {
	if off := v.Get("disableAllHooks"); off.Kind() == 't' || off.Kind() == 'f' {
		r.switched(&p.nothing, off)
	}
	r.switched(&p.managedOnly, v.Get("allowManagedHooksOnly"))
	switch strict := v.Get("strictPluginOnlyCustomization"); {
	case strict.Kind() != '[':
		r.switched(&p.pluginsOnly, strict)
	case slices.Contains(r.addTexts(nil, strict), "hooks"):
		p.pluginsOnly = strict
	}
	for id, enabled := range v.Get("enabledPlugins").Members() {
		on, _ := enabled.Bool()
		p.forced[id] = on
	}
}

// judge returns the reason why a hook of a source, or of a plugin, does not run. Within a policy, the reason that a
// machine's lock can override is checked last.
func (p *policy) judge(source hook.Source, plugin string) hook.Exclusion {
	managed := source == hook.Managed || plugin != "" && p.forced[plugin]
	custom := slices.Contains([]hook.Source{hook.User, hook.Project, hook.Local, hook.FrontMatter}, source) &&
		plugin == ""
	no := func(why hook.SkipReason, detail string) hook.Exclusion {
		return hook.Exclusion{Skip: why, SkipDetail: detail}
	}
	switch {
	case p.untrusted:
		return no(hook.Untrusted, "the user has not trusted the folder, so no hook runs")
	case p.nothing.Exists():
		return no(hook.Disabled, "disableAllHooks is true in the managed settings, at "+p.nothing.Position().String())
	case p.managedOnly.Exists() && !managed:
		return no(hook.Policy, "allowManagedHooksOnly is true at "+p.managedOnly.Position().String())
	case p.pluginsOnly.Exists() && custom:
		at := p.pluginsOnly.Position().String()
		return no(hook.Policy, "strictPluginOnlyCustomization allows only hooks of plugins, at "+at)
	case p.safe && !managed:
		return no(hook.Disabled, "in safe mode only managed hooks run")
	case p.mostOff.Exists() && !managed:
		off := no(hook.Disabled, "disableAllHooks is true at "+p.mostOff.Position().String())
		off.SkippedBy = p.mostOffBy
		return off
	}
	if own := p.ownOf(source); own != nil && plugin == "" {
		return own.judge(source, "")
	}
	return hook.Exclusion{}
}

// allowsURL reports whether hooks of a source may send requests to an address.
func (p *policy) allowsURL(source hook.Source, url string) bool {
	own := p.ownOf(source)
	return request.AllowedURL(p.urls, url) && (own == nil || request.AllowedURL(own.urls, url))
}

// allowsVars returns the names that a header may refer to.
func (p *policy) allowsVars(source hook.Source, names []string) []string {
	if own := p.ownOf(source); own != nil {
		names = own.allowsVars(hook.Managed, names)
	}
	if p.vars == nil {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(p.vars, name) })
}
