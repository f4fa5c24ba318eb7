package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// world is an engine with one session, and the facts that tests check about it.
type world struct {
	sys  *pipeline.System
	ses  *pipeline.Session
	dir  string
	mark string // is in the environment of every process that the engine starts
	log  *journal
}

// setup configures a world. The zero setup has no hooks.
type setup struct {
	commands   []string // of BeforeTool
	sequential bool
	timeout    time.Duration // of each command; 0 means the default
	text       string        // settings, in place of all of the above
	dir        string        // "" means a new one
	environ    []string      // variables besides the engine's
	shell      bool          // every command runs in a shell
}

func (s setup) settings() string {
	if s.text != "" {
		return s.text
	}
	entries := make([]string, len(s.commands))
	for i, command := range s.commands {
		entries[i] = fmt.Sprintf(`{"type": "command", "command": %s, "timeout": %d}`, wire.Quote(command), s.timeout.Milliseconds())
	}
	return fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {
		"BeforeTool": [{"sequential": %t, "hooks": [%s]}],
		"AfterTool": [{"hooks": [{"type": "command", "command": "cat >/dev/null; echo '{\"systemMessage\":\"alive\"}'"}]}]}}`,
		s.sequential, strings.Join(entries, ","))
}

var worlds atomic.Int64

// open makes a world, which ends with the test.
func open(t *testing.T, s setup) *world {
	t.Helper()
	w := newWorld(t, s.dir)
	w.start(t, llxprt.Settings{
		Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(s.settings())}},
		Environ: append(w.environ(), s.environ...),
		Shell:   s.shell,
	}.Load)
	return w
}

// newWorld makes a world that has no session yet. An empty dir means a new directory.
func newWorld(t *testing.T, dir string) *world {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	return &world{dir: dir, log: &journal{}, mark: fmt.Sprintf("SNAPHOOK_FAULT=%d-%d", os.Getpid(), worlds.Add(1))}
}

// environ returns the environment of hooks, with the mark.
func (w *world) environ() []string { return append(os.Environ(), w.mark) }

// start makes the engine, with the hooks that load finds.
func (w *world) start(t *testing.T, load pipeline.Load) {
	t.Helper()
	w.sys = pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}, Log: slog.New(w.log)})
	t.Cleanup(func() {
		w.sys.Close()
		w.leavesNoProcess(t)
	})
	ses, err := w.sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "faults", Dir: w.dir, Transcript: filepath.Join(w.dir, "t.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	if problems := ses.Problems(); len(problems) > 0 {
		t.Fatal(problems)
	}
	w.ses = ses
}

// call is the input of tests that accept any input.
var call = llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(`{"path":"notes.txt","content":"hello"}`)}

type result = hook.Result[llxprt.BeforeToolOutput]

// fire fires BeforeTool, and fails the test if the fire returns an error.
func (w *world) fire(t *testing.T) *result {
	t.Helper()
	return w.fireCall(t, call)
}

func (w *world) fireCall(t *testing.T, c llxprt.BeforeToolInput) *result {
	t.Helper()
	res, err := llxprt.BeforeTool.Fire(t.Context(), w.ses, &c)
	if err != nil {
		t.Fatalf("the fire itself failed: %v", err)
	}
	return res
}

// fireClosed fires on a system that is closed before or during the fire.
func (w *world) fireClosed(t *testing.T) *result {
	t.Helper()
	res, err := llxprt.BeforeTool.Fire(t.Context(), w.ses, &call)
	if !errors.Is(err, hook.ErrClosed) || !res.Blocked() || llxprt.ApplyBeforeTool(&call, res).Run {
		t.Errorf("a fire of a closed system: %v, blocked %v", err, res.Blocked())
	}
	return res
}

// alive checks that the same session runs an ordinary hook.
func (w *world) alive(t *testing.T) {
	t.Helper()
	res, err := llxprt.AfterTool.Fire(t.Context(), w.ses, &llxprt.AfterToolInput{Name: "write_file", Input: call.Input, Response: wire.Object(`{}`)})
	if err != nil || !res.OK() || res.Message != "alive" {
		t.Errorf("afterwards an ordinary hook said %q, errors %v, %v; want alive", res.Message, res.Errs(), err)
	}
}

// journal keeps the warnings of a log.
type journal struct {
	mu      sync.Mutex
	records []slog.Record
}

func (j *journal) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler               { return j }
func (j *journal) WithGroup(string) slog.Handler                    { return j }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records = append(j.records, r)
	return nil
}

// forget drops the log records.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records = nil
}

// failures returns a text for each warning: the error of a hook that failed open, or the message of another warning. It
// leaves out the warning about a blocked fire.
func (j *journal) failures() (errs []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.records {
		if r.Message == "the hooks could not be run; the action is blocked" {
			continue // the warning is about the fire, not about a hook
		}
		if r.Message != "hook failed; the action goes ahead" {
			errs = append(errs, r.Message)
			continue
		}
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "error" {
				errs = append(errs, a.Value.String())
			}
			return true
		})
	}
	return errs
}

// form is one way to make a hook of a script.
type form struct {
	name  string
	shell bool
}

// forms lists the two ways to make a hook of a script: a file that the engine starts itself, and a text that is given
// to bash.
var forms = []form{{name: "direct"}, {name: "bash", shell: true}}

// eachForm runs a test for a hook of each form.
func eachForm(t *testing.T, script string, s setup, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) { test(t, f.open(t, script, s)) })
	}
}

// open makes a world with a hook of this form.
func (f form) open(t *testing.T, script string, s setup) *world {
	t.Helper()
	s.shell, s.commands = f.shell, []string{script}
	if !f.shell {
		s.commands[0] = executable(t, script)
	}
	w := open(t, s)
	if argv := w.ses.Hooks()[0].Argv; (len(argv) == 1) != !f.shell {
		t.Fatalf("the hook starts as %q, want it %s", argv, f.name)
	}
	return w
}

// executable writes a script to a file.
func executable(t *testing.T, script string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "hook.sh")
	if err := os.WriteFile(file, []byte("#!/bin/bash\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
