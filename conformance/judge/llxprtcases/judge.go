package llxprtcases

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Judge returns the differences of an engine's result from expect, in words; none if it passes. It
// has to be called right after the fire: the time of a deadPids expectation begins here, and Judge
// waits for up to a second. It reads the files of the project and trace.log itself.
//
// An unknown key of expect, or a value of the wrong type, is a difference: an expectation that is
// not read would pass.
func (p *Prepared) Judge(expect map[string]any, got Observation) []string {
	j := judge{project: p, fired: time.Now()}
	var err error
	if j.seen, err = got.decoded(); err != nil {
		return []string{"the observation is not JSON: " + err.Error()}
	}
	if want, ok := expect["deadPids"]; ok { // checked first, because the time of deadPids is running
		j.deadPids(want)
	}
	for _, key := range slices.Sorted(maps.Keys(expect)) {
		check, known := checks[key]
		if !known {
			j.unknown("expect", key, slices.Sorted(maps.Keys(checks)))
			continue
		}
		check(&j, expect[key])
	}
	return j.wrong
}

type judge struct {
	project *Prepared
	fired   time.Time
	seen    map[string]any // the observation
	wrong   []string
}

var checks = map[string]func(j *judge, want any){
	"success":    same("success"),
	"registered": same("registered"),
	"allOutputs": same("allOutputs"),
	"result":     same("result"),
	"hooksRun":   (*judge).hooksRun,
	"order":      (*judge).order,
	"trace":      (*judge).trace,
	"traceSet":   (*judge).traceSet,
	"errors":     (*judge).errors,
	"final":      (*judge).final,
	"methods": fieldsOf(
		"methods",
		"isBlocking",
		"shouldStop",
		"effectiveReason",
		"blockingError",
		"additionalContext",
		"modifiedToolInput",
		"syntheticResponse",
		"modifiedResponse",
		"modifiedRequest",
		"toolSelection",
		"clearContext",
	),
	"processed": fieldsOf("processed", "shouldStop", "stopReason", "systemMessage", "suppressOutput"),
	"perHook":   (*judge).perHook,
	"files":     (*judge).files,
	"deadPids":  func(*judge, any) {}, // checked first
	"minMs":     (*judge).minMs,
	"maxMs":     (*judge).maxMs,
	"bus":       (*judge).bus,
}

func (j *judge) say(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

func (j *judge) unknown(where, key string, known []string) {
	j.say("%s.%s: this key is unknown; write one of %s", where, key, strings.Join(known, ", "))
}

func (j *judge) match(path string, want, got any) {
	j.wrong = append(j.wrong, differences(path, want, got)...)
}

// same compares a value as a whole.
func same(key string) func(*judge, any) {
	return func(j *judge, want any) { j.match(key, want, j.seen[key]) }
}

// fieldsOf compares those fields of an object that are expected.
func fieldsOf(key string, known ...string) func(*judge, any) {
	return func(j *judge, want any) { j.fields(key, want, j.seen[key], known) }
}

func (j *judge) fields(path string, want, got any, known []string) {
	wanted, ok := want.(map[string]any)
	if !ok {
		j.say("%s: the expectation is %s; write an object", path, Show(want))
		return
	}
	object, ok := got.(map[string]any)
	if !ok {
		j.say("%s: want %s, got %s", path, Show(want), Show(got))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		switch {
		case key == subset: // the key has no effect: every expected object is a subset here
		case !slices.Contains(known, key):
			j.unknown(path, key, known)
		default:
			j.match(path+"."+key, wanted[key], object[key])
		}
	}
}

var finalFields = []string{
	"decision",
	"reason",
	"systemMessage",
	"continue",
	"stopReason",
	"suppressOutput",
	"hookSpecificOutput",
}

func (j *judge) final(want any) {
	got := j.seen["final"]
	switch {
	case want != nil:
		j.fields("final", want, got, finalFields)
	case got != nil:
		j.say("final: want no final output, got %s", Show(got))
	}
}

// bus compares the response as a whole, while final, methods and processed compare only the expected fields.
func (j *judge) bus(want any) {
	known := []string{"correlationId", "success", "output", "error", subset}
	if wanted, ok := want.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(wanted)) {
			if !slices.Contains(known, key) {
				j.unknown("bus", key, known)
			}
		}
	}
	j.match("bus", want, j.seen["bus"])
}

func (j *judge) errors(want any) {
	got, ok := j.seen["errors"].([]any)
	if !ok {
		j.say("errors: want %s, but the engine reported no list of errors", Show(want))
		return
	}
	wanted, ok := want.(map[string]any)
	if !ok {
		j.say("errors: the expectation is %s; write an object with count, contains or both", Show(want))
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		switch key {
		case "count":
			if wanted[key] != float64(len(got)) {
				j.say("errors.count: want %s, got %d: %s", Show(wanted[key]), len(got), Show(got))
			}
		case "contains":
			j.errorsContain(wanted[key], got)
		default:
			j.unknown("errors", key, []string{"count", "contains"})
		}
	}
}

func (j *judge) errorsContain(want any, got []any) {
	parts, ok := want.([]any)
	if !ok {
		j.say("errors.contains: the expectation is %s; write a list of strings", Show(want))
	}
	for _, part := range parts {
		text, isText := part.(string)
		if !isText || !slices.ContainsFunc(got, func(e any) bool { return strings.Contains(e.(string), text) }) {
			j.say("errors.contains: want an error with %s in it, got %s", Show(part), Show(got))
		}
	}
}

func (j *judge) minMs(want any) {
	if bound, took, ok := j.bound("minMs", want); ok && took < bound {
		j.say("minMs: want at least %v ms, got %.1f ms", bound, took)
	}
}

func (j *judge) maxMs(want any) {
	if bound, took, ok := j.bound("maxMs", want); ok && took > bound {
		j.say("maxMs: want at most %v ms, got %.1f ms", bound, took)
	}
}

func (j *judge) bound(key string, want any) (bound, took float64, ok bool) {
	bound, isNumber := want.(float64)
	took, measured := j.seen["elapsedMs"].(float64)
	switch {
	case !isNumber:
		j.say("%s: the expectation is %s; write a number of milliseconds", key, Show(want))
	case !measured:
		j.say("%s: want %v, but the engine did not measure the fire", key, bound)
	}
	return bound, took, isNumber && measured
}
