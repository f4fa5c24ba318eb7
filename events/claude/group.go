package claude

import (
	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/settings"
)

// The variables list the members of groups, entries and files that select, limit or change a hook.
var (
	groupMembers = []string{"matcher"}
	entryMembers = []string{
		"if", "timeout", "once", "onFailure", "async", "asyncRewake", "args", "shell", "continueOnBlock", "allowedEnvVars",
	}
	rootMembers = []string{
		"disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization", "allowedHttpHookUrls",
		"httpHookAllowedEnvVars",
	}
)

// movedEvents maps event names that people write by mistake to the events of this system.
var movedEvents = map[string]string{
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "PreCompress": "PreCompact",
}

// group is one group of hooks, with a common matcher.
type group struct {
	hooksSource
	entries.Group
	traits  *traits
	pattern string
	matcher hook.Matcher
	where   hook.Condition // the matcher, if the profile tests a member other than the subject
	invalid string         // the reason why none of the group's hooks can run
	broken  string         // reason why the group's matcher matches nothing
}

// system returns the name of the system in messages.
func (g *group) system() string {
	if g.profile != nil {
		return g.profile.system
	}
	return "Claude Code"
}

func (g *group) read() {
	g.Misspelt(g.Value, groupMembers...)
	g.Ignores(g.system())
	g.readMatcher(g.Value.Get("matcher"))
	like := hook.Hook{
		Identity:  hook.Identity{Source: g.layer.Source},
		Selection: hook.Selection{Pattern: g.pattern, Matcher: g.matcher, OwnOnly: !g.at.Vouches(g.layer.Source)},
	}
	g.Read(g.label(), like, func(h *hook.Hook, v settings.Value) *settings.Problem {
		e := entry{group: g, hook: h, value: v}
		wrong := e.fill()
		if wrong == nil {
			e.decide()
		}
		e.exclude()
		if g.broken != "" && (wrong != nil || h.Skip != "") {
			h.Matcher = nil // select the hook at every call, because the calls that the matcher means are unknown
		}
		return wrong
	})
}

// readMatcher compiles the matcher. An event without a subject has no matcher.
func (g *group) readMatcher(v settings.Value) {
	pattern, ok := v.Text()
	if g.Event.Subject == "" && g.profile == nil {
		return
	}
	if !ok && v.Exists() && v.Kind() != 'n' {
		g.Problem(v.Want("a string"))
		g.invalid = "the matcher of its group is not a string"
		return
	}
	g.pattern = pattern
	if g.profile != nil {
		profileMatcher(g, v)
		return
	}
	compile := g.Event.Rules.Match
	if g.Level == Docs && !g.traits.narrow {
		compile = match.WideList
	}
	var note string
	if g.matcher, note = g.Matcher(g.Event.Name, pattern, compile); note != "" {
		g.Problem(v.Wrong("%s", note))
	}
	if names, listed := g.matcher.(match.Names); listed && len(names) == 0 {
		g.broken = note
	}
	if rename := g.Event.Rules.Renamed; rename != nil {
		g.matcher = rename(g.matcher)
	}
}
