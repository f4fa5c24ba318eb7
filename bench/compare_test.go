package bench

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/pipeline"
)

// comparison holds the result of compare: the median of the ratios, and the median time of each
// side.
type comparison struct {
	ratio float64
	a, b  time.Duration
}

// compare measures a and b in the given number of pairs, in the order a b b a: a and b run second equally often. The
// ratio is the median of the ratios a/b of neighbours, which run while the machine is in the same state.
func compare(pairs int, a, b func() time.Duration) comparison {
	a()
	b()
	runtime.GC() // the garbage of earlier tests must not be collected during the measurement
	as, bs, ratios := make([]time.Duration, pairs), make([]time.Duration, pairs), make([]float64, pairs)
	for i := range pairs {
		if i%2 == 0 {
			as[i] = a()
			bs[i] = b()
		} else {
			bs[i] = b()
			as[i] = a()
		}
		ratios[i] = float64(as[i]) / float64(bs[i])
	}
	return comparison{median(ratios), median(as), median(bs)}
}

func median[T time.Duration | float64](values []T) T {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// timed returns a function that runs f and returns its duration.
func timed(f func()) func() time.Duration {
	return func() time.Duration {
		start := time.Now()
		f()
		return time.Since(start)
	}
}

// firing returns a function that fires once and returns the duration.
func firing(tb testing.TB, ses *pipeline.Session) func() time.Duration {
	return timed(func() {
		if err := fireOnce(ses); err != nil {
			tb.Error(err)
		}
	})
}

// each formats the time of one repetition: took divided by times.
func each(took time.Duration, times int) string {
	if one := float64(took) / float64(times); one < 1000 {
		return fmt.Sprintf("%.1fns", one)
	}
	return (took / time.Duration(times)).Round(100 * time.Nanosecond).String()
}

// typical formats the time of f divided by times, the number of repetitions in one call of f.
func typical(times int, f func()) string {
	took := make([]time.Duration, 21)
	for i := range took {
		took[i] = timed(f)()
	}
	return each(median(took), times)
}
