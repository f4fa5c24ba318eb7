package cursor

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// FuzzAnswer reads any output as an answer of each event, for a hook of Cursor and for an imported one.
// A gate never allows the action for an answer that denies, nor for an answer without an explicit
// allow.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"permission":"deny","user_message":"u"}`, `{"permission":"allow","env":{"A":1}}`, `{"decision":"block","reason":"r"}`,
		`{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}`, `{"hookSpecificOutput":null,"continue":false}`,
		`{"updated_input":{},"additional_context":"c","pluginPaths":["a"],"followup_message":"m"}`, "\ufeff{\"continue\":true}", `[`, ``,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for event, traits := range table {
			read := func(stdout []byte) (hook.Decision, bool) {
				out, _, err := decoder(event, traits)(stdout)
				return out.Decision, err == nil
			}
			own, _ := read(text)
			_, usable := read(traits.translate(text))
			if own == hook.Allow && wire.Object(wire.Trim(text)).Text("permission") != "allow" {
				t.Errorf("%s allows for %q", event, text)
			}
			if !traits.gate() {
				continue
			}
			answer := wire.Object(wire.Trim(text))
			if len(answer) == 0 || answer[0] != '{' || !wire.Object(answer).IsValid() {
				if usable && len(answer) > 0 {
					t.Errorf("%s takes %q, which is not an object", event, text)
				}
				continue
			}
			denies := answer.Text("decision") == "block" || answer.Text("decision") == "deny" || string(answer.Get("continue")) == "false"
			if decision, ok := read(traits.translate(text)); denies && ok && decision != hook.Deny {
				t.Errorf("%s: an imported hook denies with %q, and the decision is %q", event, text, decision)
			}
		}
	})
}

// An output that is not a valid answer of Claude Code is not changed (rule U33).
func TestOnlyAnswersOfClaudeCodeAreTranslated(t *testing.T) {
	gate := table["preToolUse"]
	for _, text := range []string{"log", `{"decision":"approve"} x`, `{"decision":"approve","continue":fal`, `{"hookSpecificOutput":5}`, `{"decision":"maybe"}`, `[{"decision":"deny"}]`,
		`{"continue":"false"}`, `{"continue":0,"stopReason":"no"}`, `{"hookSpecificOutput":{"permisionDecision":"deny"}}`,
		`{"hookSpecificOutput":{"hookEventNam":"PreToolUse","permissionDecision":"allow"}}`,
	} {
		if got := gate.translate([]byte(text)); string(got) != text {
			t.Errorf("%s became %s", text, got)
		}
	}
	if got := gate.translate([]byte(`{"suppressOutput":true}`)); string(got) != "{}" {
		t.Errorf("an answer without a word became %s", got)
	}
	if got := string(gate.translate([]byte(`{"decision":"deny","reason":"r"}`))); !strings.Contains(got, `"permission":"deny"`) {
		t.Errorf("a denial became %s", got)
	}
}
