package posix

import (
	"strings"
	"testing"
)

func TestPatternsAreTranslatedOrRefused(t *testing.T) {
	for _, test := range []struct {
		pattern string
		basic   bool
		text    string
		want    string // match, other or refused
	}{
		{`rm -(rf|fr)`, false, "sudo rm -rf /", "match"}, {`^a$`, false, "ab", "other"}, {`a\{2\}`, true, "aa", "match"}, {`a+`, true, "a+", "match"},
		{`(a)\1`, false, "aa", "refused"}, {`a**`, false, "a", "refused"}, {`a|`, false, "a", "refused"}, {`[z-a]`, false, "z", "refused"},
		{`[[:digit:]]`, false, "1", "match"}, {`[[:nothing:]]`, false, "1", "refused"}, {`\<a`, false, "a", "refused"}, {`(`, false, "(", "refused"},
		{strings.Repeat("(", 40) + strings.Repeat(")", 40), false, "", "refused"}, {`a{1000}`, false, "", "refused"}, {`[]a]`, false, "]", "match"},
	} {
		re, err := Compile(test.pattern, Options{Basic: test.basic, Lines: true})
		got := "refused"
		if err == nil {
			if got = "other"; re.MatchString(test.text) {
				got = "match"
			}
		}
		if got != test.want {
			t.Errorf("%s on %q: %s (%v), want %s", test.pattern, test.text, got, err, test.want)
		}
	}
}

func TestTextBeyondASCIIIsCertainWhereNoLocaleDecides(t *testing.T) {
	for pattern, want := range map[string]bool{
		"rm": true, "a.*b": true, "a.b": false, "[^a]+": true, "[^a]": false, `\w`: false, "[[:space:]]": true, "[[:alpha:]]": false,
	} {
		re, err := Compile(pattern, Options{Lines: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := re.Certain([]byte("grün")); got != want {
			t.Errorf("%s: certain %v, want %v", pattern, got, want)
		}
		if re.Certain([]byte("\xff")) {
			t.Errorf("%s: text that is not UTF-8 is certain", pattern)
		}
	}
}

// FuzzPattern checks that no pattern makes the translator panic.
func FuzzPattern(f *testing.F) {
	f.Add(`^(a|b\.)[^[:alpha:]x-z]{2,3}\b.*$`, "text", false)
	f.Add(`\(a\)\{1,2\}\|[]a]\?`, "text", true)
	f.Fuzz(func(t *testing.T, pattern, text string, basic bool) {
		if re, err := Compile(pattern, Options{Basic: basic, Lines: true, Word: len(pattern)%2 == 0}); err == nil {
			re.MatchString(text)
		}
	})
}
