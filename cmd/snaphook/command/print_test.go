package command

import "testing"

func TestVisibleShowsWhatWouldHide(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, tab\t, line\n, é, 漢": "plain text, tab\t, line\n, é, 漢",
		"\x1b[2Kgone":                     `\u001b[2Kgone`,
		"a\u202eb":                        `a\u202eb`,
		"back\bspace\r":                   `back\u0008space\u000d`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q): got %q, want %q", in, got, want)
		}
	}
}

func TestQuotedKeepsArgumentsApart(t *testing.T) {
	got := quoted([]string{"bash", "-c", "echo 'a'\necho b", ""})
	if want := `bash -c 'echo '\''a'\''\necho b' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
