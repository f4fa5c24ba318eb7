//go:build unix

package run_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/run"
)

func TestACommandHolds(t *testing.T) {
	hooktest.Runner(t, &run.Command{Argv: run.Bash(hooktest.Script)})
}

// asItWas is an Agreed whose files have not changed.
type asItWas struct{ dir string }

func (asItWas) Same(context.Context, string) error { return nil }

func (a asItWas) Open(_ context.Context, path string) (*os.File, []byte, error) {
	if filepath.Dir(path) != a.dir {
		return nil, nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	return f, text, err
}

// A pinned command keeps the contract of a runner, whether it runs the text or the file of a script.
func TestWhatWasAgreedToHolds(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "hook.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+hooktest.Script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Run("a script", func(t *testing.T) {
		hooktest.Runner(t, run.Pinned(&run.Command{Argv: []string{script}}, asItWas{dir}))
	})
	t.Run("another command", func(t *testing.T) {
		hooktest.Runner(t, run.Pinned(&run.Command{Argv: run.Bash(hooktest.Script)}, asItWas{dir}))
	})
}
