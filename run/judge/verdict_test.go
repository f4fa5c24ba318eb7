package judge

import (
	"strings"
	"testing"
)

func TestPromptsHoldThePayload(t *testing.T) {
	for _, tt := range []struct{ name, prompt, payload, want string }{
		{"in its place", "Judge this: $ARGUMENTS!", `{"a":1}`, `Judge this: {"a":1}!`},
		{"twice", "$ARGUMENTS$ARGUMENTS", `{}`, `{}{}`},
		{"behind the prompt if there is no place", "No placeholder", `{}`, "No placeholder\n\n{}"},
		{"behind an empty prompt", "", `{}`, "\n\n{}"},
		{"an escaped place is none", `Say \$ARGUMENTS`, `{}`, "Say $ARGUMENTS\n\n{}"},
		{"an escaped place and one", `\$ARGUMENTS = $ARGUMENTS`, `{}`, `$ARGUMENTS = {}`},
		{"an escaped dollar", `costs 5\$`, `{}`, "costs 5$\n\n{}"},
		{"other backslashes stay", `\a \\ \\$`, `{}`, `\a \\ \$` + "\n\n{}"},
		{"other dollars stay", "$PATH ${ARGUMENTS} $arguments $", `{}`, "$PATH ${ARGUMENTS} $arguments $\n\n{}"},
		{"an escape within the word is none of it", `$ARG\$UMENTS`, `{}`, "$ARG$UMENTS\n\n{}"},
		{"placeholders of the payload stay", "$ARGUMENTS", `{"a":"$ARGUMENTS \$ \\$"}`, `{"a":"$ARGUMENTS \$ \\$"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := fillPrompt(tt.prompt, []byte(tt.payload)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVerdicts(t *testing.T) {
	no := Verdict{Reason: "no"}
	for _, tt := range []struct {
		name, reply string
		want        Verdict
		isError     bool
	}{
		{"ok", `{"ok":true}`, Verdict{OK: true}, false},
		{"ok with a reason", `{"ok":true,"reason":"fine"}`, Verdict{OK: true, Reason: "fine"}, false},
		{"ok and impossible is ok", `{"ok":true,"impossible":true}`, Verdict{OK: true}, false},
		{"ok with null", `{"ok":true,"reason":null,"impossible":null}`, Verdict{OK: true}, false},
		{"not ok", `{"ok":false,"reason":"no"}`, no, false},
		{"impossible", `{"ok":false,"reason":"no","impossible":true}`, Verdict{Reason: "no", Impossible: true}, false},
		{"members nobody knows", `{"thought":"…","ok":false,"reason":"no"}`, no, false},
		{"white space around", " \r\n\t{\"ok\":false,\"reason\":\"no\"}\n\n", no, false},
		{"a fence", "```\n{\"ok\":false,\"reason\":\"no\"}\n```", no, false},
		{"a fence with json", "\n```json\n{\"ok\":false,\"reason\":\"no\"}\n```\n", no, false},
		{"a fence with JSON in one line", "```JSON {\"ok\":false,\"reason\":\"no\"}```", no, false},
		{"two fences", "``````{\"ok\":true}``````", Verdict{}, true},
		{"an open fence", "```json\n{\"ok\":true}", Verdict{}, true},
		{"a fence of another language", "```go\n{\"ok\":true}\n```", Verdict{}, true},
		{"text before", "Yes: {\"ok\":true}", Verdict{}, true},
		{"text behind", "{\"ok\":true} I think", Verdict{}, true},
		{"two objects", `{"ok":true}{"ok":false,"reason":"no"}`, Verdict{}, true},
		{"two verdicts", `{"ok":true,"ok":false,"reason":"no"}`, Verdict{}, true},
		{"nothing", "", Verdict{}, true},
		{"nothing in a fence", "``````", Verdict{}, true},
		{"half a fence", "```", Verdict{}, true},
		{"half an object", `{"ok":true`, Verdict{}, true},
		{"no ok", `{"reason":"no"}`, Verdict{}, true},
		{"ok is null", `{"ok":null}`, Verdict{}, true},
		{"ok is a string", `{"ok":"true"}`, Verdict{}, true},
		{"ok is in upper case", `{"OK":true}`, Verdict{}, true},
		{"a reason that is no string", `{"ok":true,"reason":1}`, Verdict{}, true},
		{"impossible that is no boolean", `{"ok":true,"impossible":"yes"}`, Verdict{}, true},
		{"a refusal without a reason", `{"ok":false}`, Verdict{Reason: noReason}, false},
		{"a refusal with an empty reason", `{"ok":false,"reason":""}`, Verdict{Reason: noReason}, false},
		{"a refusal with a blank reason", `{"ok":false,"reason":" \n"}`, Verdict{Reason: noReason}, false},
		{"a refusal whose reason is null", `{"ok":false,"reason":null,"impossible":null}`, Verdict{Reason: noReason}, false},
		{"a refusal whose reason is a number", `{"ok":false,"reason":5}`, Verdict{Reason: noReason}, false},
		{"a refusal whose reason is a list", `{"ok":false,"reason":["no"],"impossible":true}`, Verdict{Reason: noReason, Impossible: true}, false},
		{"a refusal with an impossible that is no boolean", `{"ok":false,"reason":"no","impossible":"yes"}`, no, false},
		{"impossible without a reason", `{"ok":false,"impossible":true}`, Verdict{Reason: noReason, Impossible: true}, false},
		{"ok beside a block", `{"ok":true,"block":true}`, Verdict{}, true},
		{"ok beside a decision that denies", `{"decision":"deny","ok":true}`, Verdict{}, true},
		{"ok beside a nested denial", `{"ok":true,"hookSpecificOutput":{"permissionDecision":"deny"}}`, Verdict{}, true},
		{"ok beside another spelling that is not", `{"ok":true,"OK":false}`, Verdict{}, true},
		{"ok beside a decision that allows", `{"ok":true,"decision":"allow","block":false}`, Verdict{OK: true}, false},
		{"not ok beside a decision that allows", `{"ok":false,"reason":"no","decision":"allow"}`, no, false},
		{"null", "null", Verdict{}, true},
		{"an array", `[{"ok":true}]`, Verdict{}, true},
		{"true", "true", Verdict{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readVerdict(tt.reply)
			if got != tt.want || (err != nil) != tt.isError {
				t.Errorf("got %+v, %v; want %+v, an error: %v", got, err, tt.want, tt.isError)
			}
		})
	}
}

func TestTheErrorQuotesTheBeginning(t *testing.T) {
	_, err := readVerdict("begin " + strings.Repeat("€", 1000) + " end")
	if text := err.Error(); !strings.Contains(text, `"begin €`) || strings.Contains(text, "end") || len(text) > 400 {
		t.Errorf("got %q, want the beginning alone", text)
	}
}

func FuzzPrompt(f *testing.F) {
	f.Add("Judge $ARGUMENTS", `{"a":"$ARGUMENTS"}`)
	f.Add(`\$ARGUMENTS \\$ARGUMENTS`, `{}`)
	f.Add(`$ARG\$UMENTS$`, "$")
	f.Fuzz(func(t *testing.T, prompt, payload string) {
		got := fillPrompt(prompt, []byte(payload))
		if !strings.Contains(got, payload) {
			t.Errorf("fillPrompt(%q, %q) = %q, without the payload", prompt, payload, got)
		}
		// fillPrompt inserts nothing but the payload: if it inserts a NUL character, and the payload then replaces the
		// NUL, the text is the same.
		if strings.Contains(prompt, "\x00") {
			return
		}
		if want := strings.ReplaceAll(fillPrompt(prompt, []byte{0}), "\x00", payload); got != want {
			t.Errorf("fillPrompt(%q, %q) = %q, want %q", prompt, payload, got, want)
		}
	})
}

func FuzzVerdict(f *testing.F) {
	for _, seed := range []string{
		`{"ok":true}`, "```json\n{\"ok\":false,\"reason\":\"no\"}\n```", `{"ok":false,"reason":"no","impossible":true,"x":[]}`,
		`{"ok":true,"ok":true}`, "``````", "```", "null", "\xff", `{"ok":false,"reason":"\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		v, err := readVerdict(reply)
		if err != nil {
			if v != (Verdict{}) || len(err.Error()) > 1200 {
				t.Errorf("%q gives %+v and an error of %d bytes", reply, v, len(err.Error()))
			}
			return
		}
		if !v.OK && strings.TrimSpace(v.Reason) == "" || v.OK && v.Impossible {
			t.Errorf("%q gives %+v", reply, v)
		}
		if strings.HasPrefix(strings.TrimSpace(reply), "```") {
			return
		}
		if fenced, err := readVerdict("```json\n" + reply + "\n```"); fenced != v || err != nil {
			t.Errorf("%q gives %+v, in a fence %+v, %v", reply, v, fenced, err)
		}
	})
}
