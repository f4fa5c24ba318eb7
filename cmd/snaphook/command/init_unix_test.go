//go:build unix

package command

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Settings of a project that are a pipe do not hold up init.
func TestSettingsThatAreAPipeHaveNoGuard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if hasGuard(t.Context(), file) {
		t.Error("a pipe names the guard")
	}
}
