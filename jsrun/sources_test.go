//go:build unix

package jsrun

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestAModuleHasTheFilesOfItsOwnDirectoryAlone(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"secret.json": `{"key": "s3cret"}`, "id_rsa": "s3cret", "out.ts": "export default 1", "hooks/lib/in.ts": "export default 1", "hooks/pre/notes.txt": "text",
		"hooks/pre/near.ts": "export default 1", "hooks/pre/data.json": "{}",
	} {
		testkit.WriteFile(t, filepath.Join(base, filepath.FromSlash(name)), text, 0o600)
	}
	link(t, filepath.Join(base, "secret.json"), filepath.Join(base, "hooks", "pre", "link.json"))
	link(t, base, filepath.Join(base, "hooks", "pre", "up"))
	entry, hooks := filepath.Join(base, "hooks", "pre", "gate.ts"), filepath.Join(base, "hooks")
	outside := " lies outside "
	for _, test := range []struct{ root, imports, want string }{
		{"", `"./near.ts"`, ""},
		{"", `"./data.json"`, ""},
		{"", `"./data.json" with {type: "json"}`, ""},
		{"", `"../lib/in"`, "in.ts" + outside},
		{hooks, `"../lib/in"`, ""},
		{hooks, `"../../out"`, "out.ts" + outside},
		{hooks, `"` + filepath.ToSlash(base) + `/secret.json"`, "secret.json" + outside},
		{hooks, `"./link.json"`, "link.json" + outside},
		{hooks, `"./up/secret.json"`, "secret.json" + outside},
		{hooks, `"` + filepath.ToSlash(base) + `/id_rsa" with {type: "text"}`, "No loader is configured"},
		{hooks, `"./notes.txt" with {type: "text"}`, "No loader is configured"},
		{hooks, `"./near.ts" with {type: "text"}`, `with { type: "text" } is not available`},
		{hooks, `"./data.json" with {type: "bytes"}`, `with { type: "bytes" } is not available`},
	} {
		testkit.WriteFile(t, entry, "import k from "+test.imports+"; export default pi => pi.on('call', () => k)", 0o600)
		err := load(t, entry, Options{Root: test.root})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("root %q, import %s: got %v, want %q", test.root, test.imports, err, test.want)
		}
	}
}

func TestWhatWasNotCheckedIsNotLoaded(t *testing.T) {
	entry := file(t, "gate.ts", `import "./lib.ts"; export default () => {}`)
	testkit.WriteFile(t, filepath.Join(filepath.Dir(entry), "lib.ts"), "export {}", 0o600)
	changed := errors.New("it has changed")
	var seen []string
	err := load(t, entry, Options{Check: func(path string, text []byte) error {
		if seen = append(seen, filepath.Base(path)+": "+string(text)); filepath.Base(path) == "lib.ts" {
			return changed
		}
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), changed.Error()) || len(seen) != 2 {
		t.Errorf("got %v after %q, want both files to be seen and the second one's error", err, seen)
	}
}
