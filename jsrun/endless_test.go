//go:build unix

package jsrun

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWhatMayHaveNoEndIsNotRead(t *testing.T) {
	dir := t.TempDir()
	pipe, device, importing := filepath.Join(dir, "pipe.ts"), filepath.Join(dir, "zero.ts"), filepath.Join(dir, "importing.ts")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", device); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(importing, []byte(`import { x } from "./pipe"; export default () => x;`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, device, importing} {
		if m, err := Open(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "a module is a regular file") {
			t.Errorf("%s: %v, %v; want an error that says what a module is", filepath.Base(path), m, err)
		}
	}
}
