package settings_test

import (
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/settings"
)

func TestMembersThatAreSlipsAreFound(t *testing.T) {
	known := []string{"command", "matcher", "if", "timeout", "once", "onFailure", "async", "disabled", "enabled"}
	for object, want := range map[string][]string{
		`{"Matcher": 1}`:                          {`f.json:1:13: nothing reads "Matcher"; did you mean "matcher"?`},
		`{"mather": 1}`:                           {`f.json:1:12: nothing reads "mather"; did you mean "matcher"?`},
		`{"on_failure": 1, "tiemout": 1}`:         {`f.json:1:16: nothing reads "on_failure"; did you mean "onFailure"?`, `f.json:1:30: nothing reads "tiemout"; did you mean "timeout"?`},
		`{"If": 1, "ONCE": 1}`:                    {`f.json:1:8: nothing reads "If"; did you mean "if"?`, `f.json:1:19: nothing reads "ONCE"; did you mean "once"?`},
		`{"asynch": 1}`:                           {`f.json:1:12: nothing reads "asynch"; did you mean "async"?`},
		`{"cmd": 1, "timeoutSec": 2}`:             {`f.json:1:9: nothing reads "cmd"; write "command"`, `f.json:1:26: nothing reads "timeoutSec"; write "timeout"`},
		`{"cmd": 1, "command": 2}`:                nil,
		`{"mather": 1, "matcher": 2}`:             nil, // "matcher" is present: "mather" is another member
		`{"id": 1, "of": 1, "one": 1, "one": 2}`:  nil, // short names are not compared
		`{"sync": 1}`:                             {`f.json:1:10: nothing reads "sync"; did you mean "async"?`},
		`{"description": 1, "time": 1, "out": 1}`: nil,
		`{"enabled": 1}`:                          nil, // a known name, although "disabled" resembles it
		`[{"Matcher": 1}]`:                        nil,
	} {
		v, err := settings.Parse("f.json", []byte(object))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range v.Misspelt(known...) {
			got = append(got, p.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}
