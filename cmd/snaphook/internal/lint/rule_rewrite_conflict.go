package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

var ruleRewriteConflict = Rule{
	ID: "rewrite-conflict", Severity: Warning,
	Doc: "Two hooks that run at the same time for the same tool rewrite the same member of its input.",
	Why: "Each hook sees the original input. The later hook's value counts, and the other value is lost.",
	Mistake: "two hooks for `Bash` that print\n" +
		`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "…"}}}`,
	Fix: "one hook that does both, or matchers that have no tool in common",
}

// rewriteNames maps a dialect to the member of an answer that changes the input of a tool.
var rewriteNames = map[string]string{"claude": "updatedInput", "llxprt": "tool_input"}

// conflicts looks for two hooks that rewrite the same member at the same time.
func conflicts(l *linter) {
	var rewriting []*hookView
	members := map[*hookView][]string{}
	for _, v := range l.views {
		if v.event.Can&pipeline.CanRewriteInput == 0 || !v.ofTools() || v.h.Background != hook.Foreground ||
			v.h.Policy != nil && v.h.Policy.Mode != hook.Enforce {
			continue
		}
		if m := rewritesOf(v); len(m) > 0 && len(rewriting) < maxFound {
			rewriting, members[v] = append(rewriting, v), m
		}
	}
	for i, later := range rewriting {
		for _, earlier := range rewriting[:i] {
			member := common(members[earlier], members[later])
			if member == "" || !together(earlier, later) {
				continue
			}
			later.add(*later.report("rewrite-conflict", later.h.Position,
				"let one hook do both, or write matchers that have no tool in common",
				"this hook and the one at %s both rewrite %q of the same tools (%s), and each sees the original value",
				earlier.h.Position, member, sharedTools(l, earlier, later)))
			break
		}
	}
}

func common(a, b []string) string {
	for _, member := range a {
		if slices.Contains(b, member) {
			return member
		}
	}
	return ""
}

// together reports whether two hooks run for one call, each with the original
// input.
func together(a, b *hookView) bool {
	if a.h.Dialect != b.h.Dialect || a.h.Event != b.h.Event || a.h.Sequential || b.h.Sequential ||
		a.h.Key != "" && a.h.Key == b.h.Key || a.h.If != b.h.If || a.h.Skip != b.h.Skip {
		return false
	}
	return sharedTools(a.linter, a, b) != ""
}

// sharedTools names tools that both hooks match.
func sharedTools(l *linter, a, b *hookView) string {
	if a.h.Matcher == nil && b.h.Matcher == nil {
		return "all"
	}
	var shared []string
	for _, tool := range append(slices.Clone(tools[a.h.Dialect]), l.Tools.of(a.h.Dialect)...) {
		if (a.h.Matcher == nil || a.h.Matcher.Match(tool)) && (b.h.Matcher == nil || b.h.Matcher.Match(tool)) {
			shared = append(shared, tool)
		}
	}
	if len(shared) == 0 && a.h.Pattern == b.h.Pattern {
		return a.h.Pattern
	}
	if len(shared) > 3 {
		return strings.Join(shared[:3], ", ") + fmt.Sprintf(" and %d more", len(shared)-3)
	}
	return strings.Join(shared, ", ")
}

// rewritesOf returns the members of the tool's input that a hook's scripts write, if their names are
// literal.
func rewritesOf(v *hookView) (members []string) {
	word := rewriteNames[v.h.Dialect]
	if word == "" {
		return nil
	}
	for _, s := range v.scripts {
		text := string(s.text)
		if word == "tool_input" && !strings.Contains(text, "hookSpecificOutput") {
			continue // the script only reads the member
		}
		for at := strings.Index(text, word); at >= 0; {
			members = append(members, membersAt(text, at+len(word))...)
			next := strings.Index(text[at+len(word):], word)
			if next < 0 {
				break
			}
			at += len(word) + next
		}
	}
	slices.Sort(members)
	return slices.Compact(members)
}

// membersAt returns the names in the object that is written after an offset: ": {"command": …,
// timeout: …}" or ".command = …", with quotes of any kind.
func membersAt(text string, at int) (members []string) {
	rest := strings.TrimLeft(text[at:min(len(text), at+2048)], "\\\"'] \t\r\n")
	if name, ok := strings.CutPrefix(rest, "."); ok {
		member := wordAt(name)
		after := strings.TrimLeft(name[len(member):], " \t")
		if member != "" && (strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==") || strings.HasPrefix(after, "|=")) {
			return []string{member}
		}
		return nil
	}
	rest = strings.TrimLeft(strings.TrimLeft(rest, ":="), " \t\r\n")
	if !strings.HasPrefix(rest, "{") {
		return nil
	}
	depth, fresh := 0, false
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '{' || c == '[' || c == '(':
			depth++
			fresh = depth == 1
		case c == '}' || c == ']' || c == ')':
			if depth--; depth <= 0 {
				return members
			}
		case c == ',' && depth == 1:
			fresh = true
		case fresh && isWord(c):
			word := wordAt(rest[i:])
			after := strings.TrimLeft(rest[i+len(word):], "\\\"' \t")
			if strings.HasPrefix(after, ":") {
				members = append(members, word)
			}
			i, fresh = i+len(word)-1, false
		case fresh && !strings.ContainsRune("\\\"' \t\r\n", rune(c)):
			fresh = false
		}
	}
	return members
}

func wordAt(text string) string {
	end := 0
	for end < len(text) && isWord(text[end]) {
		end++
	}
	return text[:end]
}
