package claudecases

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

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// replay is an engine that returns prepared observations.
type replay struct {
	project *Prepared
	told    []Observation // one for each fire; further fires get the last one
	later   Background
	err     error // the error that every call returns
	calls   []string
}

func (r *replay) note(call string) error {
	r.calls = append(r.calls, call)
	return r.err
}

func (r *replay) Fire(_ context.Context, event string, input jsontext.Value) (got Observation, err error) {
	before, _ := r.project.log()
	text := strings.Join(append(before, event), "\n") + "\n"
	if err := llxprtcases.WriteFile(r.project.path("hook.log"), text, 0o644); err != nil {
		return got, err
	}
	if len(r.told) > 0 {
		got = r.told[0]
	}
	if len(r.told) > 1 {
		r.told = r.told[1:]
	}
	fields, err := membersOf(input)
	if err != nil {
		return got, err
	}
	return got, r.note(fmt.Sprintf("fire %s with %d fields", event, len(fields)))
}

func (r *replay) Refresh(context.Context) error { return r.note("refresh") }

func (r *replay) Settle(context.Context) (Background, error) { return r.later, r.note("settle") }

func (r *replay) Close() error { return r.note("close") }

func TestStepsAreDoneInOrderOnOneEngine(t *testing.T) {
	p := mustParse(t, `"event": "E", "input": {"a": 1, "cwd": "/x"}, "expect": {"ran": ["E"], "blocked": true}, "then": [
		{"action": "write_settings", "settings": {"n": 2.0}}, {"event": "F", "expect": {"ran": ["F"], "blocked": false}},
		{"action": "refresh_snapshot"}, {"event": "E", "expect": {"ran": ["E"], "async": {"ran": ["E", "F", "E"], "rewake": []}}}]`).Prepare(t, "")
	engine := &replay{project: p, told: []Observation{{Blocked: new(true)}, {Blocked: new(false)}}, later: Background{Rewake: []string{}}}
	if failure := p.play(t.Context(), engine); failure != "" {
		t.Errorf("got %s, want no failure", failure)
	}
	want := []string{"fire E with 6 fields", "fire F with 5 fields", "refresh", "fire E with 5 fields", "settle"}
	if !slices.Equal(engine.calls, want) {
		t.Errorf("got %q, want %q", engine.calls, want)
	}
	if got := mustRead(t, p.path(".claude/settings.json")); got != `{"n":2.0}` {
		t.Errorf("the settings are %s, want those of the step", got)
	}
}

func TestEveryStepIsJudged(t *testing.T) {
	p := mustParse(t, `"event": "E", "expect": {"blocked": true}, "then": [
		{"event": "E", "expect": {"blocked": true}}, {"event": "E", "expect": {"ran": [], "async": {"rewake": ["x"]}}}]`).Prepare(t, "")
	engine := &replay{project: p, told: []Observation{{Blocked: new(true)}, {Blocked: new(false)}}}
	failure := p.play(t.Context(), engine)
	wantContains(t, failure, "step 2 of 3: blocked: want true, got false", `step 3 of 3: ran: want [], got ["E"]`, `async: rewake: want ["x"], but the engine did not report rewake`)
	if strings.Contains(failure, "step 1") {
		t.Errorf("got %s, want no word of step 1", failure)
	}
}

func TestTheFireIsMeasuredUnlessTheEngineDoes(t *testing.T) {
	p := mustParse(t, `"expect": {"duration_lt_ms": 60000}`).Prepare(t, "")
	if failure := p.play(t.Context(), &replay{project: p}); failure != "" {
		t.Errorf("got %s, want no failure", failure)
	}
	slow := &replay{project: p, told: []Observation{{Elapsed: patience}}}
	wantContains(t, p.play(t.Context(), slow), "duration_lt_ms: want less than 60000 ms, got 120000.0 ms")
}

func TestAnEngineThatCannotFails(t *testing.T) {
	for _, more := range []string{
		`"expect": {"ran": ["Stop"]}`,
		`"expect": {"ran": ["Stop"]}, "then": [{"action": "refresh_snapshot"}, {"event": "E", "expect": {"ran": []}}]`,
	} {
		p := mustParse(t, more).Prepare(t, "")
		engine := &replay{project: p, err: errors.New("out of order")}
		wantContains(t, p.play(t.Context(), engine), "step 1 of", "fire: out of order")
		if len(engine.calls) != 1 {
			t.Errorf("got %q, want the first step only", engine.calls)
		}
	}
}

func TestAFailureTellsExpectationObservationAndPlace(t *testing.T) {
	p := mustParse(t, `"rules": ["C40"], "note": "mind the gap", "http": {"/x": {"status": 200}}, "expect": {"reason": "x"}, "variants": {"new": {"note": "mind"}}`).Prepare(t, "new")
	engine := &replay{project: p, told: []Observation{{Reason: strings.Repeat("y", 1e6), ModelSees: []string{"m"}}}}
	failure := p.play(t.Context(), engine)
	wantContains(t, failure, `reason: want "x", got "yyy`, `"reason": "x"`, "(1000000 bytes)", `"hook.log": [`, `"model_sees": [`, `"http_requests": []`,
		`case: "n" of n.json, level "new"`, "C40", "mind")
	if len(failure) > 5000 {
		t.Errorf("the report has %d bytes, want long strings cut", len(failure))
	}
}

// TestInside runs in the process that the tests below start, because Run may fail in it.
func TestInside(t *testing.T) {
	dir := os.Getenv("CLAUDECASES_TEST_INSIDE")
	if dir == "" {
		return
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	Run(t, cases, func(_ testing.TB, p *Prepared) (Engine, string) {
		if p.Event == "Unknown" {
			return nil, "it does not know the event"
		}
		return &replay{project: p, told: []Observation{{Blocked: new(p.Level == "")}}}, ""
	})
}

func inside(t *testing.T, files map[string]string) (output string, passed bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "cases"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeTree(t, dir, files)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run=^TestInside$")
	cmd.Env = append(os.Environ(), "CLAUDECASES_TEST_INSIDE="+dir)
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

// blocks returns a case that passes if the engine blocks.
func blocks(name, more string) string {
	return `{"name": "` + name + `", "group": "g", "tier": 1, "basis": ["spec"], "settings": {}, "event": "Stop", "expect": {"blocked": true}` + more + `}`
}

func TestRunNamesSkipsAndFails(t *testing.T) {
	output, passed := inside(t, map[string]string{
		"cases/001-good.json":    blocks("good", `, "variants": {"new": {"expect": {"blocked": false}}, "newer": {"expect": {"blocked": true}}}`),
		"cases/002-wrong.json":   strings.Replace(blocks("wrong", ""), "true", "false", 1),
		"cases/003-strange.json": strings.Replace(blocks("strange", ""), "Stop", "Unknown", 1),
	})
	if passed {
		t.Error("it passes, want it to fail")
	}
	wantContains(t, output,
		"--- PASS: TestInside/good ", "--- PASS: TestInside/good/new ", "--- FAIL: TestInside/good/newer", `level "newer"`,
		"--- FAIL: TestInside/wrong", "blocked: want false, got true", "002-wrong.json",
		"--- SKIP: TestInside/strange", "it does not know the event")
}

func TestRunPassesWhenEveryCaseDoes(t *testing.T) {
	if output, passed := inside(t, map[string]string{"cases/001-good.json": blocks("good", "")}); !passed || !strings.Contains(output, "--- PASS: TestInside/good") {
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
