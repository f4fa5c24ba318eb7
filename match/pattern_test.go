package match

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

func TestRegexpRejectsWhatJavaScriptRejects(t *testing.T) {
	for _, pattern := range []string{
		"(?i)a", "(?i:a)", "(?-i)a", "(?m-s:a)", "(?x)a b", "(?)", "(?:a)(?s)", "(?", "(?>a)", "(?#c)a", "(?P<n>a)",
		"(?'n'a)", "(?<-n>a)", "(?<1>a)", "(?(1)a|b)", "(?|a)", "(?^:a)", "(?ü)", "a**", "a++", "*a", "a{2,1}", "[b-a]",
		"(a", "a)", "[a", `a\`, "(?<n>a)(?<n>b)", "(?<n>a)|(?<n>b)", `(?<n>a)|(?<\u006e>b)`, `(?<n>a)\k<m>`, "(?<=a)*",
		strings.Repeat("(", 1001) + strings.Repeat(")", 1001),
	} {
		if p, err := Regexp(pattern); err == nil {
			t.Errorf("Regexp(%q) = %v, want an error", pattern, p)
		}
	}
}

func TestRegexpAcceptsWhatJavaScriptAccepts(t *testing.T) {
	for _, pattern := range []string{
		"", "^", "$", "|", "[]", "[^]", "{", "}", "]", "a{", "a{,2}", "a{1", `\(?i`, "[(?i]", `[\](?i]`, "(?:a)", "(?=a)*", "(?!a)+",
		"(?<!a)b", "(?<$x>a)", "(?<é>a)", `\k<n>`, `\8`, `\c`, `\u{41}`, `\-`, `\Q`, "[[:alpha:]]", "[A-[b]]", "()", "(?:)", "[(?>]", `\\\(?#`,
	} {
		if _, err := Regexp(pattern); err != nil {
			t.Errorf("Regexp(%q): %v, want none", pattern, err)
		}
	}
}

func TestATestThatTakesTooLongRunsTheHookAndKeepsTheSubjectSecret(t *testing.T) {
	p, err := Regexp("^(a+)+$")
	if err != nil {
		t.Fatal(err)
	}
	subject := strings.Repeat("a", 60) + "!secret"
	start := time.Now()
	found, err := p.Test(subject)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("gave up after %v, want about a second", took)
	}
	var late *hook.TimeoutError
	if found || !errors.As(err, &late) || late.After != time.Second || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v and the error %v, want false and a timeout after 1s", found, err)
	}
	if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "aaa") {
		t.Errorf("the error shows the subject: %v", err)
	}
	if !p.Match(subject) {
		t.Error("Match is false for a test that was not finished, want true")
	}
}

func TestATestThatBacktracksTooFarKeepsTheSubjectSecret(t *testing.T) {
	p, err := Regexp(`^(?:(a)|b)*c$`)
	if err != nil {
		t.Fatal(err)
	}
	subject := strings.Repeat("ab", 200_000)
	found, err := p.Test(subject)
	if found || !p.Match(subject) {
		t.Errorf("got %v, and Match %v; want false and true", found, p.Match(subject))
	}
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("got an error of %v, want one without the subject", err)
	}
}

func TestTheFastFormIsUsedForLiterals(t *testing.T) {
	for pattern, want := range map[string]bool{
		"a": true, "^a$|b|c$|^": true, "a.*": true, ".*a": true, "^.*a": false, "a.*$": false, "a.b": false, `a\.*`: false,
		"a**": false, "(a|b)": false, "^^a": false, "a{": false, "\ufffd": false, "\xff": false, "größe/-_ #": true,
	} {
		if _, got := literals(pattern); got != want {
			t.Errorf("%q has a fast form: %v, want %v", pattern, got, want)
		}
	}
}

// FuzzLiterals compares the fast form with the expression.
func FuzzLiterals(f *testing.F) {
	for _, s := range [...][2]string{
		{"a", "bab"}, {"^a$|b", "a\n"}, {"a.*", "a\nb"}, {".*a$", "b\na"}, {"^.*", ""}, {"|", "x"}, {"^$", "\n"}, {"$^", ""}, {"é", "\xc3é"}, {"^a.*|.*", "\u2028"},
		{".*.*", "a"}, {".*|a", "\xff"}, {"/ #-&", "x/ #-&"}, {"e\u0301", "é"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, subject string) {
		if len(pattern) > 60 || len(subject) > 60 {
			return
		}
		fast, ok := literals(pattern)
		if !ok {
			return
		}
		re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
		if err != nil {
			t.Fatalf("%q has a fast form but is not an expression: %v", pattern, err)
		}
		re.MatchTimeout = limit
		if want, err := re.MatchString(subject); err == nil && anyIn(fast, subject) != want {
			t.Errorf("%q in %q: %v, want %v", pattern, subject, !want, want)
		}
	})
}

func TestAPatternThatRanOutOfTimeIsRememberedForItsText(t *testing.T) {
	p, err := Regexp("^(b+)+$")
	if err != nil {
		t.Fatal(err)
	}
	subject := strings.Repeat("b", 60) + "!"
	start := time.Now()
	if !p.Match(subject) {
		t.Error("it does not match, want a match in doubt")
	}
	first := time.Since(start)
	start = time.Now()
	for range 100 {
		if !p.Match(subject) {
			t.Error("it does not match any more")
		}
	}
	if again := time.Since(start); again > first {
		t.Errorf("100 tests more took %v after the first took %v, want none to be tried", again, first)
	}
	if p.Match("c") || !p.Match("bb") {
		t.Error("other texts are not tested any more")
	}
}

func TestWhatIsRememberedOfAPatternIsBounded(t *testing.T) {
	var l lateness
	for i := range 3 * mostLate {
		l.add(fmt.Sprint(i))
		if !l.has(fmt.Sprint(i)) {
			t.Fatalf("%d is not remembered", i)
		}
	}
	if len(l.subjects) > mostLate {
		t.Errorf("%d are remembered, want at most %d", len(l.subjects), mostLate)
	}
}

// Nested alternatives double the compile time for every two levels: 64 of them would take longer
// than any program runs.
func TestAMatcherThatCannotBeCompiledInTimeIsRefused(t *testing.T) {
	nested := func(unit string, n int) string { return strings.Repeat(unit, n) + strings.Repeat(")", n) }
	for _, unit := range []string{"(?:a|b", "(a|b", "(?=a|b", "(?:[)]a|b", `(?:\)a|b`, "(?:[^])]a|b"} {
		var over *bounded.Error
		if _, err := Regexp(nested(unit, 64)); !errors.As(err, &over) {
			t.Errorf("%s 64 times: %v, want an error of its limit", unit, err)
		}
	}
	if _, err := Regexp(nested("(?:a|b", 16)); err != nil {
		t.Errorf("16 nested groups: %v", err)
	}
}
