package claudecases

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// observed returns an observation that was written by hand.
func observed() Observation {
	return Observation{
		Blocked: new(true), Continue: new(true), Spilled: new(false), Errors: new(1),
		PermissionDecision: "deny", PermissionBehavior: Null, Decision: (*string)(nil), Reason: new("no\n"), StopReason: "",
		UpdatedInput:       jsontext.Value(`{"n": 12345678901234567890, "a": 1.0}`),
		UpdatedPermissions: []any{map[string]any{"type": "setMode"}}, Interrupt: true,
		PromptErased: true, SuppressOriginalPrompt: false, SessionTitle: "T", InitialUserMessage: "begin",
		WatchPaths: []string{"/a", "/b"}, ReloadSkills: true, UpdatedToolOutput: "new", DisplayContent: "hi", WorktreePath: "/wt",
		Retry: Null, Elicitation: map[string]any{"action": "decline"}, TerminalSequence: "\x1b]0;t\a",
		AdditionalContext: []string{"one\n", "two"}, SystemMessages: []string{},
		ModelSees: []string{"one", "the reason"}, UserSees: []string{"a note"},
		Hooks: []HookRun{{Command: "/p/a.sh", Outcome: "blocking"}, {Command: "/p/b.sh", Outcome: "success"}, {Command: "./b.sh", Outcome: "cancelled"},
			{Command: "/p/c", Outcome: "success"}, {Command: "/q/c.sh", Outcome: "success"}},
		EnvExports: map[string]string{"A": "x y", "B": ""},
		Elapsed:    50 * time.Millisecond,
	}
}

// judgements lists, for every observable, an expectation that passes and one that fails.
var judgements = []struct{ expect, differs string }{ // differs is empty if expect passes
	{`{"blocked": true, "continue": true, "spilled": false, "errors": 1}`, ""},
	{`{"blocked": false}`, "blocked: want false, got true"},
	{`{"continue": false}`, "continue: want false"},
	{`{"spilled": true}`, "spilled: want true"},
	{`{"errors": 0}`, "errors: want 0, got 1"},
	{`{"permissionDecision": "deny"}`, ""},
	{`{"permissionDecision": null}`, `permissionDecision: want null, got "deny"`},
	{`{"permissionBehavior": null}`, ""},
	{`{"permissionBehavior": "allow"}`, `permissionBehavior: want "allow", got null`},
	{`{"decision": null}`, ""},
	{`{"decision": "block"}`, "decision: want"},
	{`{"reason": "no"}`, ""},
	{`{"reason": "no\n\n"}`, ""},
	{`{"reason": "no "}`, "reason: want"},
	{`{"reason": null}`, "reason: want null"},
	{`{"stopReason": ""}`, ""},
	{`{"stopReason": null}`, `stopReason: want null, got ""`},
	{`{"updatedInput": {"a": 1, "n": 12345678901234567890}}`, ""},
	{`{"updatedInput": {"a": 1, "n": 12345678901234567891}}`, "updatedInput: want"},
	{`{"updatedInput": {"a": 1}}`, "updatedInput: want"},
	{`{"updatedPermissions": [{"type": "setMode"}]}`, ""},
	{`{"updatedPermissions": []}`, "updatedPermissions: want"},
	{`{"interrupt": true}`, ""},
	{`{"interrupt": null}`, "interrupt: want"},
	{`{"promptErased": true, "suppressOriginalPrompt": false}`, ""},
	{`{"promptErased": false}`, "promptErased: want"},
	{`{"suppressOriginalPrompt": true}`, "suppressOriginalPrompt: want"},
	{`{"sessionTitle": "T", "initialUserMessage": "begin", "reloadSkills": true, "displayContent": "hi", "worktreePath": "/wt"}`, ""},
	{`{"sessionTitle": null}`, "sessionTitle: want"},
	{`{"initialUserMessage": "end"}`, "initialUserMessage: want"},
	{`{"reloadSkills": null}`, "reloadSkills: want"},
	{`{"displayContent": null}`, "displayContent: want"},
	{`{"worktreePath": "/w"}`, "worktreePath: want"},
	{`{"watchPaths": ["/a", "/b"]}`, ""},
	{`{"watchPaths": ["/b", "/a"]}`, "watchPaths: want"},
	{`{"updatedToolOutput": "new"}`, ""},
	{`{"updatedToolOutput": {}}`, "updatedToolOutput: want"},
	{`{"retry": null}`, ""},
	{`{"retry": true}`, "retry: want true, got null"},
	{`{"elicitation": {"action": "decline"}}`, ""},
	{`{"elicitation": {"action": "decline", "content": null}}`, "elicitation: want"},
	{`{"terminalSequence": "\u001b]0;t\u0007"}`, ""},
	{`{"terminalSequence": null}`, "terminalSequence: want"},
	{`{"additionalContext": ["two", "one"], "systemMessages": []}`, ""},
	{`{"additionalContext": ["two", "one", "one"]}`, "additionalContext: want"},
	{`{"additionalContext": []}`, "additionalContext: want"},
	{`{"systemMessages": [""]}`, "systemMessages: want"},
	{`{"additionalContext_max_len": 4}`, ""},
	{`{"additionalContext_max_len": 3}`, "want at most 3 characters, got a text of 4"},
	{`{"model_sees": ["reason", "on"], "user_sees": ["note"]}`, ""},
	{`{"model_sees": ["reason", "three"]}`, `model_sees: want a text with "three"`},
	{`{"model_sees": []}`, "model_sees: want []"},
	{`{"user_sees": ["one"]}`, `user_sees: want a text with "one"`},
	{`{"model_not_sees": ["three"], "user_not_sees": ["one"]}`, ""},
	{`{"model_not_sees": ["three", "one"]}`, `model_not_sees: want no text with "one"`},
	{`{"user_not_sees": ["note"]}`, `user_not_sees: want no text with "note"`},
	{`{"ran": ["b", "a", "a"]}`, ""},
	{`{"ran": ["a", "b"]}`, "ran: want"},
	{`{"ran": ["a", "b", "a", "before"]}`, "ran: want"},
	{`{"outcomes": {"a": "blocking", "c": "success"}}`, ""},
	{`{"outcomes": {"a": "success"}}`, `outcomes.a: want "success", got ["blocking"]`},
	{`{"outcomes": {"b": "success"}}`, "outcomes.b: want"},
	{`{"outcomes": {"d": "success"}}`, "outcomes.d: want"},
	{`{"duration_lt_ms": 51}`, ""},
	{`{"duration_lt_ms": 50}`, "duration_lt_ms: want less than 50 ms, got 50.0 ms"},
	{`{"env_exports": {"A": "x y", "B": ""}}`, ""},
	{`{"env_exports": {"A": "x"}}`, `env_exports.A: want "x", got "x y"`},
	{`{"env_exports": {"C": ""}}`, `env_exports.C: want "", got nothing`},
	{`{"file_text": {"two.txt": "x\ny", "{{DIR}}/two.txt": "\nx\ny\n"}}`, ""},
	{`{"file_text": {"two.txt": "x"}}`, "file_text.two.txt: want"},
	{`{"file_text": {"none": ""}}`, "file_text.none: want a file"},
	{`{"json_file": {"in.json": {"a": {"b": [{"n": 1.0}, 2]}}}}`, ""},
	{`{"json_file": {"in.json": {"a": {"b": [{"n": 2}, 2]}}}}`, "json_file.in.json.a.b[0].n: want 2, got 1"},
	{`{"json_file": {"in.json": {"a": {"b": [{}]}}}}`, "json_file.in.json.a.b: want"},
	{`{"json_file": {"in.json": {"z": null}}}`, "json_file.in.json.z: want null, got nothing"},
	{`{"json_file": {"two.txt": {}}}`, "json_file.two.txt: want"},
	{`{"json_file": {"none": {}}}`, "json_file.none: want a file"},
	{`{"files_exist": ["two.txt", "{{DIR}}/in.json"]}`, ""},
	{`{"files_exist": ["none"]}`, "files_exist: want none"},
	{`{"http_requests": [{"method": "POST", "path": "/hook", "header": {"x-a": "1"}, "json_subset": {"a": {"b": [1]}}}, {}]}`, ""},
	{`{"http_requests": []}`, "http_requests: want 0, got 2"},
	{`{"http_requests": [{"path": "/other"}, {}]}`, `http_requests[0].path: want "/other", got "/hook"`},
	{`{"http_requests": [{}, {"method": "POST"}]}`, "http_requests[1].method: want"},
	{`{"http_requests": [{"header": {"x-a": "2"}}, {}]}`, `header.x-a: want "2", got "1"`},
	{`{"http_requests": [{"header": {"x-b": ""}}, {}]}`, "header.x-b: want \"\", got no such header"},
	{`{"http_requests": [{"json_subset": {"a": {"b": []}}}, {}]}`, "http_requests[0].json_subset.a.b: want"},
	{`{"http_requests": [{}, {"json_subset": {}}]}`, "http_requests[1].json_subset: want"},
	{`{"llm_requests": [{"kind": "prompt", "model": null, "prompt_contains": ["Judge", "ls"], "prompt_not_contains": ["$ARGUMENTS"]}, {"model": "m"}]}`, ""},
	{`{"llm_requests": [{}]}`, "llm_requests: want 1, got 2"},
	{`{"llm_requests": [{"kind": "agent"}, {"model": "m"}]}`, `llm_requests[0].kind: want "agent", got "prompt"`},
	{`{"llm_requests": [{}, {}]}`, `llm_requests[1].model: want "", got "m"`},
	{`{"llm_requests": [{"prompt_contains": ["judge"]}, {"model": "m"}]}`, "llm_requests[0].prompt_contains"},
	{`{"llm_requests": [{"prompt_not_contains": ["ls"]}, {"model": "m"}]}`, "llm_requests[0].prompt_not_contains"},
	{`{"user_prompts": [{"message": "Really?", "keys": ["yes", "no"]}]}`, ""},
	{`{"user_prompts": [{"message": "Really?", "keys": ["no", "yes"]}]}`, "user_prompts: want"},
	{`{"user_prompts": []}`, "user_prompts: want []"},
	{`{"async": {"ran": ["nothing of the kind"]}}`, ""}, // not yet
}

// visited returns a case in which everything observable has happened.
func visited(t *testing.T) *Prepared {
	t.Helper()
	p := mustParse(t, `"http": {"/hook": {"status": 200}}, "llm": [{"reply": "a"}, {"reply": "b"}], "user_selects": ["no"]`).Prepare(t, "")
	writeTree(t, p.Dir, map[string]string{"hook.log": "before\n", "two.txt": "x\ny\n", "in.json": `{"a": {"b": [{"n": 1, "m": 0}, 2], "c": 1}}`})
	if err := p.mark(); err != nil {
		t.Fatal(err)
	}
	writeTree(t, p.Dir, map[string]string{"hook.log": "before\na\nb\n\na\n"})
	for _, r := range []receivedRequest{{Method: "POST", Body: `{"a": {"b": [1], "c": 2}}`}, {Method: "GET"}} {
		if _, _, _, err := ask(t.Context(), r.Method, p.server.web.URL+"/hook", r.Body); err != nil {
			t.Fatal(err)
		}
	}
	p.Model.Generate(t.Context(), "prompt", "", "Judge: ls")
	p.Model.Generate(t.Context(), "agent", "m", "Judge")
	p.User.Select("Really?", []string{"yes", "no"})
	return p
}

func TestJudge(t *testing.T) {
	p := visited(t)
	for _, tt := range judgements {
		got := p.Judge(mustExpect(t, strings.ReplaceAll(tt.expect, "{{DIR}}", p.Dir)), observed())
		checkJudgement(t, tt.expect, tt.differs, got)
	}
}

func checkJudgement(t *testing.T, expect, differs string, got []string) {
	t.Helper()
	switch {
	case differs == "" && len(got) != 0:
		t.Errorf("%s: got %q, want no difference", expect, got)
	case differs != "" && (len(got) != 1 || !strings.Contains(got[0], differs)):
		t.Errorf("%s: got %q, want one with %q", expect, got, differs)
	}
}

var backgroundJudgements = []struct{ expect, differs string }{
	{`{"ran": ["before", "a", "a", "b"]}`, ""},
	{`{"ran": ["a", "a", "b"]}`, "ran: want"},
	{`{"next_turn_context": ["later", "done"]}`, ""},
	{`{"next_turn_context": ["done"]}`, "next_turn_context: want"},
	{`{"rewake": ["one", "two"]}`, ""},
	{`{"rewake": ["two", "one"]}`, "rewake: want"},
	{`{"rewake": []}`, "rewake: want"},
	{`{"file_text": {"two.txt": "x\ny"}}`, ""},
	{`{"file_text": {"two.txt": "y"}}`, "file_text.two.txt: want"},
	{`{"user_not_sees": ["done"]}`, ""},
	{`{"user_not_sees": ["progress"]}`, "user_not_sees: want no text"},
	{`{"user_not_sees": ["at once"]}`, "user_not_sees: want no text"},
}

func TestJudgeBackground(t *testing.T) {
	p := visited(t)
	got := Observation{UserSees: []string{"at once"}}
	later := Background{NextTurnContext: []string{"done\n", "later"}, Rewake: []string{"one\n", "two"}, UserSees: []string{"progress"}}
	for _, tt := range backgroundJudgements {
		expect, err := readExpect(jsontext.Value(tt.expect), backgroundObservables)
		if err != nil {
			t.Fatal(err)
		}
		checkJudgement(t, tt.expect, tt.differs, p.JudgeBackground(expect, got, later))
		silent := p.JudgeBackground(expect, got, Background{})
		if alone := expect["ran"] != nil || expect["file_text"] != nil; !alone && len(silent) == 0 {
			t.Errorf("%s passes when nothing is reported", tt.expect)
		}
	}
}
