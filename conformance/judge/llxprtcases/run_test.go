package llxprtcases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// replay is an engine that returns prepared observations.
type replay struct {
	project *Prepared
	told    []Observation // one result for each fire; further fires get the last result
	err     error         // the error that every call returns
	calls   []string
}

func (r *replay) note(format string, args ...any) error {
	r.calls = append(r.calls, fmt.Sprintf(format, args...))
	return r.err
}

func (r *replay) tell() Observation {
	if len(r.told) == 0 {
		return Observation{}
	}
	got := r.told[0]
	if len(r.told) > 1 {
		r.told = r.told[1:]
	}
	return got
}

func (r *replay) Fire(_ context.Context, event string, input jsontext.Value) (Observation, error) {
	trace := r.project.path("trace.log")
	before, _ := os.ReadFile(trace) // the file is missing, or has the lines of earlier fires
	if err := os.WriteFile(trace, append(before, event+"\n"...), 0o644); err != nil {
		return Observation{}, err
	}
	return r.tell(), r.note("fire %s %s", event, input)
}

func (r *replay) Publish(_ context.Context, message jsontext.Value) (Observation, error) {
	return r.tell(), r.note("publish %s", message)
}

func (r *replay) SetHookEnabled(hook string, enabled bool) error {
	return r.note("enable %s %v", hook, enabled)
}

func (r *replay) ChangeSettings(settings jsontext.Value) error {
	return r.note("settings %s", settings)
}
func (r *replay) Reinitialize() error { return r.note("reinitialize") }
func (r *replay) Close() error        { return r.note("close") }

func TestStepsAreDoneInOrderOnOneEngine(t *testing.T) {
	p := mustParse(t, `"event": "E", "input": {"a": 1}, "steps": [
		{"fire": {}, "expect": {"trace": ["E"], "success": true}},
		{"fire": {"event": "F", "input": {"b": 2}}, "expect": {"trace": ["E", "F"], "success": false}},
		{"expect": {"trace": ["E"]}, "fire": {"event": "E"}, "resetTrace": true, "reinitialize": true, "settings": {"s": 1},
			"setHookEnabled": {"hook": "h", "enabled": true}},
		{"setHookEnabled": {"hook": "h", "enabled": false}}]`).Prepare(t)
	engine := &replay{project: p, told: []Observation{{Success: new(true)}, {Success: new(false)}}}
	if failure := p.play(t.Context(), engine); failure != "" {
		t.Errorf("got %s, want no failure", failure)
	}
	want := []string{
		`fire E {"a":1}`, `fire F {"b":2}`, "enable h true", `settings {"s":1}`, "reinitialize", `fire E {"a":1}`, "enable h false",
	}
	if !slices.Equal(engine.calls, want) {
		t.Errorf("got %q, want %q", engine.calls, want)
	}
}

func TestEveryStepIsJudged(t *testing.T) {
	p := mustParse(t, `"event": "E", "steps": [
		{"fire": {}, "expect": {"success": true}}, {"fire": {}, "expect": {"success": true}}, {"fire": {}, "expect": {"trace": []}}]`).Prepare(t)
	engine := &replay{project: p, told: []Observation{{Success: new(true)}, {Success: new(false)}}}
	failure := p.play(t.Context(), engine)
	wantContains(t, failure, "step 2 of 3: success: want true, got false", `step 3 of 3: trace: want [], got ["E","E","E"]`)
	if strings.Contains(failure, "step 1") {
		t.Errorf("got %s, want no word of step 1", failure)
	}
}

func TestABusCaseIsPublished(t *testing.T) {
	p := mustParse(t, `"event": "E", "via": "bus", "bus": {"message": {"type": "T"}}, "expect": {"bus": {"success": true}}`).Prepare(t)
	engine := &replay{project: p, told: []Observation{{Bus: map[string]any{"success": true}}}}
	if failure := p.play(t.Context(), engine); failure != "" {
		t.Errorf("got %s, want no failure", failure)
	}
	if want := []string{`publish {"type":"T"}`}; !slices.Equal(engine.calls, want) {
		t.Errorf("got %q, want %q", engine.calls, want)
	}
	wantContains(t, p.play(t.Context(), &replay{project: p}), `bus: want {"success":true}, got nothing`)
}

func TestAnEngineThatCannotFails(t *testing.T) {
	for _, step := range []string{`"fire": {}`, `"reinitialize": true`, `"settings": {}`, `"setHookEnabled": {"hook": "h"}`} {
		p := mustParse(t, `"event": "E", "steps": [{`+step+`}, {"fire": {}, "expect": {"trace": ["E"]}}]`).Prepare(t)
		engine := &replay{project: p, err: errors.New("out of order")}
		failure := p.play(t.Context(), engine)
		wantContains(t, failure, "step 1 of 2", ": out of order")
		if len(engine.calls) != 1 {
			t.Errorf("got %q, want the first step only", engine.calls)
		}
	}
}

func TestAFailureTellsExpectationObservationAndPlace(t *testing.T) {
	p := mustParse(t, `"event": "E", "rules": ["L30"], "note": "mind the gap", "expect": {"final": {"reason": "x"}}`).Prepare(t)
	engine := &replay{project: p, told: []Observation{{Final: map[string]any{"reason": strings.Repeat("y", 1e6)}}}}
	failure := p.play(t.Context(), engine)
	wantContains(t, failure, `final.reason: want "x", got "yyy`, `"reason": "x"`, "(1000000 bytes)", `"trace": [`, `case: "n" of theme.json`, "L30", "mind the gap")
	if len(failure) > 5000 {
		t.Errorf("the report has %d bytes, want long strings cut", len(failure))
	}
}

func TestTranslatorCases(t *testing.T) {
	p := mustParse(t, `"kind": "translator", "fn": "double", "args": [{"n": 1e+21}, "@REPEAT:a:2@"],
		"expect": {"result": {"n": 1, "s": "@REPEAT:a:2@"}}`).Prepare(t)
	var called string
	answer := func(result any, err error) Translate {
		return func(fn string, args []jsontext.Value) (any, error) {
			called = fmt.Sprintf("%s %s", fn, args)
			return result, err
		}
	}
	if failure := p.translate(answer(jsontext.Value(`{"n": 1.0, "s": "aa", "x": null}`), nil)); failure != "" {
		t.Errorf("got %s, want no failure", failure)
	}
	if want := `double [{"n":1e+21} "aa"]`; called != want {
		t.Errorf("called %s, want %s", called, want)
	}
	wantContains(t, p.translate(answer(map[string]any{"n": 1}, nil)), `result.s: want "aa", got nothing`)
	wantContains(t, p.translate(answer(nil, nil)), "got nothing")
	wantContains(t, p.translate(answer(nil, errors.New("no such function"))), "double: no such function")
}

// TestInside runs in the process that the tests below start, because Run may fail in it.
func TestInside(t *testing.T) {
	dir := os.Getenv("CONFORMANCE_TEST_INSIDE")
	if dir == "" {
		return
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	open := func(t testing.TB, p *Prepared) (Engine, string) {
		if p.Event == "Unknown" {
			return nil, "it does not know the event"
		}
		return &replay{project: p, told: []Observation{{Success: new(true)}}}, ""
	}
	Run(t, cases, open, nil)
}

func inside(t *testing.T, files map[string]string, flags ...string) (output string, passed bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cases"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, files)
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(flags, "-test.v", "-test.run=^TestInside$")...)
	cmd.Env = append(os.Environ(), "CONFORMANCE_TEST_INSIDE="+dir)
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

func TestRunNamesSkipsAndFails(t *testing.T) {
	const ok = `"basis": "spec", "event": "E", "expect": {"success": true}`
	output, passed := inside(t, map[string]string{
		"cases/one.json": `{"theme": "one", "cases": [{"name": "good", ` + ok + `}, {"name": "wrong", "basis": "spec", "event": "E", "expect": {"success": false}},
			{"name": "timed", "basis": "spec", "event": "E", "expect": {"maxMs": 1000}}]}`,
		"cases/two.json": `{"theme": "two", "cases": [{"name": "strange", "basis": "spec", "event": "Unknown", "expect": {"success": true}},
			{"name": "lasting", "slow": true, ` + ok + `},
			{"name": "pure", "basis": "spec", "kind": "translator", "fn": "f", "expect": {"result": 1}}]}`,
	}, "-test.short")
	if passed {
		t.Error("it passes, want it to fail")
	}
	wantContains(t, output,
		"--- PASS: TestInside/one/good", "--- FAIL: TestInside/one/wrong", "success: want false, got true", "one.json",
		"--- FAIL: TestInside/one/timed", "did not measure",
		"--- SKIP: TestInside/two/strange", "it does not know the event",
		"--- SKIP: TestInside/two/lasting", "run without -short",
		"--- SKIP: TestInside/two/pure", "no translator")
}

func TestRunPassesWhenEveryCaseDoes(t *testing.T) {
	files := map[string]string{"cases/one.json": in(`"name": "good", "slow": true, "basis": "spec", "event": "E", "expect": {"success": true}`)}
	if output, passed := inside(t, files); !passed || !strings.Contains(output, "--- PASS: TestInside/x/good") {
		t.Errorf("got %s, want it to pass", output)
	}
}

func TestRunFailsWithoutCases(t *testing.T) {
	output, passed := inside(t, nil)
	if passed {
		t.Error("no cases at all pass")
	}
	wantContains(t, output, "there are no cases to run")
}

func TestASilentEnginePassesOnlyWhatExpectsSilence(t *testing.T) {
	t.Setenv("SNAPHOOK_CASES", "")
	dir, _ := Dir("llxprt")
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		p := c.Prepare(t)
		for i, s := range p.steps() {
			delete(s.Expect, "deadPids") // the key always fails here, because its file is missing
			wrong := p.Judge(s.Expect, Observation{})
			if expectsSilence := Show(s.Expect) == `{"trace":[]}`; len(wrong) == 0 && !expectsSilence {
				t.Errorf("%s/%s, step %d: %s passes", c.Theme, c.Name, i+1, Show(s.Expect))
			}
		}
	}
}
