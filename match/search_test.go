package match_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

func TestMatchersOfOtherSystemsReadPatternsAsTheirsDo(t *testing.T) {
	aliased := match.Aliased(match.Renamed{{"write_file", "WriteFile"}, {"edit", "Edit"}})
	for _, tt := range []struct {
		name    string
		compile func(string) (hook.Matcher, string)
		pattern string
		yes, no string // subjects that match and that do not; "" is not tested
		note    bool
	}{
		{"no pattern is everything", match.Search, "", "x", "", false},
		{"a search is not anchored", match.Search, "rit", "Write", "Read", false},
		{"a search looks ahead", match.Search, "^(?!Bash)", "Write", "Bash", false},
		{"a star is not an expression", match.Search, "*", "", "x", true},
		{"a star can be everything", match.SearchStar, "*", "x", "", false},
		{"a broken expression is never", match.SearchStar, "Bash(", "", "Bash(", true},
		{"a linear search is not anchored", match.Linear, "shell", "developer__shell", "x", false},
		{"a linear search cannot look ahead", match.Linear, "^(?!x)", "", "y", true},
		{"a star is no linear expression", match.Linear, "*", "", "x", true},
		{"an alias selects its tool", aliased, "WriteFile", "write_file", "read_file", false},
		{"a list has aliases", aliased, "Bash | Edit", "edit", "write_file", false},
		{"an alias is never part of an expression", aliased, "Write", "", "write_file", false},
		{"an expression sees the tool's own name", aliased, "write_.*|x", "write_file", "edit", false},
		{"dots are everything in a list", aliased, "x|.*", "edit", "", false},
		{"a bar alone is nothing", aliased, "||", "", "x", true},
		{"an escaped bar does not separate", aliased, `a\|b`, "a|b", "a", false},
		{"what is not an expression is a name", aliased, "f(", "f(", "f", true},
		{"what begins with a parenthesis is one expression", aliased, "(edit|x)$", "edit", "edits", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, note := tt.compile(tt.pattern)
			if (note != "") != tt.note {
				t.Errorf("note %q", note)
			}
			if tt.yes != "" && m != nil && !m.Match(tt.yes) {
				t.Errorf("does not match %q", tt.yes)
			}
			if tt.no != "" && (m == nil || m.Match(tt.no)) {
				t.Errorf("matches %q", tt.no)
			}
		})
	}
}

func FuzzAliasedAcceptsTheNamesThatItLists(f *testing.F) {
	f.Add("a|b", "a")
	f.Add("^a$|b", "b")
	f.Add("(", "(")
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		m, _ := match.Aliased(match.Renamed{{"a", "b"}})(pattern)
		if m != nil && pattern == subject && pattern != "" && !m.Match(subject) && pattern[0] > ' ' && pattern[len(pattern)-1] > ' ' &&
			!containsBar(pattern) {
			t.Errorf("%q does not select the tool of that name", pattern)
		}
	})
}

func containsBar(s string) bool {
	for _, c := range s {
		if c == '|' {
			return true
		}
	}
	return false
}
