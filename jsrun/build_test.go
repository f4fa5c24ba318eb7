package jsrun

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestFilesAreThoseThatAModuleIsMadeOf(t *testing.T) {
	path := file(t, "hook.ts", `import "./lib/a"; import { Kind } from "virtual"; import type { Gone } from "gone";
		import("./lib/later.js"); export default () => Kind`)
	dir := filepath.Dir(path)
	for name, text := range map[string]string{"lib/a.ts": "import '../b.json'; b", "b.json": "{}", "lib/later.js": "", "other.ts": ""} {
		testkit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), text, 0o600)
	}
	got, err := Files(t.Context(), path, Options{Modules: map[string]string{"virtual": "export const Kind = 1"}})
	want := []string{filepath.Join(dir, "b.json"), path, filepath.Join(dir, "lib", "a.ts"), filepath.Join(dir, "lib", "later.js")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestEveryMistakeHasItsPlace(t *testing.T) {
	path := file(t, "hook.ts", "import './nowhere'\nimport fs from 'fs'\nexport default () => fs")
	failed := new(BuildError)
	if err := load(t, path, Options{}); !errors.As(err, &failed) || len(failed.Mistakes) != 2 || failed.Mistakes[1].Line != 2 {
		t.Errorf("got %v", err)
	}
	if _, err := Files(t.Context(), path, Options{}); !errors.As(err, &failed) {
		t.Errorf("got %v, want a BuildError", err)
	}
}
