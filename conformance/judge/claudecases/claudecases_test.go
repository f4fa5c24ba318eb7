package claudecases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// good has every key that a case must have.
const good = `"name": "n", "group": "g", "tier": 1, "basis": ["spec"], "settings": {}, "event": "Stop", "expect": {"ran": []}`

// mustParse reads a case with the keys of good, which the keys in more override.
func mustParse(t testing.TB, more string) Case {
	t.Helper()
	all := map[string]jsontext.Value{}
	var order []objectMember
	for _, text := range []string{"{" + good + "}", "{" + more + "}"} {
		some, err := membersOf(jsontext.Value(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, m := range some {
			all[m.name] = m.value
		}
	}
	if all["layers"] != nil {
		delete(all, "settings")
	}
	for name, value := range all {
		order = append(order, objectMember{name, value})
	}
	text, err := object(order)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c.File = "n.json"
	return c
}

func mustExpect(t testing.TB, text string) Expect {
	t.Helper()
	e, err := readExpect(jsontext.Value(text), observables)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func writeTree(t testing.TB, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if err := llxprtcases.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
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

// wantContains fails t unless every part occurs in got.
func wantContains(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("got %q, want %q in it", got, part)
		}
	}
}
