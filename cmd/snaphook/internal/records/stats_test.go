package records

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	rec "github.com/snaphook-go/snaphook/record"
)

// A reference that keeps and sorts all values has the same figures; percentiles of more than 1024 values may differ by
// 1 %.
func TestStatsAreThoseOfTheLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, fires := range []int{1, 2, 7, 100, 1024, 1025, 20_000} {
		t.Run(fmt.Sprint(fires), func(t *testing.T) {
			var all tally
			var ran []float64
			blocked, failed, open := 0, 0, 0
			for range fires {
				h := rec.Hook{ID: "a", Command: "a", Ran: random.IntN(4) > 0, Why: "matcher", Matcher: "Write"}
				if fires == 1 || h.Ran {
					h.Ran, h.Why, h.Outcome = true, "", "success"
					ms := math.Round(math.Exp(random.Float64()*14)) / 1000
					h.MS = &ms
					ran = append(ran, ms)
					switch random.IntN(4) {
					case 0:
						h.Decision, h.Outcome = "deny", "blocking"
						blocked++
					case 1:
						h.Outcome, h.Class = []string{"non_blocking_error", "cancelled"}[random.IntN(2)], "exit"
						failed++
						open++
					}
				}
				all.add(&rec.Line{V: 1, Event: "claude.PreToolUse", Subject: "Bash", Hooks: []rec.Hook{h}})
			}
			s := all.hooks()[0]
			if s.Looked != fires || s.Ran != len(ran) || s.Blocked != blocked || s.Failed != failed || s.FailedOpen != open {
				t.Errorf("got %+v; want %d, %d, %d, %d", s, fires, len(ran), blocked, failed)
			}
			slices.Sort(ran)
			for part, got := range map[float64]*float64{0.5: s.RunMS.P50, 0.95: s.RunMS.P95, 0.99: s.RunMS.P99, 1: s.RunMS.Max} {
				want := ran[int(math.Ceil(part*float64(len(ran))-1e-9))-1]
				if math.Abs(*got-want) > want/100 || fires <= 1024 && *got != want || part == 1 && *got != want {
					t.Errorf("p%v is %v, want %v", part*100, *got, want)
				}
			}
		})
	}
}

func TestTheNearestSubjectToAMatcherThatNeverRan(t *testing.T) {
	tests := []struct {
		matcher  string
		subjects []string
		want     string
	}{
		{"write_file", []string{"read_file", "WriteFile", "ls"}, "WriteFile"},
		{"Write|Edit", []string{"Bash", "edit"}, "edit"},
		{"^mcp__.*__write$", []string{"mcp_github_write", "Bash"}, "mcp_github_write"},
		{"Bash", nil, ""},
		{"", []string{"Bash"}, ""},
	}
	for _, test := range tests {
		var all tally
		all.add(&rec.Line{V: 1, Event: "e.E", Hooks: []rec.Hook{{ID: "a", Matcher: test.matcher, Why: "matcher"}}})
		for _, s := range test.subjects {
			all.add(&rec.Line{V: 1, Event: "e.E", Subject: s, Hooks: []rec.Hook{{ID: "a", Matcher: test.matcher, Why: "matcher"}}})
		}
		got := all.hooks()[0].Nearest
		if got == nil && test.want != "" || got != nil && *got != test.want {
			t.Errorf("%s: got %v, want %q", test.matcher, got, test.want)
		}
	}
}

func TestTheCurveKeepsItsSize(t *testing.T) {
	var c curve
	for i := range 1000 {
		c.add(float64(i))
	}
	if s := []rune(c.String()); len(s) < maxParts/2 || len(s) > maxParts || s[0] != '▁' || s[len(s)-1] != '█' || !slices.IsSorted(s) {
		t.Errorf("the curve is %s", string(s))
	}
}
