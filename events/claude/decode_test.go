package claude

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// wrong lists answers in which a known member has a wrong type or an unknown word, or is missing.
var wrong = []string{
	`{"continue":1}`, `{"suppressOutput":"x"}`, `{"stopReason":1}`, `{"systemMessage":[]}`, `{"reason":{}}`, `{"terminalSequence":5}`,
	`{"decision":"deny"}`, `{"decision":true}`, `{"hookSpecificOutput":"x"}`, `{"hookSpecificOutput":{}}`,
	`{"hookSpecificOutput":{"hookEventName":null}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":1}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"x"}}`,
	`{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":1}}`,
}

func TestAMemberOfTheWrongTypeIsAnAnswerError(t *testing.T) {
	d := decoder[PreToolUseOutput]("PreToolUse")
	for _, text := range wrong {
		out, _, err := d([]byte(text))
		answer := new(AnswerError)
		if !errors.As(err, &answer) || answer.Member == "" || answer.Want == "" || out.Set != 0 {
			t.Errorf("%s: error %v, given %v; want an AnswerError, and nothing of the answer", text, err, out.Set)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range wrong {
		f.Add([]byte(text))
	}
	f.Add([]byte(" \n" + `{"continue":false,"decision":"block","hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{},"x":1}}`))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _, err := decoder[PreToolUseOutput]("PreToolUse")(text)
		answer := new(AnswerError)
		trimmed := wire.Trim(text)
		object := len(trimmed) > 0 && trimmed[0] == '{' && jsontext.Value(trimmed).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		switch {
		case len(trimmed) == 0 && err != nil:
			t.Errorf("silence: %v", err)
		case len(trimmed) > 0 && !object && !errors.Is(err, wire.ErrText):
			t.Errorf("%q is plain text, and the error is %v", text, err)
		case object && err != nil && !errors.As(err, &answer):
			t.Errorf("%q is an answer, and the error is %v", text, err)
		}
	})
}

func FuzzPlaceholders(f *testing.F) {
	f.Add("${CLAUDE_PLUGIN_ROOT}/x ${user_config.a}", "${CLAUDE_PLUGIN_ROOT}")
	f.Add("$${A}${user_config.${A}}", "}${A}")
	f.Fuzz(func(t *testing.T, text, value string) {
		const mark = "\x00"
		put := func(name, option string) (string, bool) { return mark, name == pluginRoot || option != "" }
		want := strings.ReplaceAll(replace(text, put), mark, value)
		got := replace(text, func(name, option string) (string, bool) { return value, name == pluginRoot || option != "" })
		if !strings.Contains(text, mark) && got != want {
			t.Errorf("got %q, want %q: what was put in was looked at again", got, want)
		}
	})
}
