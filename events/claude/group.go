package claude

import (
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// origin is where hooks come from, and what they have in common.
type origin struct {
	*reading
	layer  settings.Layer
	root   string // what a path rule with a leading slash counts from
	space  string // keeps hooks of different plugins and skills apart (seed 004 §18.7)
	env    []string
	plugin *Plugin // nil for hooks that are no plugin's
	agent  bool    // the front matter of an agent: its Stop is SubagentStop
}

// label names the origin in the ids of its hooks.
func (o origin) label() string {
	if o.plugin != nil {
		return "plugin:" + o.plugin.id()
	}
	if o.layer.Source == hook.FrontMatter {
		return "frontmatter:" + o.layer.Name
	}
	return o.layer.Source.String()
}

// hooks reads the object of events. Whatever cannot be used is a problem at its
// place and never touches its neighbours.
func (o origin) hooks(v settings.Value) {
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		o.problem(v.Want("an object with the names of events"))
	}
	events := lo.SliceToMap(pipeline.Events(Dialect), func(e pipeline.Declared) (string, pipeline.Info) { return e.Info().Name, e.Info() })
	for name, groups := range v.Members() {
		if t := table[name]; o.agent && t != nil && t.inAgent != "" {
			name = t.inAgent
		}
		event, known := events[name]
		switch {
		case !known:
			o.problem(unknownEvent(groups, name, lo.Keys(events)))
		case groups.Kind() == 'n':
		case groups.Kind() != '[':
			o.problem(groups.Want("an array of groups: [{\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]"))
		default:
			for i, v := range groups.Elements() {
				(&group{origin: o, event: event, traits: table[name], index: i}).read(v)
			}
		}
	}
}

// Names that people write for events of this system.
var elsewhere = map[string]string{
	"BeforeTool": "PreToolUse", "AfterTool": "PostToolUse", "BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop", "PreCompress": "PreCompact",
}

func unknownEvent(at settings.Value, name string, events []string) settings.Problem {
	if ours := elsewhere[name]; ours != "" {
		return at.Wrong("%q is an event of another system; here it is %q", name, ours)
	}
	if near := settings.Near(name, events); len(near) > 0 {
		return at.Wrong("there is no event %q; did you mean %s?", name, strings.Join(lo.Map(near, func(s string, _ int) string { return strconv.Quote(s) }), " or "))
	}
	return at.Wrong("there is no event %q; see the command \"events claude\" for their names", name)
}

// group is one group of hooks, with a common matcher.
type group struct {
	origin
	event   pipeline.Info
	traits  *traits
	index   int
	pattern string
	matcher hook.Matcher
	invalid string // why none of its hooks can run
}

func (g *group) read(v settings.Value) {
	entries := v.Get("hooks")
	switch {
	case v.Kind() != '{':
		g.problem(v.Want("an object {\"matcher\": \"…\", \"hooks\": […]}"))
		return
	case entries.Kind() == '[':
	case v.Get("type").Exists() || v.Get("command").Exists():
		g.problem(v.Wrong("a hook stands where a group is wanted; write {\"hooks\": [ … ]} around it"))
		return
	case entries.Exists():
		g.problem(entries.Want("an array of hooks"))
		return
	default:
		g.problem(v.Wrong("the group has no \"hooks\"; add \"hooks\": [ … ]"))
		return
	}
	g.readMatcher(v.Get("matcher"))
	for i, entry := range entries.Elements() {
		g.readEntry(entry, i)
	}
}

// readMatcher compiles the matcher; an event without a subject has none.
func (g *group) readMatcher(v settings.Value) {
	pattern, ok := v.Text()
	if g.event.Subject == "" {
		return
	}
	if !ok && v.Exists() && v.Kind() != 'n' {
		g.problem(v.Want("a string"))
		g.invalid = "the matcher of its group is not a string"
		return
	}
	g.pattern = pattern
	compile := g.event.Rules.Match
	if g.Level == Docs && !g.traits.narrow {
		compile = match.WideList
	}
	var note string
	if g.matcher, note = compile(pattern); note != "" {
		g.problem(v.Wrong("%s", note))
	}
}

func (g *group) readEntry(v settings.Value, i int) {
	h := &hook.Hook{
		ID: g.id(g.label(), g.event.Name, g.index, i), Dialect: Dialect.Name, Event: g.event.Name,
		Source: g.layer.Source, Position: v.Position(), Pattern: g.pattern, Matcher: g.matcher,
	}
	e := entry{group: g, hook: h, value: v}
	if wrong := e.fill(); wrong != nil {
		g.problem(*wrong)
		h.Skip, h.Detail = hook.Invalid, wrong.Message
	} else {
		e.decide()
	}
	g.loaded.Hooks = append(g.loaded.Hooks, h)
}
