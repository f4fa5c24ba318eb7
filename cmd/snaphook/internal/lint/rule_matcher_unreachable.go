package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

var ruleMatcherUnreachable = Rule{
	ID: "matcher-unreachable", Severity: Warning, look: unreachable, Fixable: true,
	Doc: "A matcher, or a name in it, matches no existing tool.",
	Why: "Case counts, an MCP server is not a tool, and a list is written with `|`. The hook never runs, and no message " +
		"says so. In a module, the rule checks the names that `toolName` is compared with. " +
		"Tools of your own are named with `--tools FILE`.",
	Mistake: `{"matcher": "bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
	Fix:     `{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}`,
}

// unreachable looks for matchers that match no existing subject.
func unreachable(v *hookView) {
	pattern := strings.TrimSpace(v.h.Pattern)
	if pattern == "" || pattern == "*" || v.h.Matcher == nil || !v.group.Get("matcher").Exists() {
		return
	}
	m := matcherOf(v, pattern)
	if m.subjects == nil {
		return
	}
	for _, f := range m.findings() {
		v.add(f)
	}
}

// subjectMatcher is a matcher with the subjects to which it is compared.
type subjectMatcher struct {
	*hookView
	pattern  string
	subjects []string
	complete bool   // subjects has all existing subjects
	noun     string // the noun for a subject
}

func matcherOf(v *hookView, pattern string) subjectMatcher {
	m := subjectMatcher{hookView: v, pattern: pattern, noun: "tool"}
	if v.ofTools() {
		if own := tools[v.h.Dialect]; own != nil && !hasOtherTools(v.h) {
			given := v.Tools.of(v.h.Dialect)
			m.subjects = append(slices.Clone(own), given...)
			m.complete = v.h.Dialect == "claude" || len(given) > 0
		}
		return m
	}
	full := v.h.Dialect + "." + v.h.Event
	m.subjects, m.complete, m.noun = words[full], !open[full], v.event.Subject
	return m
}

// hasOtherTools reports whether a hook lies in the settings of a profile of Claude Code's format, whose tools
// have names of their own.
func hasOtherTools(h *hook.Hook) bool {
	return h.Dialect == "claude" &&
		claude.ProfileOfFiles([]settings.Layer{{Source: h.Source, File: h.Position.File}}) != claude.ClaudeCode
}

// findings returns the findings about the whole matcher, or about the names in it.
func (m subjectMatcher) findings() (found []Finding) {
	if !slices.ContainsFunc(m.subjects, m.h.Matcher.Match) && !m.mayBeMCP(m.h.Matcher, m.pattern) {
		if f := m.whole(); f != nil {
			found = append(found, *f)
		}
		return found
	}
	parts := m.parts()
	for _, part := range parts {
		if f := m.part(part, parts); f != nil {
			found = append(found, *f)
		}
	}
	return found
}

// mayBeMCP reports whether a tool of an unknown MCP server can match.
func (m subjectMatcher) mayBeMCP(compiled hook.Matcher, pattern string) bool {
	if !m.ofTools() || !strings.Contains(pattern, "mcp") || serverOnly(pattern) {
		return false
	}
	if m.Tools.servers(m.h.Dialect, pattern) {
		return false // the server's tools are known, and the pattern matches none
	}
	return !isName(pattern) || m.h.Dialect != "claude" || strings.Count(pattern, "__") >= 2
}

// serverOnly reports whether a pattern is only the name of an MCP server. Such a pattern matches no tool: tools have
// longer names.
func serverOnly(pattern string) bool {
	rest, ok := strings.CutPrefix(pattern, "mcp__")
	return ok && isName(pattern) && rest != "" && !strings.Contains(rest, "__")
}

// isName reports whether a pattern is a plain name, not an expression.
func isName(pattern string) bool {
	return pattern != "" && strings.Trim(strings.ToLower(pattern), "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

// parts returns the names between the bars of a list or an expression.
func (m subjectMatcher) parts() []string {
	pattern := strings.TrimSuffix(strings.TrimPrefix(m.pattern, "^"), "$")
	for _, open := range []string{"(?:", "("} {
		inner, ok := strings.CutPrefix(pattern, open)
		if inner, ok2 := strings.CutSuffix(inner, ")"); ok && ok2 && !strings.ContainsAny(inner, "()") {
			pattern = inner
			break
		}
	}
	if strings.ContainsAny(pattern, "()[]\\") || strings.Count(pattern, "|") > maxNames {
		return nil
	}
	return lo.Map(strings.Split(pattern, "|"), func(p string, _ int) string {
		return strings.TrimSuffix(strings.TrimPrefix(p, "^"), "$")
	})
}

// maxNames limits the names of a matcher that are checked one by one.
const maxNames = 100

// part returns the finding about one of several names; nil if there is no finding.
func (m subjectMatcher) part(name string, all []string) *Finding {
	if len(all) < 2 || !isName(name) {
		return nil
	}
	compiled, note := m.event.Rules.Match(name)
	if note != "" || compiled == nil || slices.ContainsFunc(m.subjects, compiled.Match) || m.mayBeMCP(compiled, name) {
		return nil
	}
	better := m.better(name)
	if better == "" || slices.Contains(all, better) || slices.ContainsFunc(all, func(other string) bool {
		return m.matches(other, better)
	}) {
		return nil // a name of another system, next to one of this system, is harmless
	}
	return m.finding(
		fmt.Sprintf("%q in this matcher matches no %s", name, m.noun),
		"did you mean "+better+"?", strings.Replace(m.pattern, name, better, 1),
	)
}

func (m subjectMatcher) matches(pattern, subject string) bool {
	if pattern == "" || pattern == "*" {
		return false
	}
	compiled, note := m.event.Rules.Match(pattern)
	return note == "" && compiled != nil && compiled.Match(subject)
}

// whole returns the finding about a matcher that matches nothing.
func (m subjectMatcher) whole() *Finding {
	pattern := m.pattern
	message := fmt.Sprintf("the matcher %q matches no %s, so this hook never runs", pattern, m.noun)
	if tool, _, ok := strings.Cut(pattern, "("); ok && m.ofTools() && slices.Contains(m.subjects, tool) &&
		strings.HasSuffix(pattern, ")") {
		fix := fmt.Sprintf("write \"matcher\": %q", tool)
		if m.h.Dialect == "claude" {
			fix += fmt.Sprintf(", and \"if\": %q in the hook", pattern)
		}
		return m.finding(message, fix, "")
	}
	if serverOnly(pattern) {
		return m.finding(
			message+": this is an MCP server, and its tools are "+pattern+"__…",
			fmt.Sprintf("write %q", pattern+"__.*"), pattern+"__.*",
		)
	}
	if better, ok := m.corrected(); ok {
		return m.finding(message, fmt.Sprintf("did you mean %q?", better), better)
	}
	f := m.finding(message, m.list(), "")
	if !m.complete {
		f.Severity = Note
		f.Message = fmt.Sprintf("the matcher %q matches no known %s", pattern, m.noun)
		if m.ofTools() {
			f.Fix = "if an MCP server or an extension has it, name it with --tools FILE; else " + f.Fix
		}
	}
	return f
}

func (m subjectMatcher) list() string {
	if m.ofTools() {
		return "write the name of a tool, such as " + strings.Join(m.some(), ", ") + "; --tools FILE adds names"
	}
	return "write one of: " + strings.Join(m.subjects, ", ")
}

func (m subjectMatcher) some() []string {
	if m.h.Dialect == "claude" {
		return []string{"Bash", "Edit", "Write"}
	}
	return []string{"run_shell_command", "replace", "write_file"}
}

// corrected returns the matcher with existing names; ok is false if one of its names resembles no existing name.
func (m subjectMatcher) corrected() (string, bool) {
	fields := strings.FieldsFunc(m.pattern, func(c rune) bool { return c == ',' || c == '|' || c == ' ' })
	if len(fields) > maxNames {
		return "", false
	}
	for i, name := range fields {
		bare := strings.TrimSuffix(strings.TrimPrefix(name, "^"), "$")
		if slices.Contains(m.subjects, bare) {
			continue
		}
		better := m.better(bare)
		if better == "" {
			return "", false
		}
		fields[i] = strings.Replace(name, bare, better, 1)
	}
	return strings.Join(fields, "|"), len(fields) > 0
}

// better returns the name that a wrong name probably means; empty if unknown.
func (m subjectMatcher) better(name string) string {
	if m.ofTools() {
		if other := meant[m.h.Dialect][name]; other != "" {
			return other
		}
	}
	for _, subject := range m.subjects {
		if strings.EqualFold(subject, name) {
			return subject
		}
	}
	if len(name) < 4 || strings.HasPrefix(name, "mcp") {
		return ""
	}
	near := settings.Near(name, m.subjects)
	if len(near) == 0 {
		return ""
	}
	return near[0]
}

func (m subjectMatcher) finding(message, fix, corrected string) *Finding {
	value := m.group.Get("matcher")
	f := m.report("matcher-unreachable", value.Position(), fix, "%s", message)
	if corrected != "" {
		f.edit = setText(m.hookView.doc, value, corrected)
	}
	return f
}
