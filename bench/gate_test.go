package bench

import (
	"fmt"
	"testing"
	"time"
)

// gate is a promise about a cost. It is a value, so that a test can hold it
// against something that breaks the promise: a gate that cannot fail is worth
// nothing.
type gate struct {
	at      place
	most    float64
	margin  float64 // part of most, for a machine that does other things too; 0 for what is counted
	measure func() float64
	detail  func() string // what to say besides the number, for the table; may be nil
}

// busy is the margin of what takes time.
const busy = 0.12

// check measures once what is counted. Times it measures until the promise is
// kept, three times at most, and takes the best: what a noisy machine cannot
// make better. Before it fails it tries three times more, since neighbours can
// be noisy for seconds.
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

// test holds the promise against what it is about.
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

// mustFail holds the promise against what breaks it. On a busy machine, where noise is added
// to both sides of a ratio, one check may miss it.
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

// allocations is a gate on how often f allocates. It counts the whole process,
// so the tests that use it do not run in parallel.
func allocations(at place, most float64, f func()) gate {
	at.what += ", allocations"
	return gate{at: at, most: most, measure: func() float64 { return testing.AllocsPerRun(100, f) }}
}

// counted is a gate on what has been counted already.
func counted[T int | float64](at place, got, most T) gate {
	return gate{at: at, most: float64(most), measure: func() float64 { return float64(got) }}
}

// compared is the gate on the ratio of two times, each of which is that of
// doing something so many times.
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
