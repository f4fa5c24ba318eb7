// Sandbox runs the commands of hooks in bubblewrap: without a network, with a
// file system that is read-only but for the project and a temporary directory.
//
//	echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | go run ./examples/sandbox
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/claude"
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
	answer, err := fire(context.Background(), ".", bwrap, input)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

// fire fires PreToolUse in a directory with its hooks in the sandbox.
func fire(ctx context.Context, dir, bwrap string, input []byte) (answer string, err error) {
	sys := snaphook.Open(snaphook.Config{Wrap: around(bwrap)})
	defer sys.Close()
	s, err := sys.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		return "", err
	}
	res, err := claude.PreToolUse.FireJSON(ctx, s, input)
	if err != nil {
		return "", err
	}
	answer = fmt.Sprintf("blocked %v", res.Blocked)
	if res.Reason != nil {
		answer += ": " + *res.Reason
	}
	return answer, nil
}

// around puts commands into the sandbox that bwrap makes. Hooks of other types
// are the host's own doing and run as they are; with bwrap empty all do.
func around(bwrap string) func(*hook.Hook, hook.Runner) hook.Runner {
	return func(h *hook.Hook, r hook.Runner) hook.Runner {
		if bwrap == "" || h.Type != "command" {
			return r
		}
		if c, ok := r.(*run.Command); ok {
			return &sandboxed{bwrap, c}
		}
		// The engine starts a few commands in ways of its own, such as those of
		// plugins. They must not run outside of the sandbox.
		return failing{errors.New("this command cannot be put into the sandbox")}
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
		return hook.Reply{}, err // bwrap would say so with status 1
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

// failing is the Runner of a hook that must not run.
type failing struct{ why error }

// Run fails.
func (f failing) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, f.why }
