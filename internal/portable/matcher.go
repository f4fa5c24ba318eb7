package portable

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/samber/lo"
)

// The expressions are compiled on first use: programs that only run hooks do not need them.
var (
	listed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_:.\- ]+(\|[A-Za-z0-9_:.\- ]+)*$`) })
	whole  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\^(?:\((?:\?:)?)?([A-Za-z0-9_:.\-]+(?:\|[A-Za-z0-9_:.\-]+)*)\)?\$$`)
	})
	word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\.|[A-Za-z_][A-Za-z0-9_]*`) }) // an escape such as \b is not a word
)

// Matcher translates a matcher of tools from one system to another. It returns a note if the translation may select
// other tools.
func Matcher(from, to *System, pattern string) (matcher, note string) {
	if pattern == "" || pattern == "*" || pattern == ".*" {
		return "", ""
	}
	if names, exact := from.names(pattern); exact {
		var there []string
		for _, name := range names {
			there = append(there, translated(from, to, name)...)
		}
		return to.list(lo.Uniq(there)), ""
	}
	expression := word().ReplaceAllStringFunc(pattern, func(name string) string {
		there := translated(from, to, name)
		if name[0] == '\\' || len(there) == 1 && there[0] == name {
			return name
		}
		return "(?:" + strings.Join(there, "|") + ")"
	})
	note = "the matcher " + pattern + " is an expression: check that it selects the tools of " + to.Title + " that are meant"
	if from.Matching == Anchored {
		expression = "^(?:" + expression + ")$"
	}
	if to.Matching == Anchored {
		expression = ".*(?:" + strings.TrimSuffix(strings.TrimPrefix(expression, "^"), "$") + ").*"
	}
	if to.Matching == Names && listed().MatchString(expression) {
		expression = ".*(?:" + expression + ").*"
	}
	return expression, note
}

// names returns the names that a pattern lists, if it selects them and nothing else.
func (s *System) names(pattern string) (all []string, exact bool) {
	if m := whole().FindStringSubmatch(pattern); m != nil {
		return strings.Split(m[1], "|"), !strings.Contains(m[1], ".")
	}
	if s.Matching == Search || !listed().MatchString(pattern) || strings.Contains(pattern, ".") {
		return nil, false
	}
	return lo.Map(strings.Split(pattern, "|"), func(name string, _ int) string { return strings.TrimSpace(name) }), true
}

// list returns the matcher that selects names.
func (s *System) list(names []string) string {
	text := strings.Join(names, "|")
	if s.Matching == Search {
		return "^(" + text + ")$"
	}
	return text
}

// translated returns the names that a tool of the source system has in the target system.
func translated(source, target *System, name string) (all []string) {
	names := lo.Keys(lo.PickByValues(source.Tools, []string{name}))
	if len(names) == 0 {
		names = []string{cmp.Or(source.Also[name], name)}
	}
	slices.Sort(names)
	for _, name := range names {
		if server, tool, ok := source.mcp(name); ok {
			all = append(all, strings.NewReplacer("SERVER", server, "TOOL", tool).Replace(target.MCP))
			continue
		}
		all = append(all, cmp.Or(target.Tools[name], name))
	}
	return lo.Uniq(all)
}

// mcp splits the name of an MCP server's tool.
func (s *System) mcp(name string) (server, tool string, ok bool) {
	prefix, rest, _ := strings.Cut(s.MCP, "SERVER")
	between, _, _ := strings.Cut(rest, "TOOL")
	inner, isMCP := strings.CutPrefix(name, prefix)
	if prefix == "" || between == "" || !isMCP {
		return "", "", false
	}
	return strings.Cut(inner, between)
}
