package llxprtcases

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestTokens(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no token", "plain @ text", "plain @ text"},
		{"the project", "@PROJECT@/a:@PROJECT@", "/p q/a:/p q"},
		{"a repetition", "@REPEAT:ab:3@", "ababab"},
		{"a repetition in a longer string", "ghp_@REPEAT:a:4@!", "ghp_aaaa!"},
		{"several repetitions", "@REPEAT:a:2@-@REPEAT:b:2@", "aa-bb"},
		{"zero times", "x@REPEAT:a:0@y", "xy"},
		{"colons in the text", "@REPEAT:a:1:b:2@", "a:1:ba:1:b"},
		{"a line break in the text", "@REPEAT:a\n:2@", "a\na\n"},
		{"letters outside ASCII", "@REPEAT:€😀:2@", "€😀€😀"},
		{"the project is expanded after the repetition", "@REPEAT:@PROJECT@ :2@", "/p q /p q "},
		{"an empty text is no token", "@REPEAT::3@", "@REPEAT::3@"},
		{"a number of another script is no token", "@REPEAT:a:٣@", "@REPEAT:a:٣@"},
		{"an open token is no token", "@REPEAT:a:3", "@REPEAT:a:3"},
		{"an open token does not swallow the next", "@REPEAT:a @REPEAT:b:2@", "@REPEAT:a bb"},
		{"expanded once", "@REPEAT:@REPEAT:a:2@:2@", "@REPEAT:aa:2@"},
		{"a matcher stays", "@CONTAINS:@REPEAT:a:2@@", "@CONTAINS:aa@"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := expandText(tt.text, "/p q"); err != nil || got != tt.want {
				t.Errorf("got %q, error %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAnExcessiveRepetitionIsAnError(t *testing.T) {
	for _, text := range []string{"@REPEAT:ab:99999999999@", "@REPEAT:a:99999999999999999999999@"} {
		_, err := expandText(text, "/p")
		if err == nil {
			t.Fatalf("%s is accepted", text)
		}
		wantContains(t, err.Error(), "too long")
	}
}

func TestExpansionLeavesEverythingButStringsAsSpelled(t *testing.T) {
	text := `{"@PROJECT@":[1e+21,1.0,-0,12345678901234567890,"\u00e4 @PROJECT@",null],"z":{},"a":true}`
	want := `{"/p":[1e+21,1.0,-0,12345678901234567890,"ä /p",null],"z":{},"a":true}`
	got, err := expandValue(jsontext.Value(text), "/p")
	if err != nil || strings.TrimSpace(string(got)) != want {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}

func TestTokensAreExpandedWhereFormatSaysSo(t *testing.T) {
	c := mustParse(t, `"event": "@PROJECT@", "sessionId": "@PROJECT@", "note": "@PROJECT@",
		"settings": {"@PROJECT@": "@PROJECT@", "n": 1e+21}, "extensions": [{"name": "@PROJECT@", "hooks": "@PROJECT@"}],
		"env": {"A@REPEAT:B:2@": "@PROJECT@", "GONE": null}, "cwd": "@PROJECT@/c", "transcriptPath": "@PROJECT@/t",
		"input": {"i": "@PROJECT@"}, "target": {"llmRequest": "@PROJECT@"}, "via": "bus", "bus": {"message": "@PROJECT@"},
		"scripts": {"@REPEAT:s:2@": "@PROJECT@"}, "files": {"@PROJECT@/f": "@REPEAT:x:3@"},
		"steps": [{"settings": "@PROJECT@", "setHookEnabled": {"hook": "@PROJECT@"}, "fire": {"input": "@PROJECT@"}, "expect": {"files": {"@PROJECT@": "@PROJECT@"}}}]`)
	p := c.Prepare(t)
	quoted := `"` + p.Project + `"`
	checks := map[string][2]string{
		"event":      {p.Event, "@PROJECT@"},
		"session":    {p.SessionID, "@PROJECT@"},
		"note":       {p.Note, "@PROJECT@"},
		"settings":   {string(p.Settings), `{` + quoted + `:` + quoted + `,"n":1e+21}`},
		"extension":  {p.Extensions[0].Name, p.Project},
		"hooks":      {string(p.Extensions[0].Hooks), quoted},
		"env":        {*p.Env["ABB"], p.Project},
		"cwd":        {p.Cwd, p.Project + "/c"},
		"transcript": {p.TranscriptPath, p.Project + "/t"},
		"input":      {string(p.Input), `{"i":` + quoted + `}`},
		"target":     {string(p.Target.LLMRequest), quoted},
		"message":    {string(p.Bus.Message), quoted},
		"script":     {mustRead(t, p.Project+"/ss"), p.Project},
		"file":       {mustRead(t, p.Project+"/f"), "xxx"},
		"step":       {string(p.Steps[0].Settings) + p.Steps[0].SetHookEnabled.Hook, quoted + p.Project},
		"fire":       {string(p.Steps[0].Fire.Input), quoted},
		"expect":     {Show(p.Steps[0].Expect), `{"files":{` + quoted + `:` + quoted + `}}`},
	}
	for what, pair := range checks {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
	args := mustParse(t, `"kind": "translator", "fn": "f", "args": ["@PROJECT@"], "expect": {"result": "@PROJECT@"}`).Prepare(t)
	if want := `"` + args.Project + `"`; string(args.Args[0]) != want || Show(args.Expect["result"]) != want {
		t.Errorf("got args %s and expectation %v, want %s", args.Args, args.Expect, want)
	}
}

func FuzzExpandText(f *testing.F) {
	f.Add("@REPEAT:a:3@ @PROJECT@")
	f.Add("@REPEAT:@REPEAT:a:2@:3@")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := expandText(text, "/p")
		if err == nil && strings.Contains(got, "@PROJECT@") {
			t.Errorf("%q leaves a token: %q", text, got)
		}
		if !strings.Contains(text, "@") && got != text {
			t.Errorf("got %q, want %q as it was", got, text)
		}
	})
}
