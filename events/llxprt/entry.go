package llxprt

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
)

// extensionPath finds the placeholder of an extension's directory where a
// variable of that name can stand for it.
var extensionPath = regexp.MustCompile(`\$\{extensionPath\}(\W|$)`)

// hooks reads the hooks of one layer: groups by event (seed 001
// SettingsHooks). Whatever cannot be used is a problem at its place, and never
// touches its neighbours; an entry of which enough is left to name it is
// listed as invalid.
func (r *reading) hooks(layer settings.Layer, v settings.Value) {
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		r.problem(v.Want("an object with the names of events"))
	}
	events := lo.SliceToMap(pipeline.Events(Dialect), func(e pipeline.Declared) (string, pipeline.Info) { return e.Info().Name, e.Info() })
	for name, groups := range v.Members() {
		event, known := events[name]
		switch {
		case !known:
			r.problem(unknownEvent(groups, name, lo.Keys(events)))
		case groups.Kind() == 'n':
		case groups.Kind() != '[':
			r.problem(groups.Want("an array of groups: [{\"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}]"))
		default:
			for i, v := range groups.Elements() {
				g := group{reading: r, layer: layer, event: event, index: i}
				g.read(v)
			}
		}
	}
}

// Names that people write for events of this system.
var (
	notEvents = []string{"disabled", "enabled", "notifications"}
	elsewhere = map[string]string{
		"PreToolUse": "BeforeTool", "PostToolUse": "AfterTool", "UserPromptSubmit": "BeforeAgent", "Stop": "AfterAgent", "PreCompact": "PreCompress",
	}
)

func unknownEvent(at settings.Value, name string, events []string) settings.Problem {
	if lo.Contains(notEvents, name) {
		return at.Wrong("%q is no event; write it below \"hooksConfig\"", name)
	}
	if ours := elsewhere[name]; ours != "" {
		return at.Wrong("%q is an event of another system; here it is %q", name, ours)
	}
	if near := settings.Near(name, events); len(near) > 0 {
		return at.Wrong("there is no event %q; did you mean %s?", name, strings.Join(lo.Map(near, func(s string, _ int) string { return strconv.Quote(s) }), " or "))
	}
	return at.Wrong("there is no event %q; see the command \"events llxprt\" for their names", name)
}

// group is one group of hooks, with a common matcher.
type group struct {
	*reading
	layer      settings.Layer
	event      pipeline.Info
	index      int
	pattern    string
	matcher    hook.Matcher
	sequential bool
	invalid    string // why none of its hooks can run
}

func (g *group) read(v settings.Value) {
	if v.Kind() != '{' {
		g.problem(v.Want("an object {\"matcher\": \"…\", \"hooks\": […]}"))
		return
	}
	entries := v.Get("hooks")
	if entries.Kind() != '[' {
		if v.Get("type").Exists() || v.Get("command").Exists() {
			g.problem(v.Wrong("a hook stands where a group is wanted; write {\"hooks\": [ … ]} around it"))
		} else if entries.Exists() {
			g.problem(entries.Want("an array of hooks"))
		} else {
			g.problem(v.Wrong("the group has no \"hooks\"; add \"hooks\": [ … ]"))
		}
		return
	}
	g.readMatcher(v.Get("matcher"))
	if on, ok := g.bool(v.Get("sequential")); ok {
		g.sequential = on
	}
	for i, entry := range entries.Elements() {
		g.readEntry(entry, i)
	}
}

func (g *group) readMatcher(v settings.Value) {
	pattern, ok := g.text(v)
	if !ok && v.Exists() && v.Kind() != 'n' && g.event.Subject != "" { // without a subject, matchers do not count
		g.invalid = "the matcher of its group is not a string"
		return
	}
	g.pattern = pattern
	if g.event.Rules.Match == nil {
		return
	}
	var note string
	if g.matcher, note = g.event.Rules.Match(pattern); note != "" {
		g.problem(v.Wrong("%s", note))
	}
}

func (g *group) readEntry(v settings.Value, i int) {
	h := &hook.Hook{
		ID: g.id(i), Dialect: Dialect.Name, Event: g.event.Name,
		Source: g.layer.Source, Position: v.Position(),
		Pattern: g.pattern, Matcher: g.matcher, Sequential: g.sequential,
	}
	if invalid := g.fill(h, v); invalid != nil {
		g.problem(*invalid)
		h.Skip, h.Detail = hook.Invalid, invalid.Message
	} else {
		g.decide(h)
	}
	g.loaded.Hooks = append(g.loaded.Hooks, h)
}

// id is unique also when two files have the same rank.
func (g *group) id(i int) string {
	id := g.layer.Source.String()
	if g.layer.Source == hook.Extension {
		id += ":" + g.layer.Name
	}
	id = fmt.Sprintf("%s/%s/%d/%d", id, g.event.Name, g.index, i)
	if g.ids[id]++; g.ids[id] > 1 {
		id += "#" + strconv.Itoa(g.ids[id])
	}
	return id
}

// fill reads an entry (seed 001 CommandHookConfig, seed 003 §6.2); it gives
// what makes the entry unusable, or nil.
func (g *group) fill(h *hook.Hook, v settings.Value) (invalid *settings.Problem) {
	wrong := func(p settings.Problem) *settings.Problem { return &p }
	if v.Kind() != '{' {
		return wrong(v.Want("an object {\"type\": \"command\", \"command\": \"…\"}"))
	}
	h.Name, _ = g.text(v.Get("name"))
	h.Command, _ = v.Get("command").Text()
	h.Timeout = g.timeout(v.Get("timeout"))
	kind, isText := v.Get("type").Text()
	h.Type = kind
	switch {
	case !v.Get("type").Exists():
		return wrong(v.Wrong("the hook has no \"type\"; add \"type\": \"command\""))
	case !isText:
		return wrong(v.Get("type").Want("\"command\""))
	case kind == "plugin":
		return nil
	case kind != "command":
		return wrong(v.Get("type").Wrong("there is no hook type %q; write \"command\"", kind))
	case strings.TrimSpace(h.Command) != "":
		return nil
	case !v.Get("command").Exists() || v.Get("command").Kind() == '"':
		return wrong(v.Wrong("the hook has no command to run; add \"command\": \"…\""))
	}
	return wrong(v.Get("command").Want("a string"))
}

// timeout reads milliseconds; 0, and what is no time, is the default.
func (g *group) timeout(v settings.Value) time.Duration {
	ms, ok := v.Number()
	switch {
	case ok && ms > 0:
		return time.Duration(min(ms*float64(Dialect.Unit), math.MaxInt64/2))
	case ok && ms < 0:
		g.problem(v.Wrong("a timeout cannot be negative; write milliseconds, such as 5000. The default counts"))
	case !ok && v.Exists() && v.Kind() != 'n':
		g.problem(v.Want("a number of milliseconds, such as 5000. The default counts"))
	}
	return 0
}

// decide completes an entry that can be used: its process, its key, and what
// keeps it from running.
func (g *group) decide(h *hook.Hook) {
	if h.Type == "command" {
		h.Key = h.Command // seed 003 §7.9: the command and nothing else
		script, vars, env := h.Command, projectVars, g.environ
		known := lo.SliceToMap(projectVars, func(name string) (string, string) { return name, g.at.Dir })
		if g.layer.Source == hook.Extension {
			root := filepath.Dir(filepath.Dir(g.layer.File))
			script = extensionPath.ReplaceAllString(script, "$$extensionPath$1")
			vars, env = append([]string{"extensionPath"}, vars...), withVar(env, "extensionPath", root)
			known["extensionPath"] = root
		}
		command := &run.Command{Argv: run.Shell(run.QuoteVars(script, vars...)), Environ: func(hook.Call) []string { return env }}
		if !g.shell {
			command.Direct, _ = run.Direct(script, known)
		}
		h.Argv, h.Runner = command.Starts(hook.Call{Dir: g.at.Dir}), command
	}
	switch {
	case g.invalid != "":
		h.Skip, h.Detail = hook.Invalid, g.invalid
	case g.off != "":
		h.Skip, h.Detail = hook.Disabled, g.off
	case g.disabled[h.Label()]:
		h.Skip, h.Detail = hook.Disabled, fmt.Sprintf("%q is listed in hooksConfig.disabled", h.Label())
	case g.at.Untrusted && h.Source == hook.Project:
		h.Skip, h.Detail = hook.Untrusted, "the folder is not trusted, so hooks that it brings do not run"
	}
}
