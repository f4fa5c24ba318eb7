package reducers_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/reducers"
)

// The result of every strategy depends only on the answers and their order, and contains everything
// except the values that the strategy drops on purpose.
func TestEveryStrategyHolds(t *testing.T) {
	add := func(all *string, one string) { *all += one }
	long := func(o *output) bool { return len(o.Specific) > 1 }
	one := func(name string, reduce hook.Reducer[string], but ...hooktest.Exception) {
		t.Run(name, func(t *testing.T) { hooktest.Reducer(t, reduce, nil, but...) })
	}
	replaces := hooktest.LosesBlocks("later answers replace earlier ones")
	first := hooktest.LosesBlocks("the first answer counts")
	nothing := hooktest.LosesBlocks("decisions do not count")
	stops := hooktest.LosesStops("as the name says: KeepCommon keeps them")
	one("BlockWins", reducers.BlockWins[string](nil))
	one("BlockWins, adding", reducers.BlockWins(add))
	one("Replace", reducers.Replace[string](nil), replaces, stops)
	one("Replace, adding", reducers.Replace(add), replaces, stops)
	one("Last", reducers.Last[string], replaces, stops)
	one("LastWhole", reducers.LastWhole[string](nil), stops)
	one("LastWhole of some", reducers.LastWhole(long), stops)
	one("FirstWhole", reducers.FirstWhole[string](nil), first, stops)
	one("FirstWhole of some", reducers.FirstWhole(long), first, stops)
	one("Gather", reducers.Gather(add), nothing, stops)
	one("KeepCommon", reducers.KeepCommon(reducers.BlockWins(add)))
	one("KeepCommon of Ignore", reducers.KeepCommon(reducers.Ignore[string]), nothing)
	one("Ignore", reducers.Ignore[string], nothing, stops)
}
