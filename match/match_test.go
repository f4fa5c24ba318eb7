package match

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

func TestToolMatchesLikeJavaScript(t *testing.T) {
	tests := []struct {
		name, pattern, subject string
		want                   bool
	}{
		{"a name", "write_file", "write_file", true},
		{"part of a name", "file", "write_file", true},
		{"upper and lower case differ", "Write_File", "write_file", false},
		{"anchored", "^write_file$", "write_file", true},
		{"anchored, longer", "^write_file$", "write_file_v2", false},
		{"the end is the very end", "a$", "a\n", false},
		{"one of several", "write_file|replace", "replace", true},
		{"an empty alternative", "write_file|", "glob", true},
		{"what looks like a glob is none", "write_*", "overwrite", true},
		{"what looks like a glob is none, other tool", "write_*", "read_file", false},
		{"a star in front is literal", "*_file", "write_file", false},
		{"a star in front, equal", "*_file", "*_file", true},
		{"lookahead", "^(?!read_).*", "write_file", true},
		{"lookbehind", "(?<=a)b", "ab", true},
		{"backreference", `^(a|b)_\1$`, "a_b", false},
		{"named group", `^(?<x>a|b)_\k<x>$`, "b_b", true},
		{"digits are ASCII", `^\d$`, "٣", false},
		{"blanks around do not count", " \u00a0\ufeff^glob$\t", "glob", true},
		{"invalid is literal", "[unclosed", "[unclosed", true},
		{"invalid is literal, not part of it", "[unclosed", "a[unclosed", false},
		{"inline flags are invalid", "(?i)abc", "ABC", false},
		{"inline flags are invalid, hence literal", "(?i)abc", "(?i)abc", true},
		{"an escaped parenthesis opens nothing", `^\(?i\)$`, "i)", true},
		{"a parenthesis in a class opens nothing", `^[(?i]$`, "?", true},
		{"an escaped bracket opens no class", `\[(?:a)`, "[a", true},
		{"not ASCII", "^größe_.$", "größe_x", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, note := Tool(tt.pattern)
			if got := m.Match(tt.subject); got != tt.want {
				t.Errorf("Tool(%q).Match(%q) = %v (%s), want %v", tt.pattern, tt.subject, got, note, tt.want)
			}
		})
	}
}

func TestAnEmptyPatternAndAStarMatchEverything(t *testing.T) {
	for _, pattern := range []string{"", "*", "  ", "\t*\n", "\ufeff"} {
		if m, note := Tool(pattern); m != nil || note != "" {
			t.Errorf("Tool(%q) = %v, %q; want nil and no note", pattern, m, note)
		}
		if m := Trigger(pattern); m != nil {
			t.Errorf("Trigger(%q) = %v, want nil", pattern, m)
		}
	}
}

func TestToolSaysWhyAPatternIsComparedLiterally(t *testing.T) {
	for pattern, why := range map[string]string{
		"[unclosed": "unterminated",
		"(?i)abc":   "(?i is not a group in JavaScript",
		"(a":        "missing closing )",
	} {
		if _, note := Tool(pattern); !strings.Contains(note, why) || !strings.Contains(note, "exactly that name") {
			t.Errorf("Tool(%q) notes %q, want %q in it", pattern, note, why)
		}
	}
	if _, note := Tool("^a.b$"); note != "" {
		t.Errorf("a valid pattern has the note %q, want none", note)
	}
}

func TestTriggersAreComparedAsTheyAre(t *testing.T) {
	m := Trigger(" startup|resume ")
	if m.Match("startup") || !m.Match("startup|resume") {
		t.Errorf("%q matches %v and %v, want false and true", m, m.Match("startup"), m.Match("startup|resume"))
	}
}

func TestNamesMatchesOneOfAList(t *testing.T) {
	if n := (Names{"Write", "Edit"}); !n.Match("Edit") || n.Match("Edi") || n.Match("") || Names(nil).Match("") {
		t.Errorf("%q does not match exactly its elements", n)
	}
}

func TestMatchersAreUsedFromManyGoroutines(t *testing.T) {
	m, _ := Tool("^(read|write)_[a-z]+$")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if !m.Match("write_file") || m.Match("glob") {
					t.Error("a shared matcher changed its mind")
				}
			}
		})
	}
	wg.Wait()
}

func TestMatchDoesNotAllocate(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	tool := func(pattern string) hook.Matcher { m, _ := Tool(pattern); return m }
	for name, m := range map[string]hook.Matcher{
		"Exact": Exact("write_file"), "Names": Names{"glob", "write_file"}, "Trigger": Trigger("write_file"),
		"substring": tool("write"), "alternation": tool("^a$|^write_file$"), "expression": tool("^(?:read|write)_[a-z]+$"),
	} {
		if n := testing.AllocsPerRun(100, func() { m.Match("write_file") }); n != 0 && !raceEnabled {
			t.Errorf("%s: %v allocs, want 0", name, n)
		}
	}
}

// FuzzTool limits the length, since the search for a long pattern may use up its whole time limit.
func FuzzTool(f *testing.F) {
	for _, s := range [...][2]string{
		{"^(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}, {"(?i)a", "A"}, {"a|^b$|", "b"}, {"[", "["}, {`\`, `\`},
		{`(?<n>a)\k<n>`, "aa"}, {"(?<a>x)|(?<a>y)", "x"}, {"a{2,1}", "a"}, {"\xff", "\xfe"}, {"(?", ""}, {"😀", "😀"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		if len(pattern) > 60 || len(subject) > 60 {
			return
		}
		m, note := Tool(pattern)
		if m == nil {
			return
		}
		_, literal := m.(Exact) // an Exact is an invalid expression, and has a note; other notes are about globs
		if literal != (note != "" && !strings.Contains(note, "not a glob")) {
			t.Errorf("Tool(%q) = %T with the note %q", pattern, m, note)
		}
		start := time.Now()
		m.Match(subject)
		if took := time.Since(start); took > 5*limit {
			t.Errorf("Tool(%q).Match(%q) took %v, want at most about %v", pattern, subject, took, limit)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	for _, pattern := range []string{"write_file", "^(?:Edit|Write|NotebookEdit|mcp__.*__write.*)$", "^Edit$|^Write$"} {
		b.Run(pattern, func(b *testing.B) {
			m, _ := Tool(pattern)
			b.ReportAllocs()
			for b.Loop() {
				m.Match("mcp__server__read_file")
			}
		})
	}
}
