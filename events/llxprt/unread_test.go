package llxprt_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/wire"
)

// A denial that a hook prints either denies, or the report and the log note that it does not.
func TestNoDenialIsPassedOverWithoutAWord(t *testing.T) {
	const denial, permission = `{"decision":"block","reason":"no"}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`
	for name, answer := range map[string]string{
		"as it should be":          denial,
		"a permission":             permission,
		"a byte order mark":        "\uFEFF" + denial,
		"UTF-16":                   utf16Text(denial),
		"text before it":           "checking …\n" + denial,
		"text after it":            permission + "\ndone",
		"in a fence":               "```json\n" + denial + "\n```",
		"in a list":                "[" + denial + "]",
		"cut off":                  permission[:len(permission)-1],
		"a comment":                "// no\n" + denial,
		"colours":                  "\x1b[31m" + permission,
		"NaN":                      `{"decision":"block","x":NaN}`,
		"deep":                     `{"decision":"block","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}",
		"long":                     `{"x":"` + strings.Repeat("a", 1<<17) + `",` + permission[1:] + "}",
		"two":                      `{"decision":"approve"}` + denial,
		"twice":                    `{"decision":"block","decision":"approve"}`,
		"a permission twice":       `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecision":"allow"}}`,
		"a part twice":             permission[:len(permission)-1] + `,"hookSpecificOutput":null}`,
		"go on twice":              `{"continue":false,"continue":true}`,
		"a stop":                   `{"continue":false}`,
		"a name in other case":     `{"Decision":"block"}`,
		"a word in other case":     `{"decision":"BLOCK"}`,
		"a word with a space":      `{"decision":" deny"}`,
		"in another place":         `{"permissionDecision":"deny"}`,
		"names as in Python":       `{"hook_specific_output":{"permission_decision":"deny"}}`,
		"overruled by itself":      `{"decision":"block","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`,
		"a permission of no event": `{"hookSpecificOutput":{"permissionDecision":"deny"}}`,
	} {
		ses, _ := answering(t, "BeforeTool", answer)
		call := llxprt.BeforeToolInput{Name: "ls", Input: wire.Object(`{}`)}
		res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &call)
		if err != nil {
			t.Fatal(err)
		}
		if r := res.Reports[0]; !res.Stop && !res.Blocked() && res.Specific.PermissionDecision != hook.Deny && r.Err == nil && len(r.Notes) == 0 {
			t.Errorf("llxprt, %s: the call goes ahead without a word", name)
		}
		gate, err := claude.PreToolUse.Fire(t.Context(), asking(t, "claude", "PreToolUse", &payloads{}, answer), &claude.PreToolUseInput{Name: "Bash", Input: call.Input})
		if err != nil {
			t.Fatal(err)
		}
		if r := gate.Reports[0]; !gate.Stop && gate.Specific.PermissionDecision != hook.Deny && !gate.Blocked() && r.Err == nil && len(r.Notes) == 0 {
			t.Errorf("claude, %s: the call goes ahead without a word", name)
		}
	}
	ses, _ := answering(t, "BeforeTool", `{"decision":"allow","reason":"\"decision\": \"block\" is a text here"}`)
	res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "ls"})
	if err != nil || len(res.Reports[0].Notes) > 0 {
		t.Errorf("a permission has the notes %q, %v; want none", res.Reports[0].Notes, err)
	}
}

func utf16Text(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, c := range utf16.Encode([]rune(s)) {
		b = append(b, byte(c), byte(c>>8))
	}
	return string(b)
}
