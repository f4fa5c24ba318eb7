// Sandbox runs the commands of hooks in bubblewrap: without a network, and with a file system that
// is read-only except for the project and a temporary directory.
//
//	echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | go run ./examples/sandbox
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

func main() {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		log.Println("bwrap is not installed, so that hooks run as they are")
	}
	input, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var call struct {
		Name  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	}
	if err := json.Unmarshal(input, &call); err != nil {
		log.Fatal(err)
	}
	answer, err := ask(context.Background(), ".", bwrap, &snaphook.ToolCall{Name: call.Name, Input: snaphook.Object(call.Input)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

// ask runs the hooks of a directory for a tool call, each in the sandbox.
func ask(ctx context.Context, dir, bwrap string, call *snaphook.ToolCall) (answer string, err error) {
	hooks, err := snaphook.Open(snaphook.Config{Wrap: around(bwrap)})
	if err != nil {
		return "", err
	}
	defer hooks.Close()
	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		return "", err
	}
	v, err := s.BeforeTool(ctx, call)
	if err != nil {
		return "", err
	}
	if v.Denied() {
		return "denied: " + v.Reason, nil
	}
	return "not denied", nil
}

// around runs commands in the sandbox that bwrap creates. Hooks of other types start no process from the settings, and
// run without a sandbox. If bwrap is empty, all hooks run without one.
func around(bwrap string) func(*hook.Hook, hook.Runner) hook.Runner {
	return func(h *hook.Hook, r hook.Runner) hook.Runner {
		if bwrap == "" || h.Type != "command" {
			return r
		}
		if c, ok := r.(*run.Command); ok {
			return &sandboxed{bwrap, c}
		}
		// The engine starts a few commands in other ways, such as those of plugins. They must not
		// run outside of the sandbox.
		return sandboxFailure{errors.New("this command cannot be put into the sandbox")}
	}
}

// sandboxed runs a command in bubblewrap.
type sandboxed struct {
	bwrap string
	c     *run.Command
}

// Run starts the sandbox in the directory of the call.
func (s *sandboxed) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	dir, err := filepath.Abs(call.Dir)
	if err != nil {
		return hook.Reply{}, err
	}
	if _, err := os.Stat(dir); err != nil {
		return hook.Reply{}, err // without this check bwrap would exit with status 1
	}
	inside := &run.Command{
		Argv: append([]string{
			s.bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", dir, dir,
			"--unshare-net", "--unshare-pid", "--die-with-parent", "--chdir", dir, "--",
		}, s.c.Argv...),
		Environ: s.c.Environ, Needs: s.c.Needs, NoTerminal: true, Grace: s.c.Grace,
	}
	return inside.Run(ctx, call)
}

// sandboxFailure is the Runner of a hook that must not run.
type sandboxFailure struct{ why error }

// Run fails.
func (f sandboxFailure) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, f.why
}
