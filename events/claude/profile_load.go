package claude

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// ProfileOfFiles returns the profile to which all files belong by their paths, or ClaudeCode. It is for files that
// replace the files of [Discover].
func ProfileOfFiles(layers []settings.Layer) Profile {
	for _, p := range profiles {
		if len(layers) > 0 && lo.EveryBy(layers, func(l settings.Layer) bool {
			f := p.fileOf(l)
			return f.path != "" && !f.foreign
		}) {
			return p.name
		}
	}
	return ClaudeCode
}

// profileMatcher compiles the matcher of a group by the rules of the profile.
func profileMatcher(g *group, v settings.Value) {
	var note string
	if g.matcher, note = g.profile.match(g.pattern); note != "" {
		g.Problem(v.Wrong("%s", note))
	}
	if names, listed := g.matcher.(match.Names); listed && len(names) == 0 {
		g.broken = note
	}
	member, differs := g.profile.subjects[g.Event.Name]
	switch {
	case g.matcher == nil || g.broken != "":
	case differs && member != "":
		g.where, g.matcher = memberCondition{member, g.matcher}, nil
	case (differs || g.Event.Subject == "") && !g.matcher.Match(""):
		g.matcher = match.Names(nil)
		g.Problem(v.Wrong("the hooks never run: matchers of %s test an empty text; remove the matcher", g.Event.Name))
	case differs || g.Event.Subject == "":
		g.matcher = nil
	}
}

// memberCondition applies a matcher to another member of the input than the event's subject.
type memberCondition struct {
	member string
	hook.Matcher
}

// Holds reports whether the matcher accepts the member.
func (m memberCondition) Holds(in hook.ConditionInput) bool {
	return m.Match(wire.Object(in.Input).Text(m.member))
}

// profileTimeout reads a timeout by the rules of the profile.
func profileTimeout(e *entry, v settings.Value) time.Duration {
	p := e.profile
	n, ok := v.Number()
	unit := Dialect.Unit
	if p.milliseconds > 0 && n >= p.milliseconds && e.kind == commands {
		unit = time.Millisecond
		e.Problem(v.Wrong("%s reads a timeout of %v or more as milliseconds; write seconds", p.system, p.milliseconds))
	}
	if ok && n > 0 && (!p.whole || n == math.Trunc(n)) {
		timeout := max(1, time.Duration(min(n*float64(unit), math.MaxInt64/2)))
		if p.longest == 0 || timeout <= p.longest {
			return timeout
		}
	}
	if v.Exists() && v.Kind() != 'n' {
		e.WrongTimeout(v, fmt.Sprintf("a timeout of %s is a number of %sseconds above 0%s", p.system,
			lo.Ternary(p.whole, "whole ", ""), lo.Ternary(p.longest > 0, fmt.Sprintf(" and up to %v", p.longest.Seconds()), "")),
			Dialect.Unit, "30")
	}
	if e.kind == prompts && p.promptTime > 0 {
		return p.promptTime
	}
	if own := p.timeouts[e.Event.Name]; own > 0 {
		return own
	}
	return p.timeout
}

// speak adapts a hook, which already has its runner, to the profile's system.
func speak(e *entry) *settings.Problem {
	p, h := e.profile, e.hook
	if p.only != nil && !slices.Contains(p.only, h.Event) {
		e.Problem(e.Value.Wrong("%s has no event %s: the hook never runs there", p.system, p.named(h.Event)))
	}
	h.Name = e.text("name")
	h.Condition, h.NoEnvFile = e.where, true
	if e.where != nil {
		h.If = e.pattern
	}
	on, _ := e.Bool(groupSwitch(e, "sequential"))
	h.Sequential = p.sequential || on
	h.Key = profileKey(e)
	if e.kind&(commands|requests) == 0 {
		return nil // a model's verdict is already in Claude Code's words
	}
	if wrong := profileVariables(e); wrong != nil {
		return wrong
	}
	h.Exits = watchingEnds
	if p.answers.decides(h.Event) && e.traits.exitTwoDenies {
		h.Exits = blockingEnds
	}
	word, _ := e.get(p.failure.name).Text()
	counts := p.failure.events == nil && p.answers.decides(h.Event) || slices.Contains(p.failure.events, h.Event)
	h.FailClosed = counts && p.failure.name != "" && word == p.failure.words[1]
	h.Runner = translator{h.Runner, p, h.Event, p.subject(h.Event, subjectMember(e))}
	return nil
}

// subjectMember returns tool_name at an event whose matchers test the name of a tool in Claude Code, and "" at all
// others.
func subjectMember(e *entry) string {
	if e.Event.Subject == toolSubject {
		return toolSubject
	}
	return ""
}

// groupSwitch returns a boolean member of the group. It is absent in a profile whose hooks always run one after
// another.
func groupSwitch(e *entry, name string) settings.Value {
	if e.profile.sequential {
		return settings.Value{}
	}
	return e.Group.Value.Get(name)
}

// profileKey returns the key by which duplicates are found: the members that the profile compares.
func profileKey(e *entry) string {
	if e.profile.key == nil {
		return ""
	}
	var key strings.Builder
	for _, name := range e.profile.key {
		key.Write(e.get(name).JSON())
		key.WriteByte(0)
	}
	return key.String()
}

// profileVariables adds the entry's variables to the environment of the command, and selects sh as its shell if the
// system uses sh.
func profileVariables(e *entry) *settings.Problem {
	v := e.get("env")
	if v.Exists() && v.Kind() != '{' && v.Kind() != 'n' {
		return lo.ToPtr(v.Want("an object whose members are variables"))
	}
	c, ok := hook.RunnerAs[*run.Command](e.hook.Runner)
	if !ok {
		return nil
	}
	env := e.env
	for name, value := range v.Members() {
		text, isText := value.Text()
		if !isText {
			return lo.ToPtr(value.Want("a string"))
		}
		e.hook.Vars = append(e.hook.Vars, name+"="+text)
		env = environ.WithVar(env, name, text)
	}
	c.Environ = environFor(e.hook.Command, env)
	if c.Grace == 0 {
		c.Grace = e.profile.grace
	}
	if script, err := e.inShell(e.text("command")); e.profile.sh && err == nil {
		c.Argv, c.Direct = []string{"/bin/sh", "-c", script}, nil
		e.hook.Argv = c.Argv
	}
	return nil
}

// foreignVars returns env without Claude Code's variables.
func foreignVars(env []string) []string {
	return lo.Reject(env, func(entry string, _ int) bool { return strings.HasPrefix(entry, "CLAUDE_") })
}
