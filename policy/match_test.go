package policy_test

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

func TestAMatchHoldsIfAllOfItsGlobsDo(t *testing.T) {
	h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Name: "guard one", Command: `"$CLAUDE_PROJECT_DIR"/hooks/guard.sh --strict "a b"`, Source: hook.Project}}
	for name, test := range map[string]struct {
		match policy.Match
		want  bool
	}{
		"nothing":                        {policy.Match{}, true},
		"a dialect":                      {policy.Match{Dialect: "claude"}, true},
		"another dialect":                {policy.Match{Dialect: "llxprt"}, false},
		"an event":                       {policy.Match{Event: "PreToolUse"}, true},
		"an event with its dialect":      {policy.Match{Event: "claude.PreToolUse"}, true},
		"a glob of events":               {policy.Match{Event: "Pre*"}, true},
		"case counts":                    {policy.Match{Event: "pretooluse"}, false},
		"a name":                         {policy.Match{Name: "guard*"}, true},
		"one character":                  {policy.Match{Name: "guard?one"}, true},
		"a star goes over slashes":       {policy.Match{Command: "*/guard.sh*"}, true},
		"the first word":                 {policy.Match{Command: "*/guard.sh"}, true},
		"the first word without quotes":  {policy.Match{Command: "$CLAUDE_PROJECT_DIR/hooks/guard.sh"}, true},
		"not the middle":                 {policy.Match{Command: "guard.sh"}, false},
		"a source":                       {policy.Match{Source: "project"}, true},
		"all but one":                    {policy.Match{Dialect: "claude", Event: "PreToolUse", Name: "guard*", Source: "user"}, false},
		"a star that is none":            {policy.Match{Name: `guard\*`}, false},
		"stars alone":                    {policy.Match{Name: "***"}, true},
		"a class is plain text":          {policy.Match{Name: "guard [o]ne"}, false},
		"what a single star has to skip": {policy.Match{Command: "*strict*b\""}, true},
	} {
		if got := test.match.Matches(h); got != test.want {
			t.Errorf("%s: %+v matches: %v, want %v", name, test.match, got, test.want)
		}
	}
}

// slowly defines the result of matches in a simple and slow way.
func slowly(glob, text string) bool {
	switch {
	case glob == "":
		return text == ""
	case glob[0] == '*':
		return slowly(glob[1:], text) || text != "" && slowly(glob, text[1:])
	case text == "":
		return false
	case glob[0] == '?':
		return slowly(glob[1:], text[1:])
	}
	return glob[0] == text[0] && slowly(glob[1:], text[1:])
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b?c", "aXXbYc")
	f.Add("**", "")
	f.Fuzz(func(t *testing.T, glob, text string) {
		if len(glob) > 12 || len(text) > 20 || glob == "" || strings.ContainsRune(glob, '\\') || strings.ContainsFunc(glob+text, func(r rune) bool { return r > 126 }) {
			return
		}
		if got, want := (policy.Match{Name: glob}).Matches(&hook.Hook{Identity: hook.Identity{Name: text}}), slowly(glob, text); got != want {
			t.Errorf("%q matches %q: %v, want %v", glob, text, got, want)
		}
	})
}
