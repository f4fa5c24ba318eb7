package bench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type (
	guarded struct {
		Name string `json:"name"`
	}
	verdict struct{}
)

var guard = pipeline.Declare(&pipeline.Dialect{Name: "bench"}, pipeline.Spec[guarded, verdict]{Name: "Guard", Can: pipeline.CanBlock})

const call = `{"name":"ls"}`

// benchOf returns a benchmark of hooks in a directory.
func benchOf(dir string, n int, hooks ...*hook.Hook) *Bench {
	return &Bench{
		Event: guard, Input: []byte(call), N: n,
		System: func(change func(*pipeline.Loaded), warm pipeline.Warmer) *pipeline.System {
			return pipeline.NewSystem(pipeline.Config{Log: quiet, Warm: warm, Load: []pipeline.Load{
				func(context.Context, pipeline.Workspace) (l pipeline.Loaded, err error) {
					for _, h := range hooks {
						mine := *h
						if c, ok := hook.RunnerAs[*run.Command](h.Runner); ok {
							mine.Runner = &run.Command{Argv: c.Argv}
						}
						l.Hooks = append(l.Hooks, &mine)
					}
					change(&l)
					return l, nil
				},
			}})
		},
		Session: func(ctx context.Context, sys *pipeline.System) (*pipeline.Session, error) {
			return sys.NewSession(ctx, pipeline.SessionConfig{ID: "s", Dir: dir})
		},
	}
}

// A script that needs its shell for this input is not reported as warm, although it can run in the process for other
// inputs.
func TestAScriptThatIsLeftToItsShellIsNotWarm(t *testing.T) {
	if runtime.GOOS != "linux" || !run.HasBash() {
		t.Skip("scripts of bash run in this process on Linux")
	}
	for script, want := range map[string]string{
		`read -r x; case $x in *ls*) trap : EXIT;; esac`:    "bash has to run this call: ",
		`read -r x; case $x in *zebra*) trap : EXIT;; esac`: "",
		`trap : EXIT; read -r x`:                            "trap",
	} {
		r, err := benchOf(t.TempDir(), 1, starts("bash", "-c", script)).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Hooks[0]; !strings.Contains(h.WarmNote, want) || (h.Warm == nil) != (want != "") {
			t.Errorf("%s: warm %v, note %q; want %q", script, h.Warm, h.WarmNote, want)
		}
	}
}

// starts returns a hook that starts a program.
func starts(argv ...string) *hook.Hook {
	return &hook.Hook{
		Identity:  hook.Identity{ID: argv[0], Dialect: "bench", Event: "Guard", Type: "command", Command: quoted(argv)},
		Selection: hook.Selection{Key: quoted(argv)},
		Runner:    &run.Command{Argv: argv},
	}
}

func inGo(f func()) *hook.Hook {
	return &hook.Hook{Identity: hook.Identity{ID: "go", Dialect: "bench", Event: "Guard", Type: "go", Command: "go"}, Func: hook.Func[guarded, verdict](
		func(context.Context, guarded) (o hook.Output[verdict], err error) {
			f()
			return o, nil
		})}
}

// project creates a project with a guard in Python and one in bash.
func project(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"guard.py": "import json, sys\ncall = json.load(sys.stdin)\nif 'rm' in call.get('name', ''):\n    sys.exit(2)\n",
		"guard.sh": "read -r call\nfor ((i = 0; i < 20000; i++)); do :; done\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A script of builtins can run in this process. The benchmark measures this kind of run, and advises it.
func TestAScriptOfBuiltinsIsMeasuredInTheProcess(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("scripts run in the process on Linux, where bash is installed")
	}
	dir := project(t)
	if err := os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("read -r call\n[[ $call != *nothing* ]]\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	result, err := benchOf(dir, 12, starts("bash", "guard.sh")).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := result.Hooks[0]
	if h.Warm == nil || h.WarmNote != "" || h.Warm.P50 >= h.Cold.P50 {
		t.Fatalf("the script is %+v; want it faster in the process", h)
	}
	if len(result.Advice) != 1 || !strings.Contains(result.Advice[0].Text, `"warm":"bash"`) {
		t.Errorf("the advice is %+v; want warm bash", result.Advice)
	}
}

// python3 returns the path of the system's Python, or else the path of the first python3 in PATH. It returns the empty
// text if neither exists.
func python3() (path string) {
	path, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		path, _ = exec.LookPath("python3")
	}
	return path
}

// tries limits how many times a busy machine may spoil a comparison.
const tries = 6

func TestAdviceIsForThoseWhomItHelps(t *testing.T) {
	python := python3()
	if python == "" || runtime.GOOS != "linux" {
		t.Skip("hooks are kept warm on Linux, and this one is in Python")
	}
	dir := project(t)
	guard := starts(python, "guard.py")
	var result *Result
	for range tries {
		var err error
		result, err = benchOf(dir, 12, guard, starts("/bin/true"), inGo(func() {})).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Advice) == 1 {
			break
		}
	}
	if len(result.Advice) != 1 || result.Advice[0].ID != "warm" || result.Advice[0].Hook != guard.ID || result.Advice[0].GainMS <= 0 {
		t.Errorf("the advice is %+v; want one, warm for the guard in Python", result.Advice)
	}
	if h := result.Hooks[0]; h.Warm == nil || h.Startup == nil || h.StartupCommand == "" || h.Startup.P50 <= 0 || h.WarmNote != "" {
		t.Errorf("the guard in Python is %+v; want a warm time and a start-up", h)
	}
	if h := result.Hooks[1]; h.Warm != nil || h.WarmNote == "" {
		t.Errorf("a program is %+v; want no warm time, and why", h)
	}
	if h := result.Hooks[2]; h.Startup != nil || h.StartupCommand != "" {
		t.Errorf("a hook in Go is %+v; want no start-up", h)
	}
	if result.Fire.Warm == nil || result.Engine.P50 <= 0 {
		t.Errorf("the fire is %+v, the engine takes %v µs; want both measured", result.Fire, result.Engine.P50)
	}
}

func TestAShellThatIsNotNeededIsAdvice(t *testing.T) {
	h := starts("bash", "-c", "cat | /bin/true")
	var result *Result
	for range tries {
		var err error
		if result, err = benchOf(t.TempDir(), 25, h).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(result.Advice) > 0 {
			break
		}
	}
	if len(result.Advice) != 1 || result.Advice[0].ID != "argv" {
		t.Errorf("the advice is %+v; want argv", result.Advice)
	}
}

func TestNothingToMeasure(t *testing.T) {
	if _, err := benchOf(t.TempDir(), 1).Run(t.Context()); !errors.Is(err, ErrNoHook) {
		t.Errorf("got %v; want ErrNoHook", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := benchOf(t.TempDir(), 1, starts("/bin/true")).Run(ctx); err == nil {
		t.Error("a benchmark whose context has ended succeeds; want an error")
	}
}

// Compare reports only real changes. The hook sleeps, since on a busy machine a sleep takes only a
// little longer.
func TestCompareFindsARealChangeAlone(t *testing.T) {
	measure := func(d time.Duration) *Result {
		r, err := benchOf(t.TempDir(), 20, inGo(func() { time.Sleep(d) })).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	changed := func(old, now *Result) []string {
		differences, err := Compare(old, now)
		if err != nil {
			t.Fatal(err)
		}
		return lo.FilterMap(differences, func(d Difference, _ int) (string, bool) { return d.What, d.Changed && d.Ratio > 1.1 })
	}
	var same, slower []string
	for range tries {
		old, again, now := measure(50*time.Millisecond), measure(50*time.Millisecond), measure(60*time.Millisecond)
		if same, slower = changed(old, again), changed(old, now); len(same) == 0 && slices.Contains(slower, "go cold") {
			return
		}
	}
	t.Errorf("without a change %v are slower, with one of 20 %% %v; want none, and go cold", same, slower)
}
