package bench

import (
	"fmt"
	"testing"
	"time"
)

// gate is a promise about a cost. It is a value, which lets a test check that the gate fails if the
// promise is broken.
type gate struct {
	at      place
	most    float64
	margin  float64 // fraction by which a busy machine may exceed most; 0 for a count
	measure func() float64
	detail  func() string // returns text for the table next to the number; may be nil
}

// busy is the margin of a measured time.
const busy = 0.12

// check measures a count once. It measures a time until the promise is kept, at most three times,
// and takes the best, since noise only makes a time worse. Before it fails, it tries three more
// times: other processes can make noise for seconds.
func (g gate) check() (best float64, err error) {
	best = g.measure()
	limit := g.most * (1 + g.margin)
	for try := 1; g.margin > 0 && (try < 3 && best > g.most || try < 6 && best > limit); try++ {
		best = min(best, g.measure())
	}
	if best > limit {
		return best, fmt.Errorf("%s: %s, want at most %s and %.0f percent", g.at.what, number(best), number(g.most), 100*g.margin)
	}
	return best, nil
}

// test fails t if the measurement breaks the promise.
func (g gate) test(t *testing.T) {
	t.Helper()
	got, err := g.check()
	if err != nil {
		t.Error(err)
	}
	g.at.record(got, g.most)
	if g.detail != nil {
		place{g.at.work, g.at.what + ": the times"}.note(g.detail())
	}
	t.Logf("%s: %s, the goal is %s", g.at.what, number(got), number(g.most))
}

// mustFail fails t if the gate passes a measurement that breaks the promise. On a busy machine noise is added to both
// sides of a ratio, and one check may miss the difference; therefore mustFail makes up to three checks.
func (g gate) mustFail(t *testing.T) {
	t.Helper()
	var got float64
	for range 3 {
		var err error
		if got, err = g.check(); err != nil {
			t.Logf("the gate says: %v", err)
			return
		}
	}
	t.Errorf("%s: the gate lets %s pass, want a failure above %s", g.at.what, number(got), number(g.most))
}

// allocations returns a gate on the number of allocations of f. It counts the whole process: the
// tests that use it do not run in parallel.
func allocations(at place, most float64, f func()) gate {
	at.what += ", allocations"
	return gate{at: at, most: most, measure: func() float64 { return testing.AllocsPerRun(100, f) }}
}

// counted returns a gate on a number that has already been counted.
func counted[T int | float64](at place, got, most T) gate {
	return gate{at: at, most: float64(most), measure: func() float64 { return float64(got) }}
}

// compared returns a gate on the ratio of two times. Each function does its work the given number
// of times and returns how long that took.
func compared(at place, most float64, pairs, times int, a, b func() time.Duration) gate {
	var last comparison
	return gate{
		at: at, most: most, margin: busy,
		measure: func() float64 {
			last = compare(pairs, a, b)
			return last.ratio
		},
		detail: func() string { return each(last.a, times) + " to " + each(last.b, times) },
	}
}
