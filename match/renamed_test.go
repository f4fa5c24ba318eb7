package match_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
)

func TestARenamedSubjectMatchesUnderEachOfItsNames(t *testing.T) {
	tools := match.Renamed{{"New", "Old", "Older"}, {"Other", "Else"}}
	for _, tt := range []struct {
		pattern       string
		matches, fail []string
	}{
		{"Old", []string{"Old", "New", "Older"}, []string{"Other", "Ne", "OldX"}},
		{"Write|Old|Read", []string{"New", "Read"}, []string{"Else"}},
		{"^Old$", []string{"New", "Old", "Older"}, []string{"Other"}},
		{"^New$", []string{"New", "Old", "Older"}, []string{"NewX", "Other"}},
		{"Els.", []string{"Other", "Else"}, []string{"New"}},
		{"Another", []string{"Another"}, []string{"New", "Other"}},
	} {
		compiled, note := match.List(tt.pattern)
		m := tools.Matcher(compiled)
		for _, subject := range tt.matches {
			if !m.Match(subject) {
				t.Errorf("%q does not match %q, note %q", tt.pattern, subject, note)
			}
		}
		for _, subject := range tt.fail {
			if m.Match(subject) {
				t.Errorf("%q matches %q", tt.pattern, subject)
			}
		}
		if n := testing.AllocsPerRun(100, func() { m.Match("New") }); n > 0 {
			t.Errorf("%q allocates %v times", tt.pattern, n)
		}
	}
	if tools.Matcher(nil) != nil {
		t.Error("the matcher that accepts everything has become another")
	}
	quick := func(m hook.Matcher) bool { return m.(interface{ Quick() bool }).Quick() }
	slow, _ := match.List("(a+)+")
	if !quick(tools.Matcher(match.Names{"a"})) || quick(tools.Matcher(slow)) {
		t.Error("a matcher is quick where the one below is not, or the other way around")
	}
}
