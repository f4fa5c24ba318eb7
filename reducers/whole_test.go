package reducers_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/reducers"
)

func part(s string) output { return output{Specific: s, Set: given | hook.SetSpecific} }

func TestOneAnswerIsKeptWhole(t *testing.T) {
	long := func(o *output) bool { return len(o.Specific) > 1 }
	last, lastLong := reducers.LastWhole[string](nil), reducers.LastWhole(long)
	first, firstLong := reducers.FirstWhole[string](nil), reducers.FirstWhole(long)
	gather := reducers.Gather(func(all *string, one string) { *all += one })
	block := output{Decision: hook.Block, Reason: "no"}
	for name, tt := range map[string]struct {
		reduce hook.Reducer[string]
		outs   []output
		want   output
		heard  int // number of answers taken
	}{
		"the last":                           {last, []output{{Message: "m", Specific: "a"}, part("b")}, part("b"), 2},
		"the last of nobody":                 {last, nil, output{}, 0},
		"the first that blocks":              {last, []output{part("a"), block, part("b")}, block, 2},
		"the last that counts":               {lastLong, []output{part("aa"), part("b")}, part("aa"), 2},
		"the last that counts, of nobody":    {lastLong, []output{part("b")}, output{}, 1},
		"a block that would not count":       {lastLong, []output{part("aa"), block, part("bb")}, block, 2},
		"the first":                          {first, []output{part("a"), part("b")}, part("a"), 2},
		"the first that counts":              {firstLong, []output{part("a"), part("bb"), part("cc")}, part("bb"), 3},
		"the first that counts, of nobody":   {firstLong, []output{part("a")}, output{}, 1},
		"nothing, since nothing counts":      {reducers.Ignore[string], []output{part("a"), block}, output{}, 2},
		"everything, added up":               {gather, []output{part("a"), {Message: "m"}, part("b")}, part("ab"), 3},
		"everything, of Go hooks":            {gather, []output{{Specific: "a"}, part("b"), {Specific: "c"}}, part("abc"), 3},
		"everything, but what was not given": {gather, []output{{Specific: "a", Set: given}, {Specific: "b", Synthetic: true}}, output{}, 2},
		"everything, of those with no parts": {gather, []output{{Message: "m"}}, output{}, 1},
	} {
		heard := 0
		got := tt.reduce(func(yield func(output) bool) {
			for o := range slices.Values(tt.outs) {
				if heard++; !yield(o) {
					return
				}
			}
		})
		if got.Specific != tt.want.Specific || got.Decision != tt.want.Decision || got.Message != tt.want.Message || got.Set != tt.want.Set || heard != tt.heard {
			t.Errorf("%s: got %+v after %d answers, want %+v after %d", name, got, heard, tt.want, tt.heard)
		}
	}
}

func ExampleLastWhole() {
	answers := []hook.Output[string]{{Reason: "the first", Specific: "with more in it"}, {Reason: "the second"}}
	all := reducers.LastWhole[string](nil)(slices.Values(answers))
	fmt.Printf("%q %q\n", all.Reason, all.Specific)
	// Output: "the second" ""
}
