package claude

import (
	"fmt"
	"math"
	"path/filepath"
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

// settleProfile determines the profile whose files and rules apply. An unknown profile is an error.
func (s *Settings) settleProfile(dir string) (problems []settings.Problem, err error) {
	switch {
	case s.Profile != Found:
	case s.Layers != nil:
		s.Profile = ProfileOfFiles(s.Layers)
	case !s.Bare:
		s.Profile, problems = find(dir, s.Environ)
	default:
		s.Profile = ClaudeCode
	}
	_, err = profileNamed(s.Profile)
	return problems, err
}

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

// readProfile reads each file of a system. An invalid file does not affect the others.
func (r *reading) readProfile(layers []settings.Layer) {
	p := r.profile
	r.Elsewhere, r.Unfired = nil, p.elsewhen
	if r.policy.untrusted && !p.allTrust {
		r.policy.untrusted, r.policy.own = false, &policy{untrusted: true}
	}
	values := make([]settings.Value, len(layers))
	for i, layer := range layers {
		if p.fileOf(layer).list != "" {
			layer.Format = toml
		}
		read, problems := settings.Read([]settings.Layer{layer})
		if values[i] = read[0]; len(problems) == 0 {
			problems = p.unusable(p.fileOf(layer), values[i])
		}
		if len(problems) > 0 {
			r.lose(layer, problems[0])
			values[i] = settings.Value{}
		}
	}
	if p.switchOff {
		ranked := lo.Zip2(layers, values)
		slices.SortStableFunc(ranked, func(a, b lo.Tuple2[settings.Layer, settings.Value]) int {
			return byPrecedence(a.A, b.A)
		})
		byRank, valuesByRank := lo.Unzip2(ranked)
		r.policy.read(r, byRank, valuesByRank)
	}
	for i, layer := range layers {
		if !values[i].Exists() {
			continue
		}
		r.Loaded.Files = append([]string{layer.File}, r.Loaded.Files...)
		r.inspect(values[i])
		p.fileOf(layer).lost(r, layer, values[i])
		r.readProfileFile(layer, p.fileOf(layer), values[i])
	}
}

// lose reports that a whole file is ignored. The other files load. With a policy that fails closed, every event that
// can block blocks.
func (r *reading) lose(layer settings.Layer, wrong settings.Problem) {
	wrong.Fatal = false
	r.Problem(wrong)
	r.Lose(layer.Source.String(), &hook.Hook{Identity: hook.Identity{Source: layer.Source}}, wrong)
}

// losePlugin reads a plugin and makes its hooks invalid, because they follow the rules of Claude Code. It reports one
// problem if the plugin has hooks. With a policy that fails closed, the hooks block.
func (r *reading) losePlugin(p Plugin) {
	system, first := r.profile.system, len(r.Loaded.Hooks)
	func() {
		defer func(profile *profile) { r.profile = profile }(r.profile)
		r.profile = nil
		r.plugin(p)
	}()
	lost := r.Loaded.Hooks[first:]
	why := "hooks of plugins follow the rules of Claude Code, and the settings follow the rules of " + system
	for _, h := range lost {
		if h.Skip == "" {
			h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, why, why
		}
	}
	if len(lost) > 0 {
		r.Problem(settings.Problem{
			Position: lost[0].Position,
			Message:  "this plugin's hooks do not run: " + why + "; load the plugin with Profile: claude.ClaudeCode",
		})
	}
}

// lost adds hooks that block under a policy that fails closed, if the hooks of a file cannot be read as a whole.
func (f profileFile) lost(r *reading, layer settings.Layer, v settings.Value) {
	like := &hook.Hook{Identity: hook.Identity{Source: layer.Source}}
	if f.list != "" {
		r.LoseUnread(layer.Source.String(), like, v, v.Get("hooks"), '[')
	} else {
		r.LoseUnread(layer.Source.String(), like, v, f.events(v), '{')
	}
}

func (r *reading) readProfileFile(layer settings.Layer, f profileFile, v settings.Value) {
	o := hooksSource{reading: r, layer: layer, root: r.at.Dir, env: r.env}
	if f.plugin {
		file, err := filepath.Abs(layer.File)
		if err != nil {
			file = layer.File
		}
		root := filepath.Dir(filepath.Dir(file))
		o.plugin = &Plugin{Name: filepath.Base(root), Root: root}
		o.env = environ.WithVar(o.env, r.profile.pluginVar, root)
	}
	if f.list != "" {
		for g := range r.Listed(v.Get("hooks"), f.list) {
			o.group(g)
		}
		return
	}
	events := f.events(v)
	if !f.root && !f.foreign {
		events = r.Hooks(v)
	}
	o.hooks(events)
}

// unusable returns the first mistake for which the system ignores the whole file, if there is one.
func (p *profile) unusable(f profileFile, v settings.Value) []settings.Problem {
	if f.list != "" {
		for _, e := range v.Get("hooks").Elements() {
			if wrong := p.wrongEntry(f, e); wrong != nil {
				return []settings.Problem{*wrong}
			}
		}
		return nil
	}
	for event, groups := range f.events(v).Members() {
		if !slices.Contains(p.only, event) {
			continue
		}
		for _, g := range groups.Elements() {
			for _, e := range g.Get("hooks").Elements() {
				word, isText := e.Get("type").Text()
				if wrong := p.failure.wrong(e); wrong != nil && (!isText || kindOf(word)&p.kinds != 0) {
					return []settings.Problem{*wrong}
				}
			}
		}
	}
	return nil
}

// wrongEntry returns the mistake in an entry of a list that makes the whole file invalid.
func (p *profile) wrongEntry(f profileFile, e settings.Value) *settings.Problem {
	event, _ := e.Get(f.list).Text()
	if at := e.Get(f.list); p.strict && !slices.Contains(p.only, event) && !slices.Contains(p.elsewhen, event) {
		return lo.ToPtr(at.Wrong("%s has no event %q%s; until it is repaired, no hook of the file runs", p.system, event,
			lo.Ternary(at.Exists(), "", `: add event = "PreToolUse"`)))
	}
	for name, v := range e.Members() {
		if p.strict && name != p.failure.name && !slices.Contains(p.members, name) {
			return lo.ToPtr(v.Wrong("a hook of %s has no member %q; write one of %s. Until it is removed, no hook of the file runs",
				p.system, name, strings.Join(append(slices.Clone(p.members), p.failure.name), ", ")))
		}
	}
	return p.failure.wrong(e)
}

// wrong returns the mistake in the failure policy of an entry; nil if the policy is valid or missing, or the system
// does not read it.
func (f failureMember) wrong(entry settings.Value) *settings.Problem {
	v := entry.Get(f.name)
	if word, isText := v.Text(); f.name == "" || !v.Exists() || isText && slices.Contains(f.words, word) {
		return nil
	}
	return lo.ToPtr(v.Wrong(
		"%s has to be %q or %q; until then no hook of the file runs", f.name, f.words[0], f.words[1],
	))
}

// profileMatcher compiles the matcher of a group by the rules of the profile.
func (g *group) profileMatcher(v settings.Value) {
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

// subject returns the name of the member that matchers of an event test in the profile.
func (p *profile) subject(event, ours string) string {
	if member, differs := p.subjects[event]; differs {
		return member
	}
	return ours
}

// profileTimeout reads a timeout by the rules of the profile.
func (e *entry) profileTimeout(v settings.Value) time.Duration {
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
func (e *entry) speak() *settings.Problem {
	p, h := e.profile, e.hook
	if p.only != nil && !slices.Contains(p.only, h.Event) {
		e.Problem(e.Value.Wrong("%s has no event %s: the hook never runs there", p.system, p.named(h.Event)))
	}
	h.Name = e.text("name")
	h.Condition, h.NoEnvFile = e.where, true
	if e.where != nil {
		h.If = e.pattern
	}
	on, _ := e.Bool(e.groupSwitch("sequential"))
	h.Sequential = p.sequential || on
	h.Key = e.profileKey()
	if e.kind&(commands|requests) == 0 {
		return nil // a model's verdict is already in Claude Code's words
	}
	if wrong := e.variables(); wrong != nil {
		return wrong
	}
	h.Exits = watchingEnds
	if p.answers.decides(h.Event) && e.traits.exitTwoDenies {
		h.Exits = blockingEnds
	}
	word, _ := e.get(p.failure.name).Text()
	counts := p.failure.events == nil && p.answers.decides(h.Event) || slices.Contains(p.failure.events, h.Event)
	h.FailClosed = counts && p.failure.name != "" && word == p.failure.words[1]
	h.Runner = translator{h.Runner, p, h.Event, p.subject(h.Event, e.subjectMember())}
	return nil
}

// subjectMember returns tool_name at an event whose matchers test the name of a tool in Claude Code, and "" at all
// others.
func (e *entry) subjectMember() string {
	if e.Event.Subject == toolSubject {
		return toolSubject
	}
	return ""
}

// groupSwitch returns a boolean member of the group. It is absent in a profile whose hooks always run one after
// another.
func (e *entry) groupSwitch(name string) settings.Value {
	if e.profile.sequential {
		return settings.Value{}
	}
	return e.Group.Value.Get(name)
}

// profileKey returns the key by which duplicates are found: the members that the profile compares.
func (e *entry) profileKey() string {
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

// variables adds the entry's variables to the environment of the command, and selects sh as its shell if the system
// uses sh.
func (e *entry) variables() *settings.Problem {
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
