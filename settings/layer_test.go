package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLayerReadsItsFile(t *testing.T) {
	name := write(t, "settings.json", "{\n\"a\": 1, // one\n}")
	v, found, err := settings.Layer{File: name}.Read()
	if got := string(v.JSON()); got != `{"a":1}` || !found || err != nil {
		t.Errorf("got %s, found %v, err %v; want the object", got, found, err)
	}
	if got, want := v.Get("a").Position().String(), name+":2:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLayerReadsItsDataInsteadOfItsFile(t *testing.T) {
	for text, want := range map[string]string{`{"a": 1}`: `{"a":1}`, "": `{}`} {
		v, found, err := settings.Layer{File: "no such file", Data: []byte(text)}.Read()
		if got := string(v.JSON()); got != want || !found || err != nil {
			t.Errorf("got %s, found %v, err %v; want %s", got, found, err, want)
		}
	}
}

func TestLayerCanBeStrict(t *testing.T) {
	_, _, err := settings.Layer{File: file, Data: []byte("[1,]"), Strict: true}.Read()
	if got, want := problem(t, err).Position.String(), file+":1:3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMissingFileIsNoError(t *testing.T) {
	v, found, err := settings.Layer{File: filepath.Join(t.TempDir(), "none", "settings.json")}.Read()
	if found || err != nil || v.Exists() {
		t.Errorf("found %v, err %v; want neither", found, err)
	}
}

func TestDirectoryAndLargeFileAreProblems(t *testing.T) {
	dir, large := t.TempDir(), write(t, "large", strings.Repeat(" ", 16<<20+1))
	for name, want := range map[string]string{
		dir:   "cannot be read: it is a directory; a file is wanted",
		large: "the file is longer than 1 MiB; shorten it",
	} {
		_, found, err := settings.Layer{File: name}.Read()
		if got, want := problem(t, err).String(), name+": "+want; got != want || !found {
			t.Errorf("got  %s, found %v\nwant %s", got, found, want)
		}
	}
}

func TestOneBadFileDoesNotHideTheOthers(t *testing.T) {
	good := write(t, "good.json", `{"a": 1}`)
	values, problems := settings.Read([]settings.Layer{
		{File: "one.json", Data: []byte("{")},
		{File: good},
		{File: "none.json"},
		{File: "four.json", Data: []byte("[1 2]")},
		{File: "five.json", Data: []byte("[5]")},
	})
	var texts, messages []string
	for _, v := range values {
		texts = append(texts, string(v.JSON()))
	}
	for _, p := range problems {
		messages = append(messages, p.String())
	}
	if diff := cmp.Diff([]string{"", `{"a":1}`, "", "", "[5]"}, texts); diff != "" {
		t.Errorf("values, -want +got:\n%s", diff)
	}
	want := []string{
		"one.json:1:1: this is not closed; write } where it ends",
		"four.json:1:4: a comma is missing before this",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("problems, -want +got:\n%s", diff)
	}
}

// An empty file is an error: a session may be opened while the file is written, or after the disk
// was full, and must not run without its guards.
func TestAnEmptyFileIsAnErrorAsAHalfWrittenOneIs(t *testing.T) {
	for text, want := range map[string]int{"": 1, " \n\t": 1, "\xEF\xBB\xBF\n": 1, "// none\n": 1, "{}": 0, "{} // none": 0} {
		values, problems := settings.Read([]settings.Layer{{File: write(t, "settings.json", text)}, {File: "none"}})
		if values[0].Exists() != (want == 0) || len(problems) != want || want == 1 && (!problems[0].Fatal || problems[0].Position.Line != 1) {
			t.Errorf("%q: exists %v, problems %v; want %d that is fatal, with its place", text, values[0].Exists(), problems, want)
		}
	}
}
