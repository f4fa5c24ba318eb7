package stages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/stages"
)

// planned describes a plan: the hooks that run, and the others with the reason.
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
	want := []string{"the folder is not trusted", `matcher "read" does not match "write"`, "runs already as first, which comes first"}
	for i, s := range p.Skipped {
		if s.Detail != want[i] {
			t.Errorf("%s: %q, want %q", s.Hook.ID, s.Detail, want[i])
		}
	}
}

// The first copy of a guard in the order of the sources runs, unless it guards less than a more
// trusted copy.
func TestOfDuplicatesTheFirstRunsUnlessItGuardsLess(t *testing.T) {
	type change = func(h *hook.Hook)
	like := func(source hook.Source, change change) *hook.Hook {
		h := &hook.Hook{Identity: hook.Identity{ID: string(source), Source: source}, Selection: hook.Selection{Key: "k"}}
		change(h)
		return h
	}
	same := func(*hook.Hook) {}
	lasts := func(d time.Duration) change { return func(h *hook.Hook) { h.Timeout = d } }
	undecided := func(h *hook.Hook) { h.OwnOnly = true }
	for name, test := range map[string]struct {
		project, user change
		runs, why     string
	}{
		"equal":                       {same, same, "project", "which comes first"},
		"a longer timeout":            {lasts(2 * time.Minute), same, "project", "which comes first"},
		"a shorter timeout":           {lasts(time.Second), same, "user", "the timeout is shorter, 1s and not 1m0s"},
		"the default, and one longer": {same, lasts(time.Hour), "user", "the timeout is shorter, 1m0s and not 1h0m0s"},
		"no limit against one":        {lasts(-1), lasts(time.Hour), "project", "which comes first"},
		"one against no limit":        {lasts(time.Hour), lasts(-1), "user", "the timeout is shorter, 1h0m0s and not none"},
		"its failure goes ahead":      {same, func(h *hook.Hook) { h.FailClosed = true }, "user", "a failure does not block"},
		"it is in the background":     {func(h *hook.Hook) { h.Background = hook.Async }, same, "user", "nobody waits for the answer"},
		"it runs in parallel":         {same, func(h *hook.Hook) { h.Sequential = true }, "user", "its group does not run in sequence"},
		"it has other variables":      {func(h *hook.Hook) { h.Vars = []string{"A=1"} }, same, "user", "the environment variables differ"},
		"nobody has decided":          {undecided, same, "user", "a project that is not trusted yet"},
		"nor when it guards more": {
			func(h *hook.Hook) { undecided(h); h.Timeout = time.Hour }, same, "user", "a project that is not trusted yet",
		},
		"each guards less in something": {func(h *hook.Hook) { h.Timeout = time.Hour }, func(h *hook.Hook) { h.FailClosed = true }, "user", "a failure does not block"},
	} {
		t.Run(name, func(t *testing.T) {
			hooks := []*hook.Hook{like(hook.Project, test.project), like(hook.User, test.user)}
			p := stages.PlanWithin(t.Context(), hooks, "", stages.Limits{Timeout: time.Minute})
			if len(p.Run) != 1 || p.Run[0].ID != test.runs || len(p.Skipped) != 1 || !strings.Contains(p.Skipped[0].Detail, test.why) {
				t.Errorf("%s, %+v; want %s to run, since %q", planned(p), p.Skipped, test.runs, test.why)
			}
		})
	}
}

func TestPlanShowsTheBeginningOfALongSubject(t *testing.T) {
	for cut := range 4 { // one of these cuts is inside a character
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
