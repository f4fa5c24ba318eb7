package llxprtcases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// mustParse reads a case of which only the interesting keys are given.
func mustParse(t testing.TB, members string) Case {
	t.Helper()
	text := `{"name": "n", "basis": "spec", ` + members + `}`
	c, err := parse(jsontext.Value(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c.Theme, c.File = "theme", "theme.json"
	return c
}

// decode reads JSON in the same way as expectations are read.
func decode[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func writeTree(t testing.TB, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// wantContains fails t unless every part occurs in got.
func wantContains(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("got %q, want %q in it", got, part)
		}
	}
}

func mustRead(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
