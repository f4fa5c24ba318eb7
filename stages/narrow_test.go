package stages_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/stages"
)

// in is a condition that is true for calls in a directory.
type in string

func (c in) Holds(d hook.ConditionInput) bool { return d.Dir == string(c) }

// here is the input of conditions in the tests below.
var here = hook.ConditionInput{Tool: "write", Dir: "/here"}

func TestNarrowDecidesWhatTheSubjectCannot(t *testing.T) {
	tests := map[string]struct {
		hooks []*hook.Hook
		spent string // the once-only hook that has already run
		want  string
	}{
		"a condition that holds":               {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Condition: in("/here")}}}, "", "a"},
		"one that does not":                    {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Condition: in("/there")}}, {Identity: hook.Identity{ID: "b"}}}, "", "b a:condition"},
		"none at all":                          {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Condition: in("/here")}}}, "", "a b"},
		"the order is kept":                    {[]*hook.Hook{{Identity: hook.Identity{ID: "c"}}, {Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Condition: in("/here")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Once: true}}}, "", "c a b"},
		"conditions come before duplicates":    {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Key: "k", Condition: in("/there")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k"}}}, "", "b a:condition"},
		"the first that holds is no duplicate": {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Key: "k", Condition: in("/here")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k", Condition: in("/here")}}}, "", "a b:duplicate"},
		"a hook that runs once":                {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Once: true}}}, "", "a"},
		"one that has run":                     {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Once: true}}, {Identity: hook.Identity{ID: "b"}}}, "a", "b a:disabled"},
		"what is spent is no duplicate":        {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Once: true, Key: "k"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Key: "k"}}}, "a", "b a:disabled"},
		"what may run again is never spent":    {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Once: true}}}, "a", "a b"},
		"the condition is asked first":         {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Once: true, Condition: in("/there")}}}, "a", "a:condition"},
		"what was skipped before stays so":     {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Matcher: match.Exact("read")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Condition: in("/there")}}, {Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Once: true}, Exclusion: hook.Exclusion{Skip: hook.Untrusted}}}, "", "a:matcher c:untrusted b:condition"},
		"one selected hook makes sequence":     {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Sequential: true, Condition: in("/here")}}, {Identity: hook.Identity{ID: "b"}}}, "", "a b sequential"},
		"one that does not hold does not":      {[]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Sequential: true, Condition: in("/there")}}, {Identity: hook.Identity{ID: "b"}}}, "", "b a:condition"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := stages.Plan(test.hooks, "write")
			before := planned(p)
			if len(p.Run) > 0 || len(p.Open) == 0 || p.Sequential {
				t.Fatalf("the plan is %q with %d open hooks; want no decision yet", before, len(p.Open))
			}
			got := p.Narrow(&here, func(h *hook.Hook) bool { return h.ID == test.spent })
			if planned(got) != test.want || got.Open != nil {
				t.Errorf("got %q, %d open; want %q, none", planned(got), len(got.Open), test.want)
			}
			if planned(p) != before {
				t.Errorf("the plan became %q, it was %q", planned(p), before)
			}
		})
	}
}

func TestNarrowWithoutAnswersToItsQuestions(t *testing.T) {
	p := stages.Plan([]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Condition: in("")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Once: true}}}, "write")
	if got := planned(p.Narrow(nil, nil)); got != "b a:condition" {
		t.Errorf("got %q, want no condition to hold without a detail, and no hook to be spent", got)
	}
	if got := planned(p.Narrow(&hook.ConditionInput{}, nil)); got != "a b" {
		t.Errorf("got %q, want an empty detail to count as one", got)
	}
}

// panics is a matcher and a condition that panics.
type panics struct{}

func (panics) Match(string) bool              { panic("matcher") }
func (panics) Holds(hook.ConditionInput) bool { panic("condition") }

func TestWhatPanicsMatches(t *testing.T) {
	a := &hook.Hook{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Matcher: panics{}}}
	b := &hook.Hook{Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Condition: panics{}}}
	c := &hook.Hook{Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Condition: in("/there")}}
	for _, test := range []struct {
		hooks      []*hook.Hook
		want, says string
	}{
		{[]*hook.Hook{a}, "a", "matcher"}, {[]*hook.Hook{b, c}, "b c:condition", "condition"}, {[]*hook.Hook{b, a}, "b a", "matcher"}, {[]*hook.Hook{c}, "c:condition", ""},
	} {
		p := stages.Plan(test.hooks, "write")
		if p.Open != nil {
			p = p.Narrow(&here, nil)
		}
		var failed *hook.PanicError
		says := ""
		if errors.As(p.Panicked, &failed) {
			says = failed.Value.(string)
		}
		if planned(p) != test.want || says != test.says {
			t.Errorf("got %q, and a panic of %q; want %q, %q", planned(p), says, test.want, test.says)
		}
	}
}

func TestNarrowSaysInWordsWhyAHookDoesNotRun(t *testing.T) {
	p := stages.Plan([]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Condition: in("/there"), If: "Write(/there/**)"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Once: true}}}, "write")
	n := p.Narrow(&here, func(*hook.Hook) bool { return true })
	want := []string{`the condition "Write(/there/**)" does not hold for this call`, "it runs once in a session, and has already run"}
	for i, s := range n.Skipped {
		if s.Detail != want[i] {
			t.Errorf("%s: %q, want %q", s.Hook.ID, s.Detail, want[i])
		}
	}
}

// Many fires can narrow a cached plan at the same time.
func TestNarrowIsForManyFires(t *testing.T) {
	p := stages.Plan([]*hook.Hook{{Identity: hook.Identity{ID: "a"}, Selection: hook.Selection{Matcher: match.Exact("read")}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Condition: in("/here")}}, {Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Condition: in("/there"), Key: "k"}}, {Identity: hook.Identity{ID: "d"}, Selection: hook.Selection{Key: "k"}}}, "write")
	want := map[string]string{"/here": "b d a:matcher c:condition", "/there": "c a:matcher b:condition d:duplicate"}
	var all sync.WaitGroup
	for dir, planFor := range want {
		for range 4 {
			all.Go(func() {
				for range 200 {
					if n := p.Narrow(&hook.ConditionInput{Dir: dir}, nil); planned(n) != planFor {
						t.Errorf("in %s got %q, want %q", dir, planned(n), planFor)
						return
					}
				}
			})
		}
	}
	all.Wait()
}

func TestAPlanThatTheSubjectDecidesIsNotOpen(t *testing.T) {
	p := stages.Plan([]*hook.Hook{{Identity: hook.Identity{ID: "a"}}, {Identity: hook.Identity{ID: "b"}, Selection: hook.Selection{Matcher: match.Exact("read"), Once: true}}, {Identity: hook.Identity{ID: "c"}, Selection: hook.Selection{Condition: in("/here")}, Exclusion: hook.Exclusion{Skip: hook.Disabled}}}, "write")
	if planned(p) != "a b:matcher c:disabled" || p.Open != nil {
		t.Errorf("got %q, %d open; want a plan that is done", planned(p), len(p.Open))
	}
}
