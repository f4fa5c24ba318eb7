package warm

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// counting is a shell that counts the calls that it has run.
type counting struct {
	inprocess.Shell
	ran *atomic.Uint64
}

// Compile reads a script for bash.
func (c counting) Compile(text string) (inprocess.Script, error) {
	return c.counted(c.Shell.Compile(text))
}

// CompileDash reads a script for dash.
func (c counting) CompileDash(text string) (inprocess.Script, error) {
	return c.counted(c.Shell.CompileDash(text))
}

func (c counting) counted(s inprocess.Script, err error) (inprocess.Script, error) {
	if err != nil {
		return nil, err
	}
	return countedScript{s, c.ran}, nil
}

// countedScript is a script of a counting shell.
type countedScript struct {
	inprocess.Script
	ran *atomic.Uint64
}

// Run runs one call, and counts it if it has run.
func (s countedScript) Run(call *inprocess.Call) (r inprocess.Result, why string, ok bool) {
	r, why, ok = s.Script.Run(call)
	if ok {
		s.ran.Add(1)
	}
	return r, why, ok
}

// pair is a command that starts the shell, and the same command kept warm, whose shell has no programs.
type pair struct {
	t          *testing.T
	call       hook.Call
	cold, warm *run.Command
	note       string
	ran        *atomic.Uint64 // number of calls that have run in this process
}

func newPair(t *testing.T, argv, direct []string, dir string) *pair {
	t.Helper()
	env := []string{
		"PATH=/usr/bin:/bin", "HOME=" + dir, "LANG=C.UTF-8", "TOKEN=s3cret", "PWD=" + dir, "EMPTY=", "SHELL=/bin/bash",
	}
	environ := func(hook.Call) []string { return env }
	p := &pair{t: t, ran: new(atomic.Uint64), call: hook.Call{
		Dir: dir, Hook: &hook.Hook{Identity: hook.Identity{Event: "PreToolUse"}}, Payload: []byte("{\"tool_name\": \"Bash\",\n \"n\": 1}\n"),
		Env: []string{"CALL=one"},
	}}
	w := &run.Warm{Log: testkit.Quiet, Tools: counting{shell.NewTools(nil), p.ran}}
	t.Cleanup(w.Close)
	p.cold = &run.Command{Argv: argv, Direct: direct, Environ: environ}
	p.warm = &run.Command{Argv: argv, Direct: direct, Environ: environ}
	p.note = p.warm.SetWarm(w, run.WarmBash, dir)
	return p
}

// same compares a call of the warm command with a call of the cold one. inside says whether the warm command has to run
// in this process.
func (p *pair) same(inside bool) {
	p.t.Helper()
	want := testkit.Leaves(p.cold, p.call)
	for range 2 {
		before := p.ran.Load()
		if got := testkit.Leaves(p.warm, p.call); !cmp.Equal(got, want) {
			p.t.Errorf("warm %v:\n%s", p.ran.Load() > before, cmp.Diff(want, got))
		}
		if ran := p.ran.Load() > before; ran != inside {
			p.t.Errorf("it ran in this process: %v, want %v (note %q)", ran, inside, p.note)
		}
	}
}

// one makes one call.
func (p *pair) one(c *run.Command) {
	if _, err := c.Run(context.Background(), p.call); err != nil {
		p.t.Error(err)
	}
}

// ratio returns the time that calls take with the warm command, as a fraction of their time with the cold one. Both are
// medians of the given number of measurements.
func (p *pair) ratio(times int, calls func(c *run.Command)) float64 {
	var cold, warm []time.Duration
	for range times {
		for list, c := range map[*[]time.Duration]*run.Command{&cold: p.cold, &warm: p.warm} {
			start := time.Now()
			calls(c)
			*list = append(*list, time.Since(start))
		}
	}
	slices.Sort(cold)
	slices.Sort(warm)
	return float64(warm[times/2]) / float64(cold[times/2])
}

// projectOf makes a directory with the files that scripts look at.
func projectOf(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, dir, map[string]string{
		"hook.sh": "", "lib/data.json": `{"a": [1]}`, "package/inner.py": "def where():\n    return __name__\n",
		"helper.py": "def name():\n    return 'helper'\ndef fail():\n    raise LookupError('in helper')\n",
	})
	return dir
}

// needBash returns the path of bash, or skips the test.
func needBash(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("there is no /bin/bash")
	}
	return "/bin/bash"
}
