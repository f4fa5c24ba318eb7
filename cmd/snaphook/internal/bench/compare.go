package bench

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Difference compares one measurement of two results.
type Difference struct {
	What     string
	Old, New float64 // medians, in milliseconds
	Ratio    float64 // of New to Old
	Lo, Hi   float64 // the confidence interval of the ratio; 0 and infinite of fewer than six runs
	P        float64 // that both come from the same
	Changed  bool
}

// Compare compares the measurements that both results have. The interval comes from the intervals
// of both medians and is therefore conservative. Where the machine itself has become slower or
// faster, an equal change of a hook is not a change.
func Compare(old, now *Result) (differences []Difference, err error) {
	if old.Event != now.Event {
		return nil, fmt.Errorf("it is of %s, and this one of %s", old.Event, now.Event)
	}
	drift := 1.0
	if was, is := old.Samples[machine], now.Samples[machine]; len(was) > 0 && len(is) > 0 {
		drift = difference(machine, was, is, 1).Ratio
	}
	for _, name := range slices.Sorted(maps.Keys(now.Samples)) {
		if was := old.Samples[name]; len(was) > 0 && len(now.Samples[name]) > 0 {
			differences = append(differences, difference(name, was, now.Samples[name], drift))
		}
	}
	if len(differences) == 0 {
		return nil, fmt.Errorf("it has no sample that this one has too; make it with snaphook bench %s --json", now.Event)
	}
	return differences, nil
}

// difference compares two samples; drift is the change of the machine.
func difference(name string, was, is []float64, drift float64) Difference {
	before, after := sample(was), sample(is)
	a, b := center(before), center(after)
	d := Difference{
		What: name, Old: a.Center, New: b.Center, Ratio: over(b.Center, a.Center), Lo: over(b.Lo, a.Hi), Hi: over(b.Hi, a.Lo),
		P: benchmath.AssumeNothing.Compare(before, after).P,
	}
	if math.IsInf(d.Lo, 0) || math.IsNaN(d.Lo) || math.IsInf(b.Hi, 0) || a.Lo <= 0 {
		d.Lo, d.Hi = 0, math.Inf(1) // of fewer than six runs the median may be anything
	}
	if name == machine {
		drift = 1
	}
	d.Changed = d.P < chance && (d.Ratio > max(1, drift)*(1+leastPart) || d.Ratio < min(1, drift)*(1-leastPart))
	return d
}

func over(a, b float64) float64 {
	if b <= 0 {
		return 1
	}
	return a / b
}
