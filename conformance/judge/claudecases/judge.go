package claudecases

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// Judge returns the differences between an engine's result and expect, in words; empty if it passes. It reads hook.log,
// the files of the project, and the requests to the scripted server, model and user. [Prepared.JudgeBackground] checks
// the key "async" of expect.
func (p *Prepared) Judge(expect Expect, got Observation) []string {
	j := judge{project: p}
	j.see(got)
	if got.Elapsed > 0 {
		j.elapsed = got.Elapsed.Seconds() * 1000
	}
	j.run(expect, observables)
	return j.wrong
}

// JudgeBackground does the same as [Prepared.Judge] after all hooks in the background have ended; expect is the value
// of the key "async". got is the observation of the fire: texts that the user saw then are checked too.
func (p *Prepared) JudgeBackground(expect Expect, got Observation, later Background) []string {
	if later.UserSees != nil {
		later.UserSees = append(slices.Clone(later.UserSees), got.UserSees...) // never nil: nil means not reported
	}
	j := judge{project: p}
	j.see(later)
	j.run(expect, backgroundObservables)
	return j.wrong
}

type judge struct {
	project *Prepared
	seen    map[string]jsontext.Value // the engine's report
	elapsed float64                   // milliseconds; 0 if it was not measured
	wrong   []string
}

func (j *judge) say(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

func (j *judge) see(reported any) {
	var err error
	if j.seen, err = members(reported); err != nil {
		j.say("the observation is not JSON: %v", err)
	}
}

func (j *judge) run(expect Expect, known map[string]observable) {
	for _, key := range slices.Sorted(maps.Keys(expect)) {
		if o, ok := known[key]; ok {
			o.check(j, key, expect[key])
		} else {
			j.say("the expectation %q is unknown: write one of %s", key, names(known))
		}
	}
}

// reported returns the engine's value of an observable, and records a difference under key if it
// is absent.
func reported[T any](j *judge, key, name string, want any) (got T, ok bool) {
	text, ok := j.seen[name]
	if !ok {
		j.say("%s: want %s, but the engine did not report %s", key, llxprtcases.Show(want), name)
		return got, false
	}
	if raw, isRaw := any(&got).(*jsontext.Value); isRaw {
		*raw = text
		return got, true
	}
	if err := json.Unmarshal(text, &got); err != nil {
		j.say("%s: want %s, got %s: %v", key, llxprtcases.Show(want), text, err)
		return got, false
	}
	return got, true
}

func (j *judge) departs(key string, want, got any) {
	j.say("%s: want %s, got %s", key, llxprtcases.Show(plain(want)), llxprtcases.Show(plain(got)))
}

func (j *judge) flag(key string, want bool) {
	if got, ok := reported[bool](j, key, key, want); ok && got != want {
		j.departs(key, want, got)
	}
}

func (j *judge) number(key string, want float64) {
	if got, ok := reported[float64](j, key, key, want); ok && got != want {
		j.departs(key, want, got)
	}
}

// exact compares whole values, but ignores a trailing newline of a text.
func (j *judge) exact(key string, want jsontext.Value) {
	if got, ok := reported[jsontext.Value](j, key, key, want); ok && !same(trimmed(want), trimmed(got)) {
		j.departs(key, want, got)
	}
}

func (j *judge) duration(key string, want float64) {
	switch {
	case j.elapsed == 0:
		j.say("%s: want %v, but the fire was not measured", key, want)
	case j.elapsed >= want:
		j.say("%s: want less than %v ms, got %.1f ms", key, want, j.elapsed)
	}
}

// outcomes maps labels of hooks to outcomes.
type outcomes map[string]string

var knownOutcomes = []string{"success", "blocking", "non_blocking_error", "cancelled", "backgrounded"}

func (o outcomes) check() error {
	for _, label := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(knownOutcomes, o[label]) {
			return fmt.Errorf("%s is %q: write one of %q", label, o[label], knownOutcomes)
		}
	}
	return nil
}

// outcomes checks that each label has at least one hook, and that all its hooks have the expected
// outcome.
func (j *judge) outcomes(key string, want outcomes) {
	hooks, ok := reported[[]HookRun](j, key, "hooks", want)
	if !ok {
		return
	}
	for _, label := range slices.Sorted(maps.Keys(want)) {
		var got []string
		for _, h := range hooks {
			if h.label() == label {
				got = append(got, h.Outcome)
			}
		}
		if len(slices.Compact(slices.Clone(got))) != 1 || got[0] != want[label] {
			j.departs(key+"."+label, want[label], got)
		}
	}
}
