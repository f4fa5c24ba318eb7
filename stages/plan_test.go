package stages_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/stages"
)

// planned shows a plan: the hooks that run, and the others with the reason.
func planned(p stages.Planned) string {
	var words []string
	for _, h := range p.Run {
		words = append(words, h.ID)
	}
	for _, s := range p.Skipped {
		words = append(words, s.Hook.ID+":"+string(s.Reason))
	}
	if p.Sequential {
		words = append(words, "sequential")
	}
	return strings.Join(words, " ")
}

func TestPlanSelectsTheHooksForASubject(t *testing.T) {
	write := match.Exact("write")
	tests := map[string]struct {
		hooks []*hook.Hook
		want  string
	}{
		"no hooks":                          {nil, ""},
		"a hook without a matcher":          {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}}, "a"},
		"a matcher decides":                 {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Matcher: match.Exact("read")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Matcher: write}}}, "b a:matcher"},
		"the order is kept":                 {[]*hook.Hook{{Identity: hook.Identity{ID: "c"}}, {Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}}}, "c a b"},
		"a hook that can never run":         {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Exclusion: hook.Exclusion{Skip: hook.Untrusted}}, {Identity: hook.Identity{ID: "b"}}}, "b a:untrusted"},
		"that comes before its matcher":     {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Matcher: match.Exact("read")}, Exclusion: hook.Exclusion{Skip: hook.Disabled}}}, "a:disabled"},
		"the first of equal keys runs":      {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Key: "k"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k"}}, {Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Key: "l"}}, {Identity: hook.Identity{ID: "d"}, Selection: hook.Selection{Key: "k"}}}, "a c b:duplicate d:duplicate"},
		"hooks without a key never are":     {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}}}, "a b"},
		"what does not run is no duplicate": {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Key: "k"}, Exclusion: hook.Exclusion{Skip: hook.Disabled}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k", Matcher: match.Exact("read")}}, {Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Key: "k"}}}, "c a:disabled b:matcher"},
		"one selected hook makes sequence":  {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Sequential: true}}, {Identity: hook.Identity{ID: "c"}}}, "a b c sequential"},
		"one that does not match does not":  {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Sequential: true, Matcher: match.Exact("read")}}}, "a b:matcher"},
		"nor does a duplicate":              {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Key: "k"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k", Sequential: true}}}, "a b:duplicate"},
		"nor does one that can never run":   {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Sequential: true}, Exclusion: hook.Exclusion{Skip: hook.Invalid}}}, "a b:invalid"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := planned(stages.Plan(test.hooks, "write")); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPlanSaysInWordsWhyAHookDoesNotRun(t *testing.T) {
	p := stages.Plan([]*hook.Hook{
		{Identity: hook.Identity{ID: "first"}, Selection: hook.Selection{Key: "k"}},
		{Identity: hook.Identity{ID: "off"}, Exclusion: hook.Exclusion{Skip: hook.Untrusted, SkipDetail: "the folder is not trusted"}},
		{Identity: hook.Identity{ID: "other"}, Selection: hook.Selection{Matcher: match.Exact("read"), Pattern: "read"}},
		{Identity: hook.Identity{ID: "again"}, Selection: hook.Selection{Key: "k"}},
	}, "write")
	want := []string{"the folder is not trusted", `matcher "read" does not match "write"`, "runs already as first"}
	for i, s := range p.Skipped {
		if s.Detail != want[i] {
			t.Errorf("%s: %q, want %q", s.Hook.ID, s.Detail, want[i])
		}
	}
}

func TestPlanShowsTheBeginningOfALongSubject(t *testing.T) {
	for cut := range 4 { // the cut goes through a character at one of these
		subject := strings.Repeat("x", cut) + strings.Repeat("€", 1000)
		p := stages.Plan([]*hook.Hook{{Selection: hook.Selection{Matcher: match.Exact("read"), Pattern: "read"}}}, subject)
		if d := p.Skipped[0].Detail; len(d) > 150 || !strings.HasSuffix(d, `€…"`) || !utf8.ValidString(d) {
			t.Errorf("the detail is %q", d)
		}
	}
}

func ExamplePlan() {
	p := stages.Plan([]*hook.Hook{
		{Identity: hook.Identity{Name: "format"}, Selection: hook.Selection{Matcher: match.Names{"write", "edit"}}},
		{Identity: hook.Identity{Name: "audit"}},
	}, "read")
	for _, h := range p.Run {
		fmt.Println(h.Name, "runs")
	}
	for _, s := range p.Skipped {
		fmt.Println(s.Hook.Name, "does not:", s.Reason)
	}
	// Output:
	// audit runs
	// format does not: matcher
}
