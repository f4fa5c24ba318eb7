package policy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// maxRetries limits the retries that an overlay can demand.
const maxRetries = 10

// maxWarm limits the warm processes that an overlay can demand.
const maxWarm = 256

// Warms lists the ways to keep a hook warm.
var Warms = []string{"auto", "python", "node", "bash", "worker", "off"}

// The members of an overlay and of its parts.
var (
	overlayMembers  = []string{"hooks", "defaults", "limits", "recheck", "lock", "$schema"}
	ruleMembers     = []string{"match", "onFailure", "mode", "timeout", "stretch", "retry", "queue", "warm", "prewarm", "recheck"}
	matchMembers    = []string{"dialect", "event", "name", "command", "source"}
	defaultsMembers = []string{"gates", "observers"}
	limitsMembers   = []string{"concurrent", "perEvent", "breaker", "warm"}
)

// Parse reads an overlay: JSON with comments and trailing commas. Each mistake is a fatal problem, with its position
// and a correction; the whole file then has no effect.
func Parse(level Level, file string, data []byte) (*Overlay, []settings.Problem) {
	v, err := settings.Parse(file, data)
	if err == nil && v.Kind() == '{' && !bytes.ContainsRune(data, '{') {
		// An empty file is a mistake: an editor may truncate the file before it writes, and this must not disable
		// guards.
		return nil, []settings.Problem{{
			Position: hook.Position{File: file, Line: 1, Column: 1}, Fatal: true,
			Message: "the file is empty, and may be half written; write {} to set nothing, or remove it",
		}}
	}
	return fromValue(level, file, v, err)
}

func fromValue(level Level, file string, v settings.Value, err error) (*Overlay, []settings.Problem) {
	p := overlayParser{o: &Overlay{Level: level, File: file, places: map[string]hook.Position{}}}
	if err != nil {
		problem, ok := err.(settings.Problem)
		if !ok {
			problem = settings.Problem{Position: hook.Position{File: file}, Message: err.Error(), Fatal: true}
		}
		return nil, []settings.Problem{problem}
	}
	for _, twice := range v.Duplicates() {
		p.wrong(twice)
	}
	p.overlay(v)
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	return p.o, nil
}

// overlayParser reads one file.
type overlayParser struct {
	o        *Overlay
	problems []settings.Problem
}

func (p *overlayParser) wrong(problem settings.Problem) {
	problem.Fatal = true
	p.problems = append(p.problems, problem)
}

// members passes each known member of an object to a function, and reports the others as problems. It records the
// positions.
func (p *overlayParser) members(
	v settings.Value,
	path, what string,
	known []string,
	read func(name, path string, v settings.Value),
) {
	if v.Kind() != '{' {
		p.wrong(v.Want(what))
		return
	}
	p.o.places[path] = v.Position()
	for name, member := range v.Members() {
		at := strings.TrimPrefix(path+"."+name, ".")
		if !slices.Contains(known, name) {
			p.wrong(
				member.Name().
					Wrong("there is no member %q%s; write one of %s", name, near(name, known), strings.Join(known, ", ")),
			)
			continue
		}
		p.o.places[at] = member.Position()
		read(name, at, member)
	}
}

// near lists the known names that are similar to a misspelt one.
func near(name string, known []string) string {
	found := settings.Near(name, known)
	if len(found) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(
		lo.Map(found, func(s string, _ int) string { return fmt.Sprintf("%q", s) }),
		" or ",
	) + "?)"
}

func (p *overlayParser) overlay(v settings.Value) {
	p.members(v, "", "an object {\"hooks\": […]}", overlayMembers, func(name, path string, v settings.Value) {
		switch name {
		case "hooks":
			if v.Kind() != '[' {
				p.wrong(v.Want("an array of rules"))
			}
			for i, rule := range v.Elements() {
				p.rule(rule, rulePath(i))
			}
		case "defaults":
			p.defaults(v, path)
		case "limits":
			p.limits(v, path)
		case "recheck":
			p.o.Recheck = p.bool(v)
		case "$schema": // for editors
			if _, ok := v.Text(); !ok {
				p.wrong(v.Want("the address of a schema"))
			}
		}
	})
	if lock := v.Get("lock"); lock.Exists() { // read last, because it refers to the rules
		p.lock(lock)
	}
}

func (p *overlayParser) rule(v settings.Value, path string) {
	var r Rule
	p.members(
		v,
		path,
		"an object with \"match\" and the members that the rule sets",
		ruleMembers,
		func(name, path string, v settings.Value) {
			switch name {
			case "match":
				p.match(&r.Match, v, path)
			case "onFailure":
				r.OnFailure = p.onFailure(v, path)
			case "mode":
				r.Mode = new(hook.Mode(p.word(v, "enforce", "shadow", "off")))
			case "timeout":
				r.Timeout = p.duration(v)
			case "stretch":
				r.Stretch = p.number(v, 1, hook.DefaultStretch)
			case "queue":
				r.Queue = p.duration(v)
			case "retry":
				r.Retry = p.retry(v, path)
			case "warm":
				r.Warm = Warms[p.word(v, Warms...)]
			case "prewarm":
				r.Prewarm = new(p.bool(v))
			case "recheck":
				r.Recheck = new(p.bool(v))
			}
		},
	)
	p.o.Rules = append(p.o.Rules, r)
}

func (p *overlayParser) match(m *Match, v settings.Value, path string) {
	p.members(v, path, "an object of globs", matchMembers, func(name, _ string, v settings.Value) {
		into := map[string]*string{"dialect": &m.Dialect, "event": &m.Event, "name": &m.Name, "command": &m.Command, "source": &m.Source}[name]
		text, ok := v.Text()
		switch {
		case !ok:
			p.wrong(v.Want("a glob, such as \"*guard*\""))
		case text == "":
			p.wrong(v.Wrong("an empty glob matches nothing; leave %q out, or write \"*\"", name))
		}
		*into = text
	})
}

// onFailure reads one action, or an object from classes to actions.
func (p *overlayParser) onFailure(v settings.Value, path string) OnFailure {
	if v.Kind() == '"' {
		return OnFailure{Default: hook.Action(p.word(v, "open", "ask", "closed"))}
	}
	known := []string{string(Default)}
	for _, class := range hook.Classes() {
		known = append(known, string(class))
	}
	all := OnFailure{}
	p.members(
		v,
		path,
		"\"open\", \"ask\" or \"closed\", or an object of failure classes",
		known,
		func(name, _ string, v settings.Value) {
			all[hook.Class(name)] = hook.Action(p.word(v, "open", "ask", "closed"))
		},
	)
	return all
}
