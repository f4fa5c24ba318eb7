package llxprtcases

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// seen returns the observation of a fire that denied, written by hand.
func seen() Observation {
	return Observation{
		Success:    new(false),
		Errors:     []string{"hook ./b.sh timed out after 150ms"},
		Final:      jsontext.Value(`{"decision": "deny", "reason": "no", "continue": false, "hookSpecificOutput": {}}`),
		AllOutputs: []any{map[string]any{"decision": "deny"}, jsontext.Value(`{"n": 1.0}`)},
		PerHook: []HookRun{
			{Command: "./a.sh", ExitCode: new(2), Success: new(false), Stdout: "out\n", Stderr: "err\n", Output: map[string]string{"decision": "deny"}},
			{Command: "./b.sh", Success: new(false), Error: "timed out after 150ms"},
		},
		Methods:    map[string]any{"isBlocking": true, "shouldStop": false, "blockingError": map[string]any{"blocked": true, "reason": "no"}},
		Processed:  map[string]any{"shouldStop": false, "suppressOutput": false},
		Registered: new(2),
		Bus:        jsontext.Value(`{"correlationId": "c", "success": true, "output": {"errors": []}}`),
		Result:     []int{1, 2},
		Elapsed:    50 * time.Millisecond,
	}
}

// judgements holds for every key of expect a value that passes and one that fails.
var judgements = []struct{ expect, differs string }{ // differs is empty if expect passes
	{`{"success": false}`, ""},
	{`{"success": true}`, "success: want true, got false"},
	{`{"success": null}`, "success: want nothing"},
	{`{"hooksRun": 2}`, ""},
	{`{"hooksRun": 1}`, `hooksRun: want 1, got 2: ["./a.sh","./b.sh"]`},
	{`{"hooksRun": "2"}`, "hooksRun: want"},
	{`{"order": ["./a.sh", "./b.sh"]}`, ""},
	{`{"order": ["./a.sh", "./c.sh"]}`, "order[1]"},
	{`{"order": ["./a.sh"]}`, "order: want"},
	{`{"trace": ["a", "b", "a"]}`, ""},
	{`{"trace": ["a", "x", "a"]}`, `trace[1]: want "x", got "b"`},
	{`{"trace": []}`, "trace: want []"},
	{`{"trace": null}`, "trace: want nothing"},
	{`{"traceSet": ["b", "a", "a"]}`, ""},
	{`{"traceSet": ["a", "b"]}`, "traceSet: want"},
	{`{"traceSet": ["a", "b", "b"]}`, "traceSet[1]"},
	{`{"traceSet": "a"}`, "traceSet: the expectation is"},
	{`{"traceSet": [1]}`, "traceSet: the expectation is"},
	{`{"errors": {"count": 1, "contains": ["150", "./b.sh"]}}`, ""},
	{`{"errors": {"count": 0}}`, "errors.count: want 0, got 1"},
	{`{"errors": {"contains": ["nothing of the kind"]}}`, "errors.contains"},
	{`{"errors": {"contains": "150"}}`, "errors.contains: the expectation is"},
	{`{"errors": {"contains": [150]}}`, "errors.contains"},
	{`{"errors": {"cuont": 1}}`, "errors.cuont: this key is unknown"},
	{`{"errors": 1}`, "errors: the expectation is"},
	{`{"final": {"decision": "deny", "reason": "@NONEMPTY@", "stopReason": null}}`, ""},
	{`{"final": {}}`, ""},
	{`{"final": {"hookSpecificOutput": {}}}`, ""},
	{`{"final": {"hookSpecificOutput": null}}`, "final.hookSpecificOutput: want nothing, got {}"},
	{`{"final": {"systemMessage": {}}}`, "final.systemMessage: want {}, got nothing"},
	{`{"final": {"continue": true}}`, "final.continue: want true, got false"},
	{`{"final": {"reason": "x"}}`, `final.reason: want "x", got "no"`},
	{`{"final": {"raeson": null}}`, "final.raeson: this key is unknown"},
	{`{"final": null}`, "want no final output"},
	{`{"final": "deny"}`, "final: the expectation is"},
	{`{"methods": {"isBlocking": true, "blockingError": {"blocked": true, "reason": "no"}, "clearContext": null}}`, ""},
	{`{"methods": {"isBlocking": false}}`, "methods.isBlocking"},
	{`{"methods": {"blockingError": {"blocked": true}}}`, "methods.blockingError.reason: want nothing"},
	{`{"methods": {"effectiveReason": "no"}}`, "methods.effectiveReason"},
	{`{"methods": {"isBlockign": null}}`, "methods.isBlockign: this key is unknown"},
	{`{"methods": []}`, "methods: the expectation is"},
	{`{"processed": {"shouldStop": false}}`, ""},
	{`{"processed": {"shouldStop": true}}`, "processed.shouldStop"},
	{`{"processed": {"decision": null}}`, "processed.decision: this key is unknown"},
	{`{"allOutputs": [{"decision": "deny"}, {"n": 1}]}`, ""},
	{`{"allOutputs": [{"decision": "deny"}]}`, "allOutputs: want"},
	{`{"allOutputs": [{}, {"n": 1}]}`, "allOutputs[0].decision: want nothing"},
	{`{"perHook": [{"command": "./a.sh", "exitCode": 2, "success": false, "stdout": "out\n", "stderr": "err\n", "output": {"decision": "deny"}, "error": null},
		{"exitCode": null, "output": null, "error": "timed out after 150ms", "errorContains": "150"}]}`, ""},
	{`{"perHook": [{}, {}]}`, ""},
	{`{"perHook": [{}]}`, "perHook: want"},
	{`{"perHook": {}}`, "perHook: want"},
	{`{"perHook": [{}, {}, {}]}`, "perHook: want"},
	{`{"perHook": [{}, 1]}`, "perHook[1]: the expectation is"},
	{`{"perHook": [{"exitCode": 0}, {}]}`, "perHook[0].exitCode: want 0, got 2"},
	{`{"perHook": [{"success": true}, {}]}`, "perHook[0].success"},
	{`{"perHook": [{"stderr": "err"}, {}]}`, "perHook[0].stderr"},
	{`{"perHook": [{"output": {}}, {}]}`, "perHook[0].output.decision"},
	{`{"perHook": [{"errorContains": ""}, {}]}`, "perHook[0].errorContains"},
	{`{"perHook": [{}, {"errorContains": "160"}]}`, "perHook[1].errorContains"},
	{`{"perHook": [{}, {"exit": null}]}`, "perHook[1].exit: this key is unknown"},
	{`{"files": {"in.json": {"json": {"a": 1, "b": null}, "endsWithNewline": true}, "none": null}}`, ""},
	{`{"files": {"two.txt": {"text": "x\n\ny", "lines": ["x", "y"], "endsWithNewline": false}, "in.json": {}}}`, ""},
	{`{"files": {"in.json": null}}`, "files.in.json: want no such file"},
	{`{"files": {"none": {}}}`, "files.none: want {}"},
	{`{"files": {"none": {"lines": []}}}`, "files.none: want"},
	{`{"files": {"in.json": {"json": {"a": 2}}}}`, "files.in.json.json.a: want 2, got 1"},
	{`{"files": {"two.txt": {"json": "@ANY@"}}}`, "files.two.txt.json: want one JSON document"},
	{`{"files": {"trailing.json": {"json": {}}}}`, "files.trailing.json.json: want one JSON document"},
	{`{"files": {"twice.json": {"json": {"a": 1}}}}`, "files.twice.json.json: want one JSON document"},
	{`{"files": {"two.txt": {"text": "x\ny"}}}`, "files.two.txt.text"},
	{`{"files": {"two.txt": {"lines": ["x"]}}}`, "files.two.txt.lines"},
	{`{"files": {"two.txt": {"endsWithNewline": true}}}`, "files.two.txt.endsWithNewline"},
	{`{"files": {"two.txt": {"txt": null}}}`, "files.two.txt.txt: this key is unknown"},
	{`{"files": {"two.txt": "x"}}`, "files.two.txt: the expectation is"},
	{`{"files": ["two.txt"]}`, "files: the expectation is"},
	{`{"deadPids": ["dead.pid"]}`, ""},
	{`{"deadPids": ["live.pid"]}`, "deadPids.live.pid: want process"},
	{`{"deadPids": ["none"]}`, "deadPids.none: want a file"},
	{`{"deadPids": ["two.txt"]}`, "deadPids.two.txt: want a file"},
	{`{"deadPids": ["zero.pid"]}`, "deadPids.zero.pid: want a file"},
	{`{"deadPids": "dead.pid"}`, "deadPids: the expectation is"},
	{`{"minMs": 50, "maxMs": 50}`, ""},
	{`{"minMs": 51}`, "minMs: want at least 51 ms, got 50.0 ms"},
	{`{"maxMs": 49}`, "maxMs: want at most 49 ms, got 50.0 ms"},
	{`{"minMs": "0"}`, "minMs: the expectation is"},
	{`{"maxMs": null}`, "maxMs: the expectation is"},
	{`{"registered": 2}`, ""},
	{`{"registered": 1}`, "registered: want 1, got 2"},
	{`{"bus": {"@SUBSET@": true, "correlationId": "c", "output": {"errors": [], "finalOutput": null}}}`, ""},
	{`{"bus": {"correlationId": "c", "success": true}}`, "bus.output: want nothing"},
	{`{"bus": {"@SUBSET@": true, "error": "@ANY@"}}`, "bus.error: want"},
	{`{"bus": {"@SUBSET@": true, "correlationID": null}}`, "bus.correlationID: this key is unknown"},
	{`{"bus": null}`, "bus: want nothing"},
	{`{"result": [1, 2]}`, ""},
	{`{"result": [1]}`, "result: want [1], got [1,2]"},
	{`{"resutl": null}`, "expect.resutl: this key is unknown"},
}

func TestJudge(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}`).Prepare(t)
	writeTree(t, p.Project, map[string]string{
		"trace.log": "a\n\nb\na\n", "in.json": "{\"a\": 1.0}\n", "two.txt": "x\n\ny",
		"trailing.json": "{} {}", "twice.json": `{"a": 2, "a": 1}`, "zero.pid": "0",
		"live.pid": strconv.Itoa(os.Getpid()), "dead.pid": deadPid(t) + "\n",
	})
	for _, tt := range judgements {
		got := p.Judge(decode[map[string]any](t, tt.expect), seen())
		switch {
		case tt.differs == "" && len(got) != 0:
			t.Errorf("%s: got %q, want no difference", tt.expect, got)
		case tt.differs != "" && (len(got) != 1 || !strings.Contains(got[0], tt.differs)):
			t.Errorf("%s: got %q, want one with %q", tt.expect, got, tt.differs)
		}
	}
}

// deadPid returns the id of a process that has ended, and was waited for.
func deadPid(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

func TestEveryKeyHasAJudgementEitherWay(t *testing.T) {
	passes, differs := map[string]bool{}, map[string]bool{}
	for _, tt := range judgements {
		for key := range decode[map[string]any](t, tt.expect) {
			if tt.differs == "" {
				passes[key] = true
			} else {
				differs[key] = true
			}
		}
	}
	for key := range checks {
		if !passes[key] || !differs[key] {
			t.Errorf("%s: passes %v, differs %v; want both", key, passes[key], differs[key])
		}
	}
}

func TestAnEngineThatReportsNothingPassesNothing(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}`).Prepare(t)
	for _, expect := range []string{
		`{"success": true}`, `{"success": false}`, `{"hooksRun": 0}`, `{"order": []}`, `{"perHook": []}`, `{"errors": {"count": 0}}`,
		`{"final": {}}`, `{"methods": {}}`, `{"methods": {"isBlocking": false}}`, `{"methods": {"additionalContext": null}}`,
		`{"processed": {"stopReason": null}}`, `{"allOutputs": []}`, `{"registered": 0}`, `{"bus": {"@SUBSET@": true}}`,
		`{"minMs": 0}`, `{"maxMs": 1000}`, `{"result": {}}`,
	} {
		if got := p.Judge(decode[map[string]any](t, expect), Observation{}); len(got) == 0 {
			t.Errorf("%s passes", expect)
		}
	}
	for _, expect := range []string{`{"final": null}`, `{"trace": [], "traceSet": []}`, `{"bus": null}`} {
		if got := p.Judge(decode[map[string]any](t, expect), Observation{}); len(got) != 0 {
			t.Errorf("%s: got %q, want no difference", expect, got)
		}
	}
}

func TestNilIsNothingWhateverItsType(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}`).Prepare(t)
	for _, nothing := range []any{nil, map[string]any(nil), (*HookRun)(nil), jsontext.Value(nil), jsontext.Value("null")} {
		if got := p.Judge(map[string]any{"final": nil}, Observation{Final: nothing}); len(got) != 0 {
			t.Errorf("%#v: got %q, want no difference", nothing, got)
		}
	}
	got := p.Judge(map[string]any{"final": nil}, Observation{Final: struct{}{}})
	if len(got) != 1 || got[0] != "final: want no final output, got {}" {
		t.Errorf("got %q, want an empty output not to be none", got)
	}
}

func TestAnObservationThatIsNoJSONFails(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}`).Prepare(t)
	for name, got := range map[string]Observation{
		"broken UTF-8": {Success: new(true), Errors: []string{"\xff"}},
		"broken JSON":  {Success: new(true), Final: jsontext.Value(`{"a": `)},
		"a function":   {Success: new(true), Final: func() {}},
	} {
		wrong := p.Judge(map[string]any{"success": true}, got)
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0], "the observation is not JSON") {
			t.Errorf("%s: got %q", name, wrong)
		}
	}
}

func TestAProcessMayTakeAMomentToDieOrStayAZombie(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}, "files": {"(a) Z": ""}`).Prepare(t)
	cmd := exec.CommandContext(t.Context(), "sleep", "0.2")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writeTree(t, p.Project, map[string]string{"pid": strconv.Itoa(cmd.Process.Pid)})
	start := time.Now()
	wrong := p.Judge(map[string]any{"deadPids": []any{"pid"}}, Observation{}) // without a Wait the process is a zombie
	if took := time.Since(start); len(wrong) != 0 || took > time.Second {
		t.Errorf("got %q after %v, want no difference within a second", wrong, took)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAProcessWithAnEvilNameIsSeenAlive(t *testing.T) {
	p := mustParse(t, `"event": "e", "expect": {"success": true}, "scripts": {"a) Z (b": "#!/bin/bash\nread -r _\n"}`).Prepare(t)
	cmd := exec.CommandContext(t.Context(), p.path("a) Z (b"))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if isDead(cmd.Process.Pid) {
		t.Error("a living process counts as dead")
	}
	_ = stdin.Close()
	_ = cmd.Wait() // the program fails because it has no input
	if !isDead(cmd.Process.Pid) {
		t.Error("a process that was waited for counts as living")
	}
}
