//go:build unix

package jsrun

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}

// The bundler opens none of the files that it looks for by default: reading any of them would never end, or use all
// memory.
func TestTheBundlerLooksAtNothingByItself(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"package.json", "tsconfig.json", ".pnp.js", ".pnp.data.json"} {
		link(t, "/dev/zero", filepath.Join(dir, name))
	}
	for _, name := range []string{"map", "sub/package.json", "sub/map"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testkit.WriteFile(t, filepath.Join(dir, "sub", "index.ts"), "export default 1\n//# sourceMappingURL=map", 0o600)
	testkit.WriteFile(t, filepath.Join(dir, "gate.ts"), `import k from "./sub"; export default pi => pi.on("call", () => k);
//# sourceMappingURL=file://`+filepath.ToSlash(dir)+`/map`, 0o600)
	done := make(chan error, 1)
	go func() { done <- load(t, filepath.Join(dir, "gate.ts"), Options{}) }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it still reads")
	}
	if err := os.Truncate(filepath.Join(dir, "gate.ts"), 3<<30); err != nil {
		t.Fatal(err)
	}
	if err := load(t, filepath.Join(dir, "gate.ts"), Options{}); err == nil {
		t.Error("a file of 3 GiB was loaded")
	}
}
