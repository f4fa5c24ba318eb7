package warm

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/shell"
)

// startOf returns a function that starts programs for a script, and counts them.
func startOf(t testing.TB, n *int) func(*shell.Start) (shell.Result, error) {
	return func(p *shell.Start) (shell.Result, error) {
		*n++
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, p.Program)
		cmd.Args, cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Argv, p.Env, p.Dir, bytes.NewReader(p.Stdin), &stdout, &stderr
		err := cmd.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			return shell.Result{}, err
		}
		return shell.Result{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}, nil
	}
}

// Programs that only read are started in the middle of a script, which ends as in bash.
func TestStartedProgramsAreTheSame(t *testing.T) {
	needPrograms(t)
	tools := Tools()
	for name, script := range scripts(t, "started.txt") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := tools.Compile(script)
			left := strings.HasSuffix(name, "is left")
			if err != nil {
				if !left {
					t.Error(err)
				}
				return
			}
			inputs := some(name)
			var with []string
			var here []shell.Result
			why := ""
			for _, in := range inputs {
				started := 0
				r, reason, ok := p.Run(&shell.Call{Stdin: []byte(in), Env: scriptEnv("C.UTF-8"), Dir: "/", PWD: "/", Name: "bash", Start: startOf(t, &started)})
				if why = reason; ok && started > 0 {
					with, here = append(with, in), append(here, r)
				}
			}
			if (len(with) > 0) == left {
				t.Errorf("it ran here, and started programs, for %d of %d inputs (%s)", len(with), len(inputs), why)
			}
			for i, want := range realBash(t, script, "C.UTF-8", with) {
				if got := here[i]; got.Exit != want.Exit || !bytes.Equal(got.Stdout, want.Stdout) || !bytes.Equal(got.Stderr, want.Stderr) {
					t.Errorf("%s\nends for %.200q with %d, %.300q, %.200q here,\nand with %d, %.300q, %.200q in bash",
						script, with[i], got.Exit, got.Stdout, got.Stderr, want.Exit, want.Stdout, want.Stderr)
				}
			}
		})
	}
}
