package claudecases

import "testing"

const fired = `{
	"event": "claude.PreToolUse", "blocked": true, "stop": false, "reason": "no",
	"result": {"success": false}, "processed": {"shouldStop": false},
	"effects": {"permissionDecision": "deny", "updatedInput": {"n": 12345678901234567890}, "watchPaths": ["/a"], "additionalContext": ["c"],
		"systemMessages": [], "model_sees": ["no"], "user_sees": [], "continue": true, "stopReason": null, "elicitation": null, "env_exports": {"A": "1"}, "more": 1},
	"hooks": [{"id": "1", "command": "/p/a.sh", "name": null, "outcome": "blocking", "error": null},
		{"command": null, "outcome": "non_blocking_error", "error": "refused"}]}`

func TestObserveCLI(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	got, err := ObserveCLI([]byte(fired))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ expect, differs string }{
		{`{"blocked": true, "permissionDecision": "deny", "reason": "no", "updatedInput": {"n": 12345678901234567890}, "watchPaths": ["/a"]}`, ""},
		{`{"additionalContext": ["c"], "systemMessages": [], "model_sees": ["no"], "user_not_sees": ["no"], "continue": true, "errors": 1}`, ""},
		{`{"stopReason": null, "elicitation": null, "retry": null, "sessionTitle": null, "outcomes": {"a": "blocking"}, "env_exports": {"A": "1"}}`, ""},
		{`{"updatedInput": {"n": 12345678901234567891}}`, "updatedInput"},
		{`{"sessionTitle": "T"}`, "sessionTitle: want \"T\", got null"},
		{`{"spilled": false}`, "did not report spilled"},
	} {
		checkJudgement(t, tt.expect, tt.differs, p.Judge(mustExpect(t, tt.expect), got))
	}
}

func TestEffectsCountBeforeWhatIsCounted(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	got, err := ObserveCLI([]byte(`{"blocked": false, "reason": null, "effects": {"errors": 0, "reason": "fine"},
		"hooks": [{"command": "a", "outcome": "non_blocking_error", "error": "silent"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	checkJudgement(t, "effects", "", p.Judge(mustExpect(t, `{"errors": 0, "reason": "fine", "blocked": false}`), got))
}

func TestWithoutEffectsNothingIsNull(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	got, err := ObserveCLI([]byte(`{"blocked": false, "reason": null, "effects": {}, "hooks": []}`))
	if err != nil {
		t.Fatal(err)
	}
	checkJudgement(t, "null", "did not report permissionDecision", p.Judge(mustExpect(t, `{"permissionDecision": null}`), got))
	checkJudgement(t, "the rest", "", p.Judge(mustExpect(t, `{"reason": null, "errors": 0, "blocked": false}`), got))
}

func TestObserveCLIWantsTheWholeForm(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `{}`, `{"blocked": true, "effects": {}}`, `{"blocked": true, "hooks": []}`, `{"effects": {}, "hooks": []}`,
		`{"blocked": true, "effects": [], "hooks": []}`, `{"blocked": true, "effects": null, "hooks": []}`,
		`{"blocked": true, "effects": {"errors": "1"}, "hooks": []}`, `{"blocked": true, "effects": {}, "hooks": []} {}`,
	} {
		if got, err := ObserveCLI([]byte(text)); err == nil {
			t.Errorf("%s: got %+v, want an error", text, got)
		}
	}
}
