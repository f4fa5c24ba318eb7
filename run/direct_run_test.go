//go:build unix

package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

func TestDirectWaitsForAFileOpenForWriting(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		file := filepath.Join(t.TempDir(), "x.sh")
		busy, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := busy.WriteString("#!/bin/sh\necho ok\n"); err != nil {
			t.Fatal(err)
		}
		closed := time.AfterFunc(20*time.Millisecond, func() { _ = busy.Close() })
		defer closed.Stop()
		c := &Command{Argv: Shell("exit 9"), Direct: []string{file}}
		if got, err := c.run(t.Context(), hook.Call{}, run); err != nil || string(got.Stdout) != "ok\n" {
			t.Errorf("got %q, status %d, %v; want ok", got.Stdout, got.Exit, err)
		}
	})
}

func TestDirectEndsWithItsContext(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		c := &Command{Argv: Shell("exec sleep 30"), Direct: []string{"sleep", "30"}}
		if got, err := c.run(ctx, hook.Call{}, run); err != context.DeadlineExceeded || got.Signal != syscall.SIGTERM {
			t.Errorf("got %v, %v; want %v, %v", got.Signal, err, syscall.SIGTERM, context.DeadlineExceeded)
		}
	})
}

func TestDirectRunsOnce(t *testing.T) {
	both(t, func(t *testing.T, run runFunc) {
		dir := t.TempDir()
		calls := 0
		c := &Command{Argv: Shell("echo shell >>ran"), Direct: []string{"/bin/sh", "-c", "echo direct >>ran; exit 127"}, Environ: func(hook.Call) []string {
			calls++
			return []string{"PATH=/bin"}
		}}
		got, err := c.run(t.Context(), hook.Call{Dir: dir}, run)
		if ran, _ := os.ReadFile(filepath.Join(dir, "ran")); err != nil || got.Exit != 127 || string(ran) != "direct\n" || calls != 1 {
			t.Errorf("got status %d, %v; %q ran, environment asked for %d times; want 127, direct, 1", got.Exit, err, ran, calls)
		}
	})
}

func TestDirectAllocatesLittle(t *testing.T) { // not parallel: AllocsPerRun counts the whole process
	env := append(os.Environ(), "LLXPRT_PROJECT_DIR=/")
	shell := &Command{Argv: Shell("/bin/true"), Environ: func(hook.Call) []string { return env }}
	direct := &Command{Argv: shell.Argv, Direct: []string{"/bin/true"}, Environ: shell.Environ}
	count := func(c *Command) float64 {
		return testing.AllocsPerRun(20, func() {
			if reply, err := c.Run(t.Context(), hook.Call{Dir: "/"}); err != nil || reply.Exit != 0 {
				t.Errorf("got status %d, %v; want 0", reply.Exit, err)
			}
		})
	}
	with, without := count(shell), count(direct)
	t.Logf("%v allocations with a shell, %v without", with, without)
	if without > with+15 && !raceEnabled {
		t.Errorf("%v allocations a run without a shell, %v with one; want at most 15 more", without, with)
	}
}

// BenchmarkDirect runs both forms in turn, so that a busy machine is busy for
// both.
func BenchmarkDirect(b *testing.B) {
	dir := b.TempDir()
	for name, text := range map[string]string{"sh": "#!/bin/sh\nread -r x; echo '{}'\n", "bash": "#!/bin/bash\nread -r x; echo '{}'\n", "env": "#!/usr/bin/env bash\nread -r x; echo '{}'\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	env := append(os.Environ(), "DIR="+dir)
	call := hook.Call{Dir: dir, Payload: []byte("{}\n")}
	for _, script := range []string{"/bin/true", "$DIR/sh", "$DIR/bash", "$DIR/env"} {
		b.Run(filepath.Base(script), func(b *testing.B) {
			argv, _ := Direct(script, map[string]string{"DIR": dir})
			shell := &Command{Argv: Shell(QuoteVars(script, "DIR")), Environ: func(hook.Call) []string { return env }}
			direct := &Command{Argv: shell.Argv, Direct: argv, Environ: shell.Environ}
			var took [2]time.Duration
			var ratios []float64
			for i := 0; b.Loop(); i++ {
				var one [2]time.Duration
				for _, form := range [2][2]int{{0, 1}, {1, 0}}[i%2] {
					start := time.Now()
					if _, err := [2]*Command{shell, direct}[form].Run(b.Context(), call); err != nil {
						b.Fatal(err)
					}
					one[form] = time.Since(start)
					took[form] += one[form]
				}
				ratios = append(ratios, float64(one[0])/float64(one[1]))
			}
			slices.Sort(ratios)
			b.ReportMetric(float64(took[0].Nanoseconds())/float64(b.N), "shell-ns/op")
			b.ReportMetric(float64(took[1].Nanoseconds())/float64(b.N), "direct-ns/op")
			b.ReportMetric(ratios[len(ratios)/2], "times-faster")
		})
	}
}
