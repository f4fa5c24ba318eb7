//go:build unix

package xcsh_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

func TestExecGivesWhatCameOfAProgram(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		opt  xcsh.ExecOptions
		want xcsh.ExecResult
	}{
		"that ends badly":                {args: []string{"-c", "echo out; echo err >&2; exit 3"}, want: xcsh.ExecResult{Stdout: "out\n", Stderr: "err\n", Code: 3}},
		"that reads nothing":             {args: []string{"-c", "cat"}, want: xcsh.ExecResult{}},
		"that a signal ends":             {args: []string{"-c", "kill -9 $$"}, want: xcsh.ExecResult{Code: 137}},
		"that is late":                   {args: []string{"-c", "echo a; exec sleep 9"}, opt: xcsh.ExecOptions{Timeout: 200 * time.Millisecond}, want: xcsh.ExecResult{Stdout: "a\n", Code: -1, Killed: true}},
		"whose child holds its output":   {args: []string{"-c", "echo c; sleep 9"}, opt: xcsh.ExecOptions{Timeout: 200 * time.Millisecond}, want: xcsh.ExecResult{Stdout: "c\n", Code: -1, Killed: true}},
		"that writes no text":            {args: []string{"-c", `printf 'a\377b'`}, want: xcsh.ExecResult{Stdout: "a\ufffdb"}},
		"that has no time limit":         {args: []string{"-c", "sleep 0.1; echo x"}, opt: xcsh.ExecOptions{Timeout: -5}, want: xcsh.ExecResult{Stdout: "x\n"}},
		"that leaves one in background":  {args: []string{"-c", "sleep 0.3 & echo x"}, want: xcsh.ExecResult{Stdout: "x\n"}},
		"that handles SIGTERM and exits": {args: []string{"-c", "trap 'echo bye; exit 0' TERM; echo a; sleep 9 & wait"}, opt: xcsh.ExecOptions{Timeout: 300 * time.Millisecond}, want: xcsh.ExecResult{Stdout: "a\nbye\n", Code: -1, Killed: true}},
	} {
		start := time.Now()
		got, err := xcsh.Exec(t.Context(), "sh", tt.args, tt.opt)
		if err != nil || got != tt.want {
			t.Errorf("a program %s: %+v, %v; want %+v", name, got, err, tt.want)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("a program %s: it took %v", name, took)
		}
	}
}

func TestModulesAreToldThatOutputIsMissing(t *testing.T) {
	for script, want := range map[string]bool{"yes | head -c 1100000 >&2": true, "yes | head -c 1000000 >&2": false, "true": false} {
		got, err := xcsh.Exec(t.Context(), "sh", []string{"-c", script}, xcsh.ExecOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(got)
		if said := strings.Contains(string(text), `"truncated":true`); err != nil || said != want {
			t.Errorf("%s: %v: it says that output is missing: %v, want %v", script, err, said, want)
		}
	}
}

func TestExecKillsAfterASecond(t *testing.T) {
	start := time.Now()
	got, err := xcsh.Exec(t.Context(), "sh", []string{"-c", "trap '' TERM; echo b; sleep 9"}, xcsh.ExecOptions{Timeout: 300 * time.Millisecond})
	if took := time.Since(start); err != nil || !got.Killed || got.Code != -1 || took < 1300*time.Millisecond || took > 6*time.Second {
		t.Errorf("%+v, %v after %v; want it killed 1s after 300ms", got, err, took)
	}
}

func TestExecEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	started := testkit.Pipe(t, dir, "started")
	ctx, cancel := context.WithCancel(t.Context())
	var pid int
	var wrong error
	go func() {
		defer cancel()
		_, wrong = fmt.Fscan(started, &pid)
	}()
	got, err := xcsh.Exec(ctx, "sh", []string{"-c", "sleep 600 & echo $! > started; wait"}, xcsh.ExecOptions{Dir: dir})
	<-ctx.Done()
	if err != nil || !got.Killed || got.Code != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := xcsh.Exec(ctx, "sleep", []string{"9"}, xcsh.ExecOptions{}); err != nil || got != (xcsh.ExecResult{Code: -1, Killed: true}) {
		t.Errorf("with the context ended before: %+v, %v", got, err)
	}
	if wrong != nil {
		t.Fatal(wrong)
	}
	testkit.WaitForEnd(t, pid, 2*time.Second)
}

func TestExecSaysWhatCannotBeStarted(t *testing.T) {
	for _, tt := range []struct{ program, dir string }{{"no-such-program-xyz", ""}, {"true", "/no/such/dir"}, {"", ""}} {
		if got, err := xcsh.Exec(t.Context(), tt.program, nil, xcsh.ExecOptions{Dir: tt.dir}); err == nil || got != (xcsh.ExecResult{}) {
			t.Errorf("%q in %q: %+v, %v; want an error", tt.program, tt.dir, got, err)
		}
	}
}

func TestModulesExecInTheirDirectory(t *testing.T) {
	dir := testkit.Dir(t)
	m := start(t, xcsh.Config{Dir: dir})
	var api *xcsh.API
	add(t, m, "a", func(a *xcsh.API) error { api = a; return nil })
	for want, opt := range map[string]xcsh.ExecOptions{dir: {}, "/": {Dir: "/"}} {
		if got, err := api.Exec(t.Context(), "pwd", nil, opt); err != nil || got.Stdout != want+"\n" {
			t.Errorf("%+v, %v; want %s", got, err, want)
		}
	}
}
