package claudecases

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

const sourcePatience = 10 * time.Second

// source returns the variables that a command has after bash has read the texts
// in their order, in the environment of the engine.
func (p *Prepared) source(texts []string) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), sourcePatience)
	defer cancel()
	// Output of the files must not look like variables, and their changes of PATH must not hide
	// env.
	args := []string{"--norc", "--noprofile", "-c", `for file; do . "$file" >&2; done; command -p env -0`, "bash"}
	for i, text := range texts {
		path := filepath.Join(p.scratch, fmt.Sprintf("env-%d.sh", i))
		if err := llxprtcases.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
		args = append(args, path)
	}
	cmd := exec.CommandContext(ctx, "bash", args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = p.Environ(), p.Dir, time.Second
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("bash cannot read the environment files: %w", err)
	}
	env := map[string]string{}
	for pair := range strings.SplitSeq(string(text), "\x00") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	return env, nil
}
