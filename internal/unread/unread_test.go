package unread

import (
	"reflect"
	"strings"
	"testing"
)

func TestTextSaysWhereAnAnswerIsNone(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"all good":                          "",
		"ready\n{\"decision\":\"block\"}":   "text stands before the object, which begins at line 2, column 1",
		"ready {\"a\":\n":                   "text stands before the object, which begins at line 1, column 7 and breaks off (unexpected EOF) at line 2, column 1",
		"{}\n {\"decision\":\"block\"}":     "a second JSON document follows the first at line 2, column 2",
		"{} done":                           "text follows the JSON at line 1, column 4",
		"{\"decision\":\"blo":               "the JSON breaks off (unexpected EOF) at line 1, column 17",
		"{\"a\":\"line\nline\"}":            "the JSON breaks off (invalid character '\\n' in string (expecting non-control character)) at line 1, column 11",
		"[{\"decision\":\"block\"}]":        "it is an array; want an object",
		"\"block\"":                         "it is a string; want an object",
		"\xff\xfe{\x00}\x00":                "it is UTF-16 or binary; write UTF-8",
		"\n\n  {'decision': 'block'}\n":     "the JSON breaks off (invalid character '\\'' at start of string (expecting '\"')) at line 3, column 4",
		"it has { a brace } and no members": "",
	} {
		if got := Text([]byte(text)); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestDenialsAreFoundInAnyWords(t *testing.T) {
	for text, want := range map[string]bool{
		`{"decision":"block"}`: true, `{"Decision": "BLOCK"}`: true, `{'decision': 'block'}`: true, `{ decision: 'deny' }`: true,
		`{"permission_decision":"deny"}`: true, `{"permissionDecision":" denied"}`: true, `{"block":true}`: true, `{"deny": 1}`: true,
		`{"allow":false}`: true, `{"continue": false}`: true, `{"behavior":"deny"}`: true, `"{\"decision\":\"deny\"}"`: true,
		`{"blocked": "rm"}`: true, "d\x00e\x00n\x00y\x00:\x00": true, "decision: deny": true, "ok\nBLOCKED: rm": true, "deny": true, `"block"`: true,
		`{"decisixon":"block"}`: true, `{"permissionDecsion": "deny"}`: true, `{"status": "blocked by a lock"}`: false,
		"": false, "all good": false, `{"decision":"allow"}`: false, `{"block": false}`: false, `{"continue": true}`: false,
		"no blocker was found": false, "the blocked list is empty": false, `{"blocks": []}`: false,
	} {
		if got := Denies([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestMembersThatAnswersDoNotHaveAreUnread(t *testing.T) {
	form := FormOf([]string{"more"}, []string{"moreOwn"}, reflect.TypeFor[struct {
		PermissionDecision string `json:"permissionDecision"`
		Extra              []byte `json:",embed"`
	}]())
	for answer, want := range map[string]string{
		`{"decision":"approve","more":1,"hookSpecificOutput":{"hookEventName":"X","permissionDecision":"allow"}}`: "",
		`{"Decision":"block"}`:                                  `it has the member "Decision", which answers of this event do not have`,
		`{"hookSpecificOutput":{"permission_decision":"deny"}}`: `it has the member "hookSpecificOutput.permission_decision", which answers of this event do not have`,
		`{"decision":"block","decision":"approve"}`:             `it has the member "decision" twice`,
		`{"decision":"block","decision":"block"}`:               "",
		`{"Extra":1}`: `it has the member "Extra", which answers of this event do not have`,
	} {
		if got := form.Read([]byte(answer)); got.Why != want {
			t.Errorf("%s:\ngot  %s\nwant %s", answer, got.Why, want)
		}
	}
}

func TestAlmostAnAnswerIsInDoubt(t *testing.T) {
	for text, want := range map[string]bool{
		`{"continue":falsxe}`: true, `{"conti` + "\n" + `ue": false}`: true, "{\"continue\u00a0\": false}": true, `{"`: true,
		`{"contnue": false}`: true, `{"answer": {"decisoin": 1}}`: true, `ck","reason":"no"}`: true, "{\x00}\x00": true,
		"": false, "all good": false, "[INFO] checked 3 files": false, "one\ntwo { three }\n": false, `{"status": "ok"}`: false,
		`{"description": "x", "verbose": false, "version": 3}`: false, `{"reasons": []}`: false, `the "name": field`: false,
	} {
		if got := Doubtful([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzOutput checks that no output of a hook makes the functions of the package panic.
func FuzzOutput(f *testing.F) {
	for _, seed := range []string{"", "{", "text\n{\"a\":1}", "\xff\xfe{\x00", "{}{}", strings.Repeat("[", 20_000), "{'a'"} {
		f.Add([]byte(seed))
	}
	form := FormOf(nil, nil, reflect.TypeFor[struct{}]())
	f.Fuzz(func(_ *testing.T, output []byte) {
		Text(output)
		Denies(output)
		Doubtful(output)
		form.Read(output)
	})
}
