package warm

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// A script of the conformance cases that runs in this process does the same as in bash.
func TestScriptsOfConformanceCasesAreTheSame(t *testing.T) {
	needBash(t)
	scripts, inside := knownScripts(t), 0
	for text, c := range scripts {
		dir := projectOf(t)
		for name, other := range c.Scripts {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(other), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "hook.sh"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		p := newPair(t, []string{"bash", "-c", "./hook.sh"}, []string{"./hook.sh"}, dir)
		if p.note != "" { // bash runs the script
			continue
		}
		p.call.Payload = append(bytes.Clone(c.Input), '\n')
		before := filepath.Join(t.TempDir(), "before")
		if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		want := testkit.Leaves(p.cold, p.call)
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(before))); err != nil {
			t.Fatal(err)
		}
		if got := testkit.Leaves(p.warm, p.call); !cmp.Equal(got, want) {
			t.Errorf("%s\n%s", text, cmp.Diff(want, got))
		}
		inside += int(p.ran.Load())
	}
	if len(scripts) < 300 || inside < 30 {
		t.Errorf("%d of %d scripts ran in this process, want at least 30 of 300", inside, len(scripts))
	}
}

// knownCase holds the input and the other scripts that a script of a case needs.
type knownCase struct {
	Input   jsontext.Value    `json:"input"`
	Scripts map[string]string `json:"scripts"`
}

// knownScripts returns the scripts of all cases, each with a case that contains the script.
func knownScripts(t *testing.T) map[string]knownCase {
	t.Helper()
	all := map[string]knownCase{}
	files, _ := filepath.Glob("../conformance/*/cases/*.json")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var themed struct {
			Cases []jsontext.Value `json:"cases"`
		}
		if err := json.Unmarshal(text, &themed); err != nil || themed.Cases == nil {
			themed.Cases = []jsontext.Value{text}
		}
		for _, one := range themed.Cases {
			var c knownCase
			if json.Unmarshal(one, &c) != nil { // the scripts of this case have another form
				continue
			}
			for _, script := range c.Scripts {
				all[script] = c
			}
		}
	}
	return all
}
