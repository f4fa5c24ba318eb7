package bench

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Difference compares one measurement of two results.
type Difference struct {
	What     string
	Old, New float64 // medians, in milliseconds
	Ratio    float64 // ratio of New to Old
	Lo, Hi   float64 // the confidence interval of the ratio; 0 and infinity for fewer than six runs
	P        float64 // probability of such a difference between samples of the same distribution
	Changed  bool
}

// Compare compares the measurements that both results have. The interval comes from the intervals of
// both medians and is therefore conservative.
//
// The runs of the two results were made at different times, and a test of equal medians detects every
// difference between these times. Therefore Compare reports a change only if it is larger than the
// change of two controls measured in the same rounds, a program that does nothing and the start-up of
// the hook, and larger than the drift of the measurement within each result.
func Compare(old, now *Result) (differences []Difference, err error) {
	if old.Event != now.Event {
		return nil, fmt.Errorf("the file has measurements of %s, and this run measures %s; compare runs of one event", old.Event, now.Event)
	}
	changed := func(name string) (ratio float64, ok bool) {
		was, is := old.Samples[name], now.Samples[name]
		if len(was) == 0 || len(is) == 0 {
			return 0, false
		}
		return difference(name, was, is).Ratio, true
	}
	for _, name := range slices.Sorted(maps.Keys(now.Samples)) {
		was := old.Samples[name]
		if len(was) == 0 || len(now.Samples[name]) == 0 {
			continue
		}
		var controls []float64
		for other := range now.Samples {
			isControl := other == machine || strings.HasSuffix(other, startup) && controlledBy(name, other)
			if ratio, ok := changed(other); ok && isControl && other != name && name != machine {
				controls = append(controls, ratio)
			}
		}
		differences = append(differences, difference(name, was, now.Samples[name], controls...))
	}
	if len(differences) == 0 {
		return nil, fmt.Errorf("the file has no sample that can be compared with this run; make the file with snaphook bench %s --json", now.Event)
	}
	return differences, nil
}

// controlledBy reports whether the start-up of a hook is the control for a measurement: the hook's own cold runs, or
// the whole cold fire.
func controlledBy(name, start string) bool {
	id := strings.TrimSuffix(start, startup)
	return name == coldFire || name == id+cold
}

// difference compares two samples; controls are the ratios of measurements that no change of the hook
// affects.
func difference(name string, was, is []float64, controls ...float64) Difference {
	before, after := sample(was), sample(is)
	a, b := center(before), center(after)
	d := Difference{
		What: name, Old: a.Center, New: b.Center, Ratio: over(b.Center, a.Center), Lo: over(b.Lo, a.Hi), Hi: over(b.Hi, a.Lo),
		P: benchmath.AssumeNothing.Compare(before, after).P,
	}
	if math.IsInf(d.Lo, 0) || math.IsNaN(d.Lo) || math.IsInf(b.Hi, 0) || a.Lo <= 0 {
		d.Lo, d.Hi = 0, math.Inf(1) // fewer than six runs allow no interval for the median
	}
	least, most := 1.0, 1.0
	for _, ratio := range controls {
		least, most = min(least, ratio), max(most, ratio)
	}
	margin := max(leastPart, wander(was)+wander(is))
	d.Changed = d.P < chance && (d.Ratio > most*(1+margin) || d.Ratio < least*(1-margin))
	return d
}

// stretches is the number of parts into which the runs of a sample are divided, in the order in
// which they were made, and leastStretch the least number of runs in each.
const (
	stretches    = 4
	leastStretch = 5
)

// wander returns the largest relative difference between the median of a stretch of runs and the median of all runs:
// the figure varies by as much within one result. It is 0 for few runs.
func wander(values []float64) (most float64) {
	n := len(values) / stretches
	whole := median(values)
	if n < leastStretch || whole <= 0 {
		return 0
	}
	for i := range stretches {
		most = max(most, math.Abs(median(values[i*n:(i+1)*n])/whole-1))
	}
	return most
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

func over(a, b float64) float64 {
	if b <= 0 {
		return 1
	}
	return a / b
}
