package claude_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
)

// Each way to follow a fire reports the fire's progress and returns the final result, in which the ninth block of Stop
// in a row has no effect.
func TestProgressAndConclusionAreOfOneFire(t *testing.T) {
	for name, fire := range map[string]func(*testing.T, world) (blocks []bool, reports int){
		"FireProgress": func(t *testing.T, w world) (blocks []bool, reports int) {
			s := w.open(t)
			answers(claude.Stop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block, Reason: "more"})
			for i := range 9 {
				res, err := claude.Stop.FireProgress(t.Context(), s, &claude.StopInput{Active: i > 0}, func(r hook.Report[claude.BasicOutput]) {
					if !r.Started && r.Output.Decision.Blocks() {
						reports++
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, res.Blocked())
			}
			return blocks, reports
		},
		"Stream": func(t *testing.T, w world) (blocks []bool, reports int) {
			s := w.open(t)
			answers(claude.Stop, s, hook.Output[claude.BasicOutput]{Decision: hook.Block, Reason: "more"})
			for i := range 9 {
				blocked := false
				for r := range claude.Stop.Stream(t.Context(), s, &claude.StopInput{Active: i > 0}) {
					if blocked = r.Output.Decision.Blocks(); blocked && !r.Concluded {
						reports++
					}
				}
				blocks = append(blocks, blocked)
			}
			return blocks, reports
		},
	} {
		w := project(`{}`)
		w.Level = claude.Docs // at this level the ninth block in a row has no effect
		blocks, reports := fire(t, w)
		if reports != 9 || blocks[8] || !blocks[7] || !blocks[0] {
			t.Errorf("%s: %d reports of a block, fires that block: %v; want 9, and all but the last", name, reports, blocks)
		}
	}
}
