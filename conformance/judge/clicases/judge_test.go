package clicases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSameIsWhatTheFormatSays(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		same      bool
	}{
		{`null`, `null`, true}, {`null`, `0`, false}, {`1`, `1.0`, true}, {`1`, `true`, false}, {`true`, `1`, false}, {`false`, `0`, false},
		{`{}`, `{"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":2}`, true}, {`{"a":1}`, `{}`, false}, {`{"a":null}`, `{}`, true},
		{`{"a":null}`, `{"a":1}`, false}, {`{}`, `[]`, false}, {`[1,2]`, `[2,1]`, true}, {`[1,1]`, `[1,2]`, false}, {`[1]`, `[1,1]`, false},
		{`["a"]`, `"a"`, false}, {`"a"`, `"a"`, true}, {`"a"`, `"b"`, false}, {`[{"a":1}]`, `[{"b":1,"a":1}]`, true},
	} {
		if got := same(decoded([]byte(tt.want)), decoded([]byte(tt.got))); got != tt.same {
			t.Errorf("want %s, got %s: same %v", tt.want, tt.got, got)
		}
	}
}

func TestALabelIsTheScriptElseTheNameOfAHook(t *testing.T) {
	for text, want := range map[string]string{
		`{"command": "./h/a.sh", "name": "n"}`:        "a",
		`{"command": "python3 x/y-z.py --flag b.sh"}`: "y-z",
		`{"command": "true", "name": "n"}`:            "n",
		`{"command": "true", "name": null}`:           "true",
		`{"command": null, "id": "project/Stop/0/0"}`: "project/Stop/0/0",
		`{}`: "?",
	} {
		var h map[string]any
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			t.Fatal(err)
		}
		if got := label(h); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestAMisspeltMemberOfACaseIsAnError(t *testing.T) {
	const good = `{"name": "n", "basis": ["docs"], "event": "codex.Stop", "input": {}, "expect": {"exit": 0}}`
	if _, err := parse([]byte(good)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		strings.Replace(good, "event", "evnt", 1), strings.Replace(good, "exit", "exits", 1),
		strings.Replace(good, `"exit": 0`, "", 1), strings.Replace(good, `["docs"]`, "[]", 1),
	} {
		if _, err := parse([]byte(bad)); err == nil {
			t.Errorf("%s is taken for a case", bad)
		}
	}
}

// fake returns a program that gives the same answer for every verb.
func fake(t *testing.T, answer string) string {
	program := filepath.Join(t.TempDir(), "engine")
	script := "#!/bin/sh\ncat > /dev/null\ncat <<'END'\n" + answer + "\nEND\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

func TestEveryExpectationCanFail(t *testing.T) {
	program := fake(t, `{"blocked": true, "stop": true, "reason": "r", "effects": {"decision": "deny", "model_sees": ["m"], "user_sees": ["u"]},
		"hooks": [{"command": "./a.sh", "outcome": "success"}], "skipped": [{"command": "./b.sh", "why": "matcher"}]}`)
	for name, want := range map[string]string{
		"exit": "2", "blocked": "false", "stop": "false", "reason": `"x"`, "ran": `["x"]`, "ran_in_order": `["x"]`,
		"outcomes": `{"a": "blocking"}`, "effects": `{"decision": "allow"}`, "model_sees": `[]`, "user_sees": `["x"]`,
		"model_not_sees": `["m"]`, "user_not_sees": `["u"]`, "stdin": `{}`, "hook_env": `{"X": "1"}`, "notes": `["x"]`,
		"skipped": `{"b": "disabled"}`, "check": `["nothing of the kind"]`, "check_exit": "1", "faster_than_ms": "0",
	} {
		Timed = true
		c, err := parse([]byte(`{"name": "n", "basis": ["docs"], "event": "codex.Stop", "input": {}, "expect": {"` + name + `": ` + want + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := prepare(t, &c).Judge(program); len(got) != 1 {
			t.Errorf("%s: %s: differences %q; want one", name, want, got)
		}
	}
	if len(checks) != len(expectations) {
		t.Errorf("%d checks for %d expectations", len(checks), len(expectations))
	}
}
