package genai

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/wire"
)

// The time to merge the changes of a hook grows in proportion to the number of members in the
// changes, which the hook decides.
func TestChangesAreMergedInTimeInProportion(t *testing.T) {
	merging := func(n int) func() {
		patch := []byte(`{"model":"m"`)
		for i := range n {
			patch = fmt.Appendf(patch, `,"%d":0`, i)
		}
		patch = append(patch, '}')
		return func() { MergeRequest(wire.Object(`{"model":"x","config":{"a":1}}`), patch) }
	}
	small, large := merging(500), merging(8000)
	ratio := math.Inf(1)
	for range 5 { // the lowest ratio counts: other tests may have used the processor
		start := time.Now()
		small()
		first := time.Since(start)
		large()
		ratio = min(ratio, float64(time.Since(start)-first)/float64(first))
	}
	if ratio > 80 {
		t.Errorf("16 times as many members take %.0f times as long", ratio)
	}
}
