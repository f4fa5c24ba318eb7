package claude

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/permission"
	"github.com/snaphook-go/snaphook/settings"
)

// entry is one hook of a group.
type entry struct {
	*group
	hook  *hook.Hook
	value settings.Value
	kind  kinds
}

// fill reads the entry. It returns the problem that makes the entry invalid, or nil. An invalid entry with "onFailure":
// "block" blocks in each fire, if a failure of the hook can block.
func (e *entry) fill() *settings.Problem {
	wrong := e.read()
	if wrong != nil {
		word, _ := e.value.Get("onFailure").Text()
		e.hook.FailClosed = word == "block" && e.failureBlocks()
	}
	return wrong
}

// read reads the members that every type has, and then the members of the entry's type.
func (e *entry) read() *settings.Problem {
	v, h := e.value, e.hook
	if v.Kind() != '{' {
		return lo.ToPtr(v.Want("an object {\"type\": \"command\", \"command\": \"…\"}"))
	}
	word, isText := v.Get("type").Text()
	if e.profile != nil && e.profile.untyped && !v.Get("type").Exists() {
		word = "command"
	}
	h.Type = word
	if e.kind = kindOf(word); e.kind == 0 && e.Types[word] != nil {
		e.kind = added
	}
	if e.kind == 0 {
		return e.wrongType(isText)
	}
	e.misspelt()
	h.Timeout = e.timeout(e.get("timeout"))
	h.Status = e.text("statusMessage")
	e.once(e.get("once"))
	e.misplaced()
	if wrong := e.condition(e.get("if")); wrong != nil {
		return wrong
	}
	if wrong := e.build(); wrong != nil {
		return wrong
	}
	if e.profile != nil {
		return e.speak()
	}
	if e.traits.neverWaits && h.Background == hook.Foreground {
		h.Background = hook.Async
	}
	e.failure(e.get("onFailure"))
	if e.traits.baseText && e.Level == Docs {
		h.Text = hook.TextIgnored
	}
	return nil
}

// get returns a member of the entry. In a profile, members that the system does not read are absent.
func (e *entry) get(name string) settings.Value {
	if p := e.profile; p != nil && name != p.failure.name && !slices.Contains(p.members, name) {
		return settings.Value{}
	}
	return e.value.Get(name)
}

// misspelt reports members that nothing reads, and members that only other systems read.
func (e *entry) misspelt() {
	read, known := entryMembers, entryMembers
	if e.profile != nil {
		read = append(slices.Clone(e.profile.members), e.profile.failure.name)
		known = slices.Concat(read, entryMembers)
	}
	e.Misspelt(e.value, known...)
	if e.kind != added { // a type that the program defines has members of its own
		e.Ignored(e.system(), false, e.value, read...)
	}
}

// runs returns the types of hooks that run at the event.
func (e *entry) runs() kinds {
	if e.profile != nil {
		return e.profile.kinds
	}
	return e.traits.runs(e.Level)
}

func (e *entry) wrongType(isText bool) *settings.Problem {
	at := e.get("type")
	switch {
	case !at.Exists():
		return lo.ToPtr(e.value.Wrong("the hook has no \"type\"; add \"type\": \"command\""))
	case !isText:
		return lo.ToPtr(at.Want("one of " + all.String()))
	}
	return lo.ToPtr(at.Wrong("there is no hook type %q; write one of %s", e.hook.Type, all))
}

// text reads an optional string.
func (e *entry) text(name string) string {
	text, _ := e.Text(e.get(name))
	return text
}

// needText reads a string that has to be there.
func (e *entry) needText(name, example string) (string, *settings.Problem) {
	v := e.get(name)
	text, ok := v.Text()
	switch {
	case ok && strings.TrimSpace(text) != "":
		return text, nil
	case !v.Exists() || ok:
		return "", lo.ToPtr(e.value.Wrong("the hook has no %q; add %q: %q", name, name, example))
	}
	return "", lo.ToPtr(v.Want("a string"))
}

// timeout reads seconds; an invalid value is the default.
func (e *entry) timeout(v settings.Value) time.Duration {
	if e.profile != nil {
		return e.profileTimeout(v)
	}
	seconds, ok := v.Number()
	if ok && seconds > 0 {
		return max(1, time.Duration(min(seconds*float64(Dialect.Unit), math.MaxInt64/2)))
	}
	if v.Exists() && v.Kind() != 'n' {
		e.WrongTimeout(v, "a timeout is a number of seconds above 0", Dialect.Unit, "30 or 0.5")
	}
	if e.kind&outside != 0 && e.Level == Docs {
		return e.traits.timeout
	}
	// The defaults are those of release 2.1.239; 0 means the event's default.
	return map[kinds]time.Duration{prompts: 30 * time.Second, agents: time.Minute}[e.kind]
}

// once reads "once": the hook runs one time in a session.
func (e *entry) once(v settings.Value) {
	on, _ := e.Bool(v)
	e.hook.Once = on && (e.Level == Base || e.hook.Source == hook.FrontMatter)
	if on && !e.hook.Once {
		e.Problem(v.Wrong("\"once\" counts only in the front matter of skills: the hook runs every time"))
	}
}

// only lists members that have an effect only on some types of hooks.
var only = []struct {
	member string
	kinds  kinds
}{
	{"args", commands}, {"shell", commands}, {"async", commands}, {"asyncRewake", commands},
	{"rewakeMessage", commands}, {"rewakeSummary", commands},
	{"headers", requests}, {"allowedEnvVars", requests},
}

// misplaced reports the members that have no effect on this type of hook.
func (e *entry) misplaced() {
	for _, m := range only {
		if v := e.get(m.member); v.Exists() && m.kinds&e.kind == 0 && e.kind != added {
			e.Problem(v.Wrong("%q has no effect on hooks of type %q; it is for %s", m.member, e.hook.Type, m.kinds))
		}
	}
}

// condition reads "if" (C19), which is only for tool events. At other events a hook with "if" never runs.
func (e *entry) condition(v settings.Value) *settings.Problem {
	if !v.Exists() || v.Kind() == 'n' {
		return nil
	}
	text, ok := v.Text()
	if !ok {
		return lo.ToPtr(v.Want("a permission rule such as \"Bash(git *)\""))
	}
	if e.hook.If = text; !e.traits.conditions {
		wrong := v.Wrong(
			"\"if\" works only on tool events, and %s is not one: the hook never runs; remove the \"if\"",
			e.Event.Name,
		)
		e.Problem(wrong)
		e.hook.Skip, e.hook.SkipDetail, e.hook.Unusable = hook.ConditionFalse, wrong.Message, wrong.Message
		return nil
	}
	rule, err := permission.Parse(text, permission.Origin{Root: e.root, Home: e.home})
	if err != nil {
		return lo.ToPtr(v.Wrong("the hook never runs: %v", err))
	}
	e.hook.Condition = ifRule{rule}
	return nil
}

// failure reads "onFailure" (release 2.1.295): "block" makes a failure act like exit status 2, if failureBlocks returns
// true.
func (e *entry) failure(v settings.Value) {
	if !v.Exists() || v.Kind() == 'n' {
		return
	}
	word, _ := v.Text()
	if !slices.Contains([]string{"block", "continue"}, word) {
		e.Problem(v.Wrong("onFailure has to be \"block\" or \"continue\"; until it is, the action goes ahead when the hook fails"))
		return
	}
	if word != "block" {
		return
	}
	if !e.failureBlocks() {
		e.Problem(
			v.Wrong(
				"onFailure has no effect on this hook of %s, which lets the action go ahead when it fails",
				e.Event.Name,
			),
		)
		return
	}
	e.hook.FailClosed = true
}

// failureBlocks reports whether a failure of the hook can block. A hook of an unknown type counts as a command.
func (e *entry) failureBlocks() bool {
	async := e.hook.Background != hook.Foreground
	if e.kind == 0 || e.kind == commands { // the members of an invalid entry have not been read before
		for _, member := range [...]string{"async", "asyncRewake"} {
			on, _ := e.value.Get(member).Bool()
			async = async || on
		}
	}
	return (e.kind == 0 || e.kind&outside != 0) && !async && !e.traits.stopFrees && e.traits.exitTwoDenies
}

// exclude sets the reason why the settings exclude the hook, if they do. It checks every entry, even an invalid one. It
// skips hooks of front matter, which each Reload checks, and the program's hooks, which settings never exclude.
func (e *entry) exclude() {
	h, id := e.hook, ""
	if e.plugin != nil {
		id = e.plugin.id()
	}
	why := e.policy.judge(h.Source, id)
	if why.Skip == "" || h.Source == hook.FrontMatter || h.Source == hook.Host {
		return
	}
	if why.Skip == hook.Disabled {
		why.Unusable = h.Unusable // a lock in the machine's policy can overrule disableAllHooks
	}
	h.Exclusion = why
}

// decide sets the reason why a valid entry does not run, if there is one.
func (e *entry) decide() {
	h := e.hook
	switch {
	case h.Skip != "":
	case e.invalid != "":
		h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, e.invalid, e.invalid
	case e.runs()&e.kind == 0 && e.kind != added:
		h.Skip, h.SkipDetail = hook.UnsupportedType, fmt.Sprintf(
			"%s runs no hooks of type %q; write one of %s",
			h.Event,
			h.Type,
			e.runs(),
		)
		h.Unusable = h.SkipDetail
		e.Problem(e.get("type").Wrong("%s", h.SkipDetail))
	default:
		h.Unusable = e.broken
	}
}
