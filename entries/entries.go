// Package entries reads the hooks of settings files in the form that several systems share: an object of events, each
// an array of groups, each an object with an array "hooks". The dialect reads the entries of that array.
//
//	{"BeforeTool": [{"matcher": "^write_", "hooks": [{"type": "command", "command": "./check.sh"}]}]}
//
// An invalid entry becomes a problem with line and column, and a hook that is listed as invalid; the other entries
// apply. A [Reader] is for one goroutine.
package entries

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Reader reads hooks of one dialect into Loaded. An invalid value is a problem at its position, and never affects other
// values.
//
// A Reader is for one load, and for one goroutine.
type Reader struct {
	Dialect   *pipeline.Dialect
	Elsewhere map[string]string // names of other systems' events, with their equivalents in this dialect
	Misplaced map[string]string // members that are not events, with the object they belong to
	Unfired   []string          // events of the system that the dialect does not have
	Flat      bool              // a hook may take the place of a group, with its own matcher
	Beside    []string          // other members that may stand beside the events
	Loaded    pipeline.Loaded   // the hooks and problems so far; more may be added

	ids      map[string]int
	matchers map[eventPattern]compiledMatcher
}

// eventPattern is the key of a matcher that several groups share.
type eventPattern struct{ event, pattern string }

type compiledMatcher struct {
	matcher hook.Matcher
	note    string
}

// Matcher compiles a pattern with compile. Groups with the same event and pattern share one matcher, so that a file
// with thousands of groups compiles a few patterns. compile has to be the same for equal events.
func (r *Reader) Matcher(
	event, pattern string, compile func(string) (hook.Matcher, string),
) (m hook.Matcher, note string) {
	key := eventPattern{event, pattern}
	if c, ok := r.matchers[key]; ok {
		return c.matcher, c.note
	}
	if r.matchers == nil {
		r.matchers = map[eventPattern]compiledMatcher{}
	}
	m, note = compile(pattern)
	r.matchers[key] = compiledMatcher{m, note}
	return m, note
}

// Problem adds a problem to Loaded.
func (r *Reader) Problem(p settings.Problem) { r.Loaded.Problems = append(r.Loaded.Problems, p) }

// Bool reads a switch. A value that is not a boolean is a problem, unless it is null or absent.
func (r *Reader) Bool(v settings.Value) (on, ok bool) {
	if on, ok = v.Bool(); !ok && v.Exists() && v.Kind() != 'n' {
		r.Problem(v.Want("true or false"))
	}
	return on, ok
}

// Misspelt reports members of an object whose names are probably misspelt and therefore not read. Because such a member
// is not read, the hook is selected, fails or waits differently from its author's intention.
func (r *Reader) Misspelt(v settings.Value, known ...string) {
	for _, p := range v.Misspelt(known...) {
		r.Problem(p)
	}
}

// foreignMembers lists members that select, start or judge a hook in some systems, but not in others.
var foreignMembers = []string{
	"if", "once", "args", "exec", "shell", "env", "cwd", "async", "asyncRewake", "continueOnBlock", "allowedEnvVars", "failClosed", "onFailure",
	"on_failure", "fail_mode", "loop_limit", "commandWindows", "windows", "linux", "osx", "bash", "powershell", "sequential",
}

// Ignored reports members of a hook or a group that other systems read and system does not. known lists the names that
// are read. shared means that other systems read the same file: the members then have an effect in those systems, and
// the advice in the problem differs.
func (r *Reader) Ignored(system string, shared bool, v settings.Value, known ...string) {
	instead := "remove it"
	if shared {
		instead = "decide in the script, or write a hook for " + system + " alone"
	}
	for _, name := range foreignMembers {
		if at := v.Get(name); at.Exists() && !slices.Contains(known, name) {
			r.Problem(at.Wrong("%s does not read %q here: the hook runs as if this member were absent; %s", system, name, instead))
		}
	}
}

// Text reads a string. A value that is not a string is a problem, unless it is null or absent.
func (r *Reader) Text(v settings.Value) (text string, ok bool) {
	if text, ok = v.Text(); !ok && v.Exists() && v.Kind() != 'n' {
		r.Problem(v.Want("a string"))
	}
	return text, ok
}

// Group is one group of hooks.
type Group struct {
	Event pipeline.Info
	Value settings.Value // the object, for its matcher and its other members

	reader *Reader
	hooks  settings.Value
	index  int
	alone  bool              // Value is a hook that stands in place of a group
	broken *settings.Problem // why its hooks cannot be read; nil if they can
}

// Ignores reports members of a group that other systems read and system does not, see [Reader.Ignored]. It reports
// none if a hook stands in place of the group.
func (g Group) Ignores(system string, known ...string) {
	if !g.alone {
		g.reader.Ignored(system, false, g.Value, known...)
	}
}

// Index returns the index of the group among those of its event in one file.
func (g Group) Index() int { return g.index }

// Groups iterates over the groups of all events of v, in the order of the file. A group without an array of hooks is a
// problem, and Read adds one invalid hook for it. A name that is not an event of the dialect is a problem too. rename
// may return another event for a name, or "" to skip its hooks; nil keeps all names.
func (r *Reader) Groups(v settings.Value, rename func(event string) string) iter.Seq[Group] {
	return func(yield func(Group) bool) {
		if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
			r.Problem(v.Want("an object whose members are events"))
		}
		events := lo.SliceToMap(
			pipeline.Events(r.Dialect),
			func(e pipeline.Declared) (string, pipeline.Info) { return e.Info().Name, e.Info() },
		)
		names := lo.Keys(events)
		for name, groups := range v.Members() {
			if slices.Contains(r.Beside, name) {
				continue
			}
			if rename != nil {
				if name = rename(name); name == "" {
					continue
				}
			}
			event, known := events[name]
			switch {
			case !known:
				r.Problem(r.unknown(groups, name, names))
				continue
			case groups.Kind() == 'n':
			case groups.Kind() != '[':
				wrong := groups.Want(r.arrayWanted())
				if r.Problem(wrong); !yield(Group{Event: event, Value: groups, reader: r, broken: &wrong}) {
					return
				}
			}
			for i, v := range groups.Elements() {
				if !yield(r.group(event, v, i)) {
					return
				}
			}
		}
	}
}

// arrayWanted describes the form of an event's array.
func (r *Reader) arrayWanted() string {
	if r.Flat {
		return `an array of hooks: [{"command": "…"}]`
	}
	return `an array of groups: [{"hooks": [{"type": "command", "command": "…"}]}]`
}

// group reads one element of an event's array.
func (r *Reader) group(event pipeline.Info, v settings.Value, index int) Group {
	g := Group{Event: event, Value: v, reader: r, index: index}
	if r.Flat && v.Kind() == '{' && !v.Get("hooks").Exists() {
		g.alone = true
		return g
	}
	if g.hooks, g.broken = hooksOf(v); g.broken != nil {
		r.Problem(*g.broken)
	}
	return g
}

// Listed iterates over the hooks of an array, as groups of one hook; a member of each hook names
// its event. A name that is not an event of the dialect is a problem.
func (r *Reader) Listed(v settings.Value, member string) iter.Seq[Group] {
	return func(yield func(Group) bool) {
		if v.Exists() && v.Kind() != '[' && v.Kind() != 'n' {
			r.Problem(v.Want("an array of hooks"))
		}
		events := lo.SliceToMap(
			pipeline.Events(r.Dialect),
			func(e pipeline.Declared) (string, pipeline.Info) { return e.Info().Name, e.Info() },
		)
		for i, v := range v.Elements() {
			name, isText := v.Get(member).Text()
			event, known := events[name]
			switch {
			case v.Kind() != '{':
				r.Problem(v.Want("a hook with its event and its command"))
			case !isText:
				r.Problem(v.Get(member).Wrong("the hook names no event; add %s = \"PreToolUse\"", member))
			case !known:
				r.Problem(r.unknown(v.Get(member), name, lo.Keys(events)))
			case !yield(Group{Event: event, Value: v, reader: r, index: i, alone: true}):
				return
			}
		}
	}
}

// Hooks returns the member "hooks" of a whole file. It reports a problem if hooks are in another member: otherwise
// they would not run, without any error.
func (r *Reader) Hooks(root settings.Value) settings.Value {
	events := map[string]bool{}
	for _, e := range pipeline.Events(r.Dialect) {
		events[e.Info().Name] = true
	}
	for name, value := range root.Members() {
		if events[name] {
			r.Problem(value.Wrong(
				"%q stands beside \"hooks\", where nothing reads it; write {\"hooks\": {%[1]q: …}}", name,
			))
		}
		if name == "hooks" || len(settings.Near(name, []string{"hooks"})) == 0 {
			continue
		}
		for event := range value.Members() {
			if events[event] {
				r.Problem(value.Wrong("nothing reads %q, which has hooks of %s; write \"hooks\"", name, event))
				break
			}
		}
	}
	return root.Get("hooks")
}

func (r *Reader) unknown(at settings.Value, name string, events []string) settings.Problem {
	if below := r.Misplaced[name]; below != "" {
		return at.Wrong("%q is not an event; write it below %q", name, below)
	}
	if slices.Contains(r.Unfired, name) {
		return at.Wrong("nothing fires the event %q here: its hooks never run", name)
	}
	if ours := r.Elsewhere[name]; ours != "" {
		return at.Wrong("%q is an event of another system; here it is %q", name, ours)
	}
	meant := ""
	for theirs, ours := range r.Elsewhere {
		if strings.EqualFold(theirs, name) {
			meant = ours
		}
	}
	for _, event := range events {
		if strings.EqualFold(event, name) {
			meant = event
		}
	}
	if meant != "" {
		return at.Wrong("there is no event %q; write %q", name, meant)
	}
	if near := settings.Near(name, events); len(near) > 0 {
		return at.Wrong(
			"there is no event %q; did you mean %s?",
			name,
			strings.Join(lo.Map(near, func(s string, _ int) string { return strconv.Quote(s) }), " or "),
		)
	}
	return at.Wrong("there is no event %q; see the command \"events %s\" for their names", name, r.Dialect.Name)
}

// hooksOf returns the array of a group, or the mistake in the group.
func hooksOf(group settings.Value) (hooks settings.Value, wrong *settings.Problem) {
	hooks = group.Get("hooks")
	var p settings.Problem
	switch {
	case hooks.Kind() == '[':
		return hooks, nil
	case group.Kind() != '{':
		p = group.Want("an object {\"matcher\": \"…\", \"hooks\": […]}")
	case group.Get("type").Exists() || group.Get("command").Exists():
		p = group.Wrong("a hook stands where a group is wanted; write {\"hooks\": [ … ]} around it")
	case hooks.Exists():
		p = hooks.Want("an array of hooks")
	default:
		p = group.Wrong("the group has no \"hooks\"; add \"hooks\": [ … ]")
	}
	return settings.Value{}, &p
}

// Read adds the hooks of the group. Each begins as a copy of like, with its ID, "label/event/group/entry", its event
// and its position; fill completes it from its entry. If fill returns a problem, the hook is listed as invalid, unless
// fill has excluded it for another reason. A group without an array of hooks becomes one invalid hook; an empty array
// adds no hook.
func (g Group) Read(label string, like hook.Hook, fill func(*hook.Hook, settings.Value) *settings.Problem) {
	if g.broken != nil {
		h := g.hook(label, like, 0, g.Value)
		fill(h, settings.Value{})
		g.unusable(h, g.broken)
	}
	read := func(i int, v settings.Value) {
		h := g.hook(label, like, i, v)
		if wrong := fill(h, v); wrong != nil {
			g.reader.Problem(*wrong)
			g.unusable(h, wrong)
		}
	}
	if g.alone {
		read(0, g.Value)
	}
	for i, v := range g.hooks.Elements() {
		read(i, v)
	}
}

// hook adds a copy of like for an entry.
func (g Group) hook(label string, like hook.Hook, i int, v settings.Value) *hook.Hook {
	h := like
	h.ID = g.reader.id(label + "/" + g.Event.Name + "/" + strconv.Itoa(g.index) + "/" + strconv.Itoa(i))
	h.Dialect, h.Event, h.Position = g.Event.Dialect, g.Event.Name, v.Position()
	h.EntrySum = sumOf(v)
	g.reader.Loaded.Hooks = append(g.reader.Loaded.Hooks, &h)
	return &h
}

// unusable excludes a hook with an invalid entry. A disabled hook stays disabled: it guards nothing, on purpose.
func (g Group) unusable(h *hook.Hook, wrong *settings.Problem) {
	switch h.Skip {
	case "":
		h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, wrong.Message, wrong.Message
	case hook.Disabled: // a lock in the machine's policy can override disabling
		h.Unusable = wrong.Message
	}
}

// sumOf returns the SHA-256 of an entry, independent of white space, comments and the order of members.
func sumOf(entry settings.Value) [sha256.Size]byte {
	text := entry.JSON()
	// Canonicalize does not change a text that it cannot make canonical, such as one with repeated
	// members.
	_ = text.Canonicalize()
	return sha256.Sum256(text)
}

// id returns an id that is unique even if two files have the same label.
func (r *Reader) id(id string) string {
	if r.ids == nil {
		r.ids = map[string]int{}
	}
	if r.ids[id]++; r.ids[id] > 1 {
		id += "#" + strconv.Itoa(r.ids[id])
	}
	return id
}

// Lose adds invalid hooks for a file that could not be read at all: one for each event that can block. Each is a copy
// of like with its ID, "label/event/file", its event and its position. The invalid hooks never run; a policy can turn
// each of them into a failure, which blocks.
func (r *Reader) Lose(label string, like *hook.Hook, why settings.Problem) {
	for _, e := range pipeline.Events(r.Dialect) {
		info := e.Info()
		if info.Can&pipeline.CanBlock == 0 {
			continue
		}
		h := *like
		h.ID = r.id(label + "/" + info.Name + "/file")
		h.Dialect, h.Event, h.Position = info.Dialect, info.Name, why.Position
		h.Type, h.Command = "file", why.Position.File
		if h.Skip == "" {
			h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, why.Message, why.Message
		}
		r.Loaded.Hooks = append(r.Loaded.Hooks, &h)
	}
}

// LoseUnread calls Lose if no hook of a file can be read: root is not an object, or hooks is not of the wanted kind,
// '{' for [Reader.Groups] or '[' for [Reader.Listed]. Groups and Listed report a wrong kind as a problem themselves.
// LoseUnread does nothing if root is absent, or if hooks is absent or null.
func (r *Reader) LoseUnread(label string, like *hook.Hook, root, hooks settings.Value, wanted jsontext.Kind) {
	kind := hooks.Kind()
	switch {
	case root.Exists() && root.Kind() != '{':
		r.Lose(label, like, root.Want(`an object {"hooks": {…}}`))
	case !hooks.Exists(), kind == wanted, kind == 'n':
	case wanted == '[':
		r.Lose(label, like, hooks.Want("an array of hooks"))
	default:
		r.Lose(label, like, hooks.Want("an object whose members are events"))
	}
}
