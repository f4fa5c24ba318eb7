//go:build unix

package command

import (
	"path/filepath"
	"syscall"
	"testing"
)

// init does not block on settings of a project that are a pipe.
func TestSettingsThatAreAPipeHaveNoGuard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if hasGuard(t.Context(), file) {
		t.Error("a pipe names the guard")
	}
}
