package command

import (
	"encoding/json"
	"log"
	"strings"
	"testing"
	"unicode"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

func TestVisibleShowsWhatWouldHide(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, tab\t, line\n, é, 漢": "plain text, tab\t, line\n, é, 漢",
		"\x1b[2Kgone":                     `\u001b[2Kgone`,
		"a\u202eb":                        `a\u202eb`,
		"back\bspace\r":                   `back\u0008space\u000d`,
	} {
		if got := cli.Visible(in); got != want {
			t.Errorf("visible(%q): got %q, want %q", in, got, want)
		}
	}
}

func TestQuotedKeepsArgumentsApart(t *testing.T) {
	got := cli.Quoted([]string{"bash", "-c", "echo 'a'\necho b", ""})
	if want := `bash -c 'echo '\''a'\''\necho b' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONForATerminalIsTheSameJSONAndTheTerminalObeysNothing(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "plain, é, 漢, 👍"}`:       `{"a": "plain, é, 漢, 👍"}`,
		"\"a\u009b31mred\u0085\u007f\"": `"a\u009b31mred\u0085\u007f"`,
		"\"\u202egnp\u2066\u200f\"":     `"\u202egnp\u2066\u200f"`,
		"\"tag \U000e0041\"":            `"tag \udb40\udc41"`,
		"\"half \x9b\"":                 "\"half \ufffd\"",
		"{\n  \"a\": 1\n}\n":            "{\n  \"a\": 1\n}\n",
	} {
		if got := string(cli.VisibleJSON([]byte(in))); got != want {
			t.Errorf("visibleJSON(%q): got %q, want %q", in, got, want)
		}
	}
}

func FuzzVisibleJSON(f *testing.F) {
	f.Add("a\u0085\u202e\U000e0041\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		shown := cli.VisibleJSON(text)
		if json.Unmarshal(text, &before) != nil || json.Unmarshal(shown, &after) != nil || before != after {
			t.Errorf("%s is %q, and was %q", shown, after, before)
		}
		for _, r := range string(shown) {
			if !unicode.IsPrint(r) {
				t.Errorf("%q holds %U", shown, r)
			}
		}
	})
}

func TestLogsOfLibrariesAreInTheLogOfVerboseAlone(t *testing.T) {
	t.Setenv("SNAPHOOK_DEBUG", "")
	for verbose, want := range map[bool]string{false: "", true: `text="Unsolicited response \"\u009b\""`} {
		var out strings.Builder
		log.New(libraryLog{&cli.Global{Verbose: verbose}, &out}, "", 0).Print("Unsolicited response \"\u009b\"")
		if got := out.String(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("verbose %v: got %q, want %q", verbose, got, want)
		}
	}
}
