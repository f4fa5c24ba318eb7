package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/check"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// TestLLxprt judges the built binary by the same cases as the Go API; without SNAPHOOK_TIMES, by every fourth.
func TestLLxprt(t *testing.T) {
	dir, found := llxprtcases.Dir("llxprt")
	if !found {
		t.Skip("there are no llxprt cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := llxprtcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := build(t)
	llxprtcases.Run(t, testkit.Part(cases, 4), func(t testing.TB, p *llxprtcases.Prepared) (llxprtcases.Engine, string) {
		return openProgram(t, program, p)
	}, nil)
}

// build builds the binary, once for all judges, and returns its path.
func build(t *testing.T) string {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// builtIn is the directory of the built binary, which TestMain removes.
var builtIn string

var built = sync.OnceValues(func() (path string, err error) {
	if builtIn, err = os.MkdirTemp("", "snaphook-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(builtIn, "snaphook")
	if said, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", path, "..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, said)
	}
	return path, nil
})

// program runs the command line for the judge. It has no state: every fire is a process, which
// reads the settings that exist at that time.
type program struct {
	path string
	p    *llxprtcases.Prepared
	args []string // flags with the facts that a host knows
	env  []string
}

func openProgram(t testing.TB, path string, p *llxprtcases.Prepared) (llxprtcases.Engine, string) {
	if reason := unspeakable(p); reason != "" {
		return nil, reason
	}
	e := &program{path: path, p: p, env: environment(t, p)}
	settings := filepath.Join(p.Project, ".llxprt", "settings.json")
	testkit.WriteFile(t, settings, string(p.Settings), 0o644)
	e.args = []string{"--session", p.SessionID, "--transcript", p.TranscriptPath, "--dir", p.Cwd, lo.Ternary(p.Trusted, "--trusted", "--untrusted")}
	if p.Cwd != p.Project {
		e.args = append(e.args, "--settings", "project="+settings)
	}
	for _, x := range p.Extensions {
		if x.IsActive {
			dir := filepath.Join(t.TempDir(), x.Name)
			testkit.WriteFile(t, filepath.Join(dir, "hooks", "hooks.json"), string(wire.Object(nil).With("hooks", x.Hooks)), 0o644)
			e.args = append(e.args, "--extension", dir)
		}
	}
	return e, ""
}

// unspeakable returns why a case cannot be expressed as a command line; empty if it can.
func unspeakable(p *llxprtcases.Prepared) string {
	switch {
	case p.Via == "bus":
		return "the command line has no message bus"
	case p.Target.LLMRequest != nil || p.Target.ToolSelection != nil:
		return "the command line has no SDK request to apply the answer to"
	case slices.ContainsFunc(p.Steps, func(s llxprtcases.Step) bool { return s.SetHookEnabled != nil }):
		return "the command line does not switch hooks while it runs"
	case slices.ContainsFunc(p.Steps, func(s llxprtcases.Step) bool { return s.Settings != nil }):
		return "every invocation reads the settings anew, so there are no old ones to keep"
	}
	return ""
}

// environment returns the case's environment, with a home directory that has no settings and no
// trust store.
func environment(t testing.TB, p *llxprtcases.Prepared) []string {
	empty := t.TempDir()
	env := p.Environ()
	for name, value := range map[string]string{"HOME": empty, "XDG_CONFIG_HOME": empty, "LLXPRT_SYSTEM_SETTINGS_PATH": filepath.Join(empty, "none.json")} {
		if _, given := p.Env[name]; !given {
			env = append(env, name+"="+value) // the last of equal names is used
		}
	}
	return env
}

// run runs the program and returns its standard output and its exit status.
func (e *program) run(ctx context.Context, input []byte, args ...string) (stdout []byte, status int, err error) {
	cmd := exec.CommandContext(ctx, e.path, args...)
	cmd.Env, cmd.Stdin = e.env, bytes.NewReader(input)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		err = nil
	}
	if err == nil && out.Len() == 0 {
		err = fmt.Errorf("snaphook %s: nothing on stdout, exit status %d: %s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), said.String())
	}
	return out.Bytes(), cmd.ProcessState.ExitCode(), err
}

func (e *program) Fire(ctx context.Context, event string, input jsontext.Value) (o llxprtcases.Observation, err error) {
	if input == nil {
		input = jsontext.Value("{}")
	}
	start := time.Now()
	stdout, status, err := e.run(ctx, input, append([]string{"fire", "llxprt." + event, "--json"}, e.args...)...)
	took := time.Since(start)
	if err != nil {
		return o, err
	}
	var fired pipeline.JSONResult
	if err := wire.Object(stdout).Into(&fired); err != nil {
		return o, fmt.Errorf("%w: %s", err, stdout)
	}
	if want := lo.Ternary(fired.Blocked || fired.Stop, 2, 0); status != want {
		return o, fmt.Errorf("exit status %d, want %d with %s", status, want, stdout)
	}
	o = observe(&fired)
	o.Elapsed = took
	if _, wanted := e.p.Expect["registered"]; wanted {
		o.Registered, err = e.registered(ctx)
	}
	return o, err
}

// registered returns the number of hooks that check finds usable.
func (e *program) registered(ctx context.Context) (*int, error) {
	stdout, _, err := e.run(ctx, nil, "check", "--json", "--dir", e.p.Project)
	if err != nil {
		return nil, err
	}
	var found check.Answer
	if err := wire.Object(stdout).Into(&found); err != nil {
		return nil, err
	}
	return lo.ToPtr(lo.CountBy(found.Hooks, func(h check.CheckedHook) bool { return lo.FromPtr(h.Why) != "invalid" })), nil
}

func observe(fired *pipeline.JSONResult) llxprtcases.Observation {
	o := llxprtcases.Observation{
		Success:    &fired.Result.Success,
		Errors:     fired.Result.Errors,
		AllOutputs: fired.Result.AllOutputs,
		PerHook:    []llxprtcases.HookRun{},
		Methods:    members(fired.Effects),
		Processed:  members(fired.Processed),
	}
	if fired.Result.FinalOutput != nil {
		o.Final = jsontext.Value(*fired.Result.FinalOutput)
	}
	for _, h := range fired.Hooks {
		run := llxprtcases.HookRun{
			Command: lo.FromPtr(h.Command), ExitCode: h.ExitCode, Success: &h.Success,
			Stdout: lo.FromPtr(h.Stdout), Stderr: lo.FromPtr(h.Stderr), Error: lo.FromPtr(h.Error),
		}
		if h.Output != nil {
			run.Output = jsontext.Value(*h.Output)
		}
		o.PerHook = append(o.PerHook, run)
	}
	return o
}

func members(v any) map[string]any {
	o, err := wire.Of(v)
	if err != nil {
		return nil
	}
	m := map[string]any{}
	for name, value := range o.Members() {
		m[name] = value
	}
	return m
}

// Publish, SetHookEnabled and ChangeSettings need a process that outlives a fire, and return errors.ErrUnsupported. The
// cases that would call them are skipped; see unspeakable.
func (e *program) Publish(context.Context, jsontext.Value) (o llxprtcases.Observation, err error) {
	return o, errors.ErrUnsupported
}

func (e *program) SetHookEnabled(string, bool) error { return errors.ErrUnsupported }

func (e *program) ChangeSettings(jsontext.Value) error { return errors.ErrUnsupported }

func (e *program) Reinitialize() error { return nil }

func (e *program) Close() error { return nil }
