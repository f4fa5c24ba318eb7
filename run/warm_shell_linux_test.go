package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// scriptedShell is a shell whose scripts print their own text and exit with 3. It refuses scripts with the word
// "refused", leaves each call of a script with the word "left" to the installed shell, and counts both.
type scriptedShell struct{ compiled, called int }

// Compile reads a script for bash.
func (f *scriptedShell) Compile(text string) (inprocess.Script, error) {
	f.compiled++
	if strings.Contains(text, "refused") {
		return nil, errors.New("refused by the test")
	}
	return &scriptedScript{f, text}, nil
}

// CompileDash reads a script for dash.
func (f *scriptedShell) CompileDash(text string) (inprocess.Script, error) { return f.Compile(text) }

// Concerns reports whether a variable is the one of the test.
func (f *scriptedShell) Concerns(variable string) bool { return variable == "CONCERNS" }

type scriptedScript struct {
	shell *scriptedShell
	text  string
}

// UsesPWD returns false.
func (s *scriptedScript) UsesPWD() bool { return false }

// Run prints the text of the script.
func (s *scriptedScript) Run(*inprocess.Call) (r inprocess.Result, why string, ok bool) {
	s.shell.called++
	if strings.Contains(s.text, "left") {
		return r, "left by the test", false
	}
	return inprocess.Result{Exit: 3, Stdout: []byte(s.text)}, "", true
}

// scriptedHook is a command that runs hook.sh with bash, and is kept warm with a scriptedShell. bash exits with 4.
type scriptedHook struct {
	*Command
	t     *testing.T
	shell *scriptedShell
	dir   string
}

func newScriptedHook(t *testing.T, text string) *scriptedHook {
	t.Helper()
	need(t, "bash", "/bin/bash")
	dir := t.TempDir()
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "PWD=" + dir, "SHELL=/bin/bash"}
	h := &scriptedHook{
		Command: &Command{Argv: []string{"bash", "hook.sh"}, Environ: func(hook.Call) []string { return env }},
		t:       t, shell: &scriptedShell{}, dir: dir,
	}
	h.write(text)
	return h
}

func (h *scriptedHook) write(text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "hook.sh"), []byte(text+"\nexit 4\n"), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

// keep keeps the hook warm, and returns the note.
func (h *scriptedHook) keep(kind string) (note string) {
	w := &Warm{Log: quietLog, Tools: h.shell}
	h.t.Cleanup(w.Close)
	return h.SetWarm(w, kind, h.dir)
}

// exits makes a call, and fails the test if it exits with another status: 3 in this process, 4 with bash.
func (h *scriptedHook) exits(want int, env ...string) {
	h.t.Helper()
	reply, err := h.Run(h.t.Context(), hook.Call{Dir: h.dir, Hook: &hook.Hook{}, Env: env})
	if err != nil || reply.Exit != want {
		h.t.Errorf("exit %d, %q, %v; want %d", reply.Exit, reply.Stderr, err, want)
	}
}

func TestAScriptIsCompiledAgainWhenItsFileChanges(t *testing.T) {
	h := newScriptedHook(t, "# one")
	if note := h.keep(WarmBash); note != "" {
		t.Fatal(note)
	}
	h.exits(3)
	h.exits(3)
	h.write("# another text")
	h.exits(3)
	h.write("# refused")
	h.exits(4)
	h.write("# as before")
	h.exits(3)
	if h.shell.compiled != 4 {
		t.Errorf("%d texts were compiled, want each of 4 once", h.shell.compiled)
	}
}

// A script of which this process had to leave eight calls to bash is tried in one of 64 calls.
func TestAScriptThatBashHasToRunIsTriedRarely(t *testing.T) {
	h := newScriptedHook(t, "# left")
	if note := h.keep(WarmBash); note != "" {
		t.Fatal(note)
	}
	for range 2 * tryAgain {
		h.exits(4)
	}
	if want := lostCalls + 1; h.shell.called != want {
		t.Errorf("%d of %d calls were tried, want %d", h.shell.called, 2*tryAgain, want)
	}
	if use, _ := UsedShell(&hook.Hook{Runner: h.Command}, h.dir); !use.InProcess || use.Left != "left by the test" {
		t.Errorf("%+v, want the reason of the shell", use)
	}
	h.write("# another text that is left")
	h.shell.called = 0
	for range lostCalls {
		h.exits(4)
	}
	if h.shell.called != lostCalls {
		t.Errorf("%d calls of another text were tried, want %d", h.shell.called, lostCalls)
	}
}

// A call with a variable that changes how the shell works is left to bash.
func TestAVariableOfTheShellLeavesTheCallToBash(t *testing.T) {
	h := newScriptedHook(t, "# one")
	if note := h.keep(WarmBash); note != "" {
		t.Fatal(note)
	}
	h.exits(3, "OTHER=x")
	h.exits(4, "CONCERNS=x")
	h.exits(3)
}

// The kind "" reads the script at the first call; a kind that names bash has a note for a script that stays cold.
func TestAScriptThatTheShellRefusesStaysCold(t *testing.T) {
	h := newScriptedHook(t, "# refused")
	if note := h.keep(WarmBash); note != "refused by the test" {
		t.Errorf("note %q, want the reason of the shell", note)
	}
	h.exits(4)
	h.shell.compiled = 0
	if note := h.keep(""); note != "" || h.shell.compiled > 0 {
		t.Errorf("without a kind: note %q, %d compiled before the first call", note, h.shell.compiled)
	}
	h.exits(4)
	h.exits(4)
	if h.shell.compiled != 1 {
		t.Errorf("compiled %d times, want once", h.shell.compiled)
	}
}
