//go:build unix

package trust_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/trust"
)

func mkfifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreThatCannotBeReadHoldsUpNobodyForLong(t *testing.T) {
	for _, which := range []string{"trust.json", "trust.json.lock"} {
		dir := t.TempDir()
		mkfifo(t, filepath.Join(dir, which))
		store := trust.Store(filepath.Join(dir, "trust.json"))
		done := make(chan error, 1)
		go func() { done <- store.Decide(context.Background(), "/p", trust.Decision{State: trust.Granted}) }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "regular file") {
				t.Errorf("%s is a pipe: got %v", which, err)
			}
		case <-time.After(15 * time.Second):
			t.Fatalf("%s is a pipe, and Decide still waits", which)
		}
	}
}
