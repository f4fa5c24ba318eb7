package match

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

func TestListsOfNamesAsClaudeCodeReadsThem(t *testing.T) {
	tests := []struct {
		name, pattern, subject string
		base, wide             bool
	}{
		{"a name", "Write", "Write", true, true},
		{"a name is not part of a name", "Bash", "BashOutput", false, false},
		{"a name in a list", "Write|Edit", "Edit", true, true},
		{"no name of a list", "Write|Edit", "NotebookEdit", false, false},
		{"upper and lower case differ", "bash", "Bash", false, false},
		{"a server is not its tools", "mcp__memory", "mcp__memory__create_entities", false, false},
		{"its tools are an expression", "mcp__memory__.*", "mcp__memory__create_entities", true, true},
		{"an empty part of a list", "Write||Edit|", "Glob", false, false},
		{"an empty part of a list, no subject", "Write|", "", false, false},
		{"an expression is unanchored", "Edit.*", "NotebookEdit", true, true},
		{"an anchored expression", "^Edit$", "NotebookEdit", false, false},
		{"a colon makes an expression", "my-plugin:reviewer", "x-my-plugin:reviewer", true, true},
		{"lookahead", "^(?!Read)", "Write", true, true},
		{"invalid matches nothing", "[unclosed", "[unclosed", false, false},
		{"a star in front is invalid", "*_file", "*_file", false, false},
		{"a hyphen", "code-reviewer", "code-reviewer", true, true},
		{"a hyphen, in a longer name", "code-reviewer", "senior-code-reviewer", true, false},
		{"a comma", "Bash, PowerShell", "PowerShell", false, true},
		{"a comma without a blank", "Bash,PowerShell", "Bash", false, true},
		{"blanks around |", "Edit | Write", "Write", false, true},
		{"blanks around a name", " Write ", "Write", false, true},
		{"a blank in a name", "my agent|x", "my agent", true, true},
		{"a blank alone", " ", "Write", false, false},
		{"not ASCII is an expression", "größe", "xgrößex", true, true},
		{"a line end is an expression", "Write\n", "Write", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, _ := List(tt.pattern)
			wide, _ := WideList(tt.pattern)
			if got := base.Match(tt.subject); got != tt.base {
				t.Errorf("List(%q).Match(%q) = %v, want %v", tt.pattern, tt.subject, got, tt.base)
			}
			if got := wide.Match(tt.subject); got != tt.wide {
				t.Errorf("WideList(%q).Match(%q) = %v, want %v", tt.pattern, tt.subject, got, tt.wide)
			}
		})
	}
}

func TestNoPatternAndAStarListEverything(t *testing.T) {
	for _, pattern := range []string{"", "*"} {
		for name, read := range map[string]func(string) (hook.Matcher, string){"List": List, "WideList": WideList} {
			if m, note := read(pattern); m != nil || note != "" {
				t.Errorf("%s(%q) = %v, %q; want nil and no note", name, pattern, m, note)
			}
		}
	}
}

func TestListSaysWhatToWriteInstead(t *testing.T) {
	for pattern, want := range map[string]struct{ base, wide string }{
		"Write|Edit":       {},
		"^a.b$":            {},
		"my-plugin:x":      {},
		"[unclosed":        {"matches nothing", "matches nothing"},
		"(?i)abc":          {"(?i is not a group in JavaScript", "(?i is not a group in JavaScript"},
		"|":                {"write * for everything", "write * for everything"},
		" , ":              {"write * for everything", "write * for everything"},
		"code-reviewer":    {"write ^code-reviewer$", ""},
		"a-b, c":           {"write ^(?:a-b|c)$", ""},
		"Bash, PowerShell": {"write Bash|PowerShell", ""},
		" Bash":            {"write Bash", ""},
	} {
		check := func(reader, note, want string) {
			if (note == "") != (want == "") || !strings.Contains(note, want) {
				t.Errorf("%s(%q) notes %q, want %q in it", reader, pattern, note, want)
			}
		}
		_, note := List(pattern)
		check("List", note, want.base)
		_, note = WideList(pattern)
		check("WideList", note, want.wide)
	}
}

func TestListsMatchWithoutAllocating(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	names, _ := List("Glob|Write")
	wide, _ := WideList("Glob, Write")
	hyphen, _ := List("code-reviewer")
	expression, _ := List("^(?:Read|Write).*$")
	for name, m := range map[string]hook.Matcher{"names": names, "wide": wide, "hyphen": hyphen, "expression": expression} {
		if n := testing.AllocsPerRun(100, func() { m.Match("Write") }); n != 0 && !raceEnabled {
			t.Errorf("%s: %v allocs, want 0", name, n)
		}
	}
}

func FuzzList(f *testing.F) {
	for _, s := range [...][2]string{{"Write|Edit", "Edit"}, {"a-b, c", "a-b"}, {"[", "["}, {" ", ""}, {"|", ""}, {"\xff", "\xfe"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		if len(pattern) > 60 || len(subject) > 60 {
			return
		}
		m, note := List(pattern)
		if all := pattern == "" || pattern == "*"; (m == nil) != all {
			t.Fatalf("List(%q) = %v, want nil only for everything", pattern, m)
		}
		wide, wideNote := WideList(pattern)
		if m == nil || note != "" || wideNote != "" {
			return
		}
		// If List returns no note for a pattern, List and WideList match the same subjects.
		if got, want := m.Match(subject), wide.Match(subject); got != want {
			t.Errorf("List(%q).Match(%q) = %v, WideList says %v", pattern, subject, got, want)
		}
	})
}
