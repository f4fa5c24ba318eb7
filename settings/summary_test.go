package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

func TestProblemsOfAKindAreSummarisedAfterTwenty(t *testing.T) {
	many := func(file string, n int, message string) (problems []settings.Problem) {
		for i := range n {
			at := hook.Position{File: file, Line: i + 1, Column: 1}
			problems = append(problems, settings.Problem{Position: at, Message: fmt.Sprintf(message, fmt.Sprintf(`a%d"`, i))})
		}
		return problems
	}
	for name, c := range map[string]struct {
		problems []settings.Problem
		want     int
		says     string
	}{
		"twenty are all kept":           {many("p.json", 20, "there is no event %q"), 20, ""},
		"the last of 21 is not counted": {many("p.json", 21, "there is no event %q"), 21, ""},
		"those after the twentieth are one": {
			many("p.json", 1000, "there is no event %q"), 21,
			`p.json:21:1: 980 more such problems; the first: there is no event "a20\""`,
		},
		"each file and kind has twenty": {
			append(append(many("p.json", 100, "no event %q"), many("u.json", 100, "no event %q")...), many("p.json", 100, "no type %q")...), 63, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := settings.Summary(c.problems)
			if len(got) != c.want || !strings.Contains(got[len(got)-1].String(), c.says) {
				t.Errorf("%d problems, the last is %s; want %d, and %q", len(got), got[len(got)-1], c.want, c.says)
			}
		})
	}
	fatal := many("p.json", 100, "no %s")
	for i := range fatal {
		fatal[i].Fatal = true
	}
	if got := settings.Summary(fatal); len(got) != 100 {
		t.Errorf("%d fatal problems are left, want all 100", len(got))
	}
}
