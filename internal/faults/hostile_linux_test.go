package faults

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// hostile is a name that a shell must never read.
const hostile = `a b;$(touch pwned)"'`

// The name of the project's directory is data wherever a path is used: the
// session's directory, the settings file, the variables in a command, the
// extension's directory, the transcript, the directory in which hooks run.
func TestAHostileDirectoryIsOnlyAName(t *testing.T) {
	leavesNothing(t)
	const bare = "an unquoted ${…} is the shell's to split, as ever"
	for _, test := range []struct{ command, fails string }{
		{`$LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR`, ""},
		{`"$LLXPRT_PROJECT_DIR/hook.sh" "$LLXPRT_PROJECT_DIR"`, ""},
		{`"$LLXPRT_PROJECT_DIR"/hook.sh "${LLXPRT_PROJECT_DIR}"`, ""},
		{`"${LLXPRT_PROJECT_DIR}/hook.sh" $LLXPRT_PROJECT_DIR`, ""},
		{`$GEMINI_PROJECT_DIR/hook.sh $CLAUDE_PROJECT_DIR`, ""},
		{`"$CLAUDE_PROJECT_DIR/hook.sh" "${GEMINI_PROJECT_DIR}"`, ""},
		{`./hook.sh "$PWD"`, ""},
		{`cd $LLXPRT_PROJECT_DIR && ./hook.sh $LLXPRT_PROJECT_DIR`, ""},
		{`bash $LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR`, ""},
		{`bash -c '"$0" "$1"' $LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR`, ""},
		{`echo "$($LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR)"`, ""},
		{"echo \"`$LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR`\"", ""},
		{`d=$LLXPRT_PROJECT_DIR; "$d/hook.sh" "$d"`, ""},
		{`if [ -d $LLXPRT_PROJECT_DIR ]; then $LLXPRT_PROJECT_DIR/hook.sh $LLXPRT_PROJECT_DIR; fi`, ""},
		{`${LLXPRT_PROJECT_DIR}/hook.sh`, bare},
		{`bash ${LLXPRT_PROJECT_DIR}/hook.sh`, bare},
		{`'$LLXPRT_PROJECT_DIR/hook.sh'`, "single quotes mean the text itself"},
	} {
		for _, shell := range []bool{false, true} {
			h := hostileWorld(t, test.command, "", shell)
			h.check(t, test.command, test.fails)
		}
	}
}

func TestAnExtensionInAHostileDirectory(t *testing.T) {
	leavesNothing(t)
	for _, command := range []string{
		`${extensionPath}/hook.sh ${extensionPath}`,
		`"${extensionPath}/hook.sh" "${extensionPath}"`,
		`"${extensionPath}"/hook.sh ${extensionPath}`,
		`bash ${extensionPath}/hook.sh ${extensionPath}`,
		`echo "$(${extensionPath}/hook.sh ${extensionPath})"`,
	} {
		for _, shell := range []bool{false, true} {
			h := hostileWorld(t, "", command, shell)
			h.check(t, command, "")
		}
	}
}

// project is a hostile directory with a hook in it.
type project struct {
	root string // holds everything that a hook could have written
	dir  string
	ses  *pipeline.Session
}

// hostileWorld writes a project with the command ours in its settings, or the command extensions in its extension; the
// other command is empty.
func hostileWorld(t *testing.T, ours, extensions string, shell bool) project {
	t.Helper()
	p := project{root: t.TempDir()}
	p.dir = filepath.Join(p.root, hostile)
	extension := filepath.Join(p.dir, "ext "+hostile)
	writeHooks(t, filepath.Join(p.dir, ".llxprt", "settings.json"), ours)
	writeHooks(t, filepath.Join(extension, "hooks", "hooks.json"), extensions)
	for _, dir := range []string{p.dir, extension} {
		// hook.sh prints the number of its arguments, its first argument, its directory and its input.
		if err := os.WriteFile(filepath.Join(dir, "hook.sh"), []byte("#!/bin/bash\nprintf '%s\\n' \"$#\" \"$1\" \"$PWD\"; cat\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{llxprt.Settings{
			Layers:     []settings.Layer{{Name: "project", Source: hook.Project, File: filepath.Join(p.dir, ".llxprt", "settings.json")}},
			Extensions: []llxprt.Extension{{Dir: extension}},
			Environ:    append(os.Environ(), "HOME="+p.dir, "TMPDIR="+p.dir),
			Shell:      shell,
		}.Load},
		Log: slog.New(&journal{}),
	})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: hostile, Dir: p.dir, Transcript: filepath.Join(p.dir, hostile+".jsonl")})
	if err != nil || len(ses.Problems()) > 0 {
		t.Fatal(err, ses.Problems())
	}
	p.ses = ses
	return p
}

func writeHooks(t *testing.T, file, command string) {
	t.Helper()
	hooks := ""
	if command != "" {
		hooks = fmt.Sprintf(`{"hooks": [{"type": "command", "command": %s}]}`, wire.Quote(command))
	}
	text := fmt.Sprintf(`{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [%s]}}`, hooks)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// check fires the hook. If fails gives a reason, the hook has to fail; otherwise it has to print its directory and its
// input unchanged. check also makes sure that no text was executed.
func (p project) check(t *testing.T, command, fails string) {
	t.Helper()
	c := llxprt.BeforeToolInput{Name: hostile, Input: wire.Object(nil).With("path", wire.Quote(p.dir))}
	res, err := llxprt.BeforeTool.Fire(t.Context(), p.ses, &c)
	if err != nil || len(res.Reports) != 1 {
		t.Fatalf("%s: %d reports, %v", command, len(res.Reports), err)
	}
	h := res.Reports[0].Hook
	given := p.dir
	if h.Source == hook.Extension {
		given = filepath.Join(p.dir, "ext "+hostile)
	}
	lines := strings.SplitN(res.Message, "\n", 4)
	switch {
	case fails != "" && res.OK():
		t.Errorf("%s worked: %q; want it to fail: %s", command, res.Message, fails)
	case fails != "":
	case !res.OK() || len(lines) != 4 || lines[0] != "1" || lines[1] != given || lines[2] != p.dir:
		t.Errorf("%s (%q): said %q, errors %v; want 1, %q and %q", command, h.Argv, res.Message, res.Errs(), given, p.dir)
	default:
		in := wire.Object(lines[3])
		if in.Text("cwd") != p.dir || in.Text("transcript_path") != filepath.Join(p.dir, hostile+".jsonl") || in.Text("session_id") != hostile || in.Text("tool_name") != hostile {
			t.Errorf("%s: read %s", command, lines[3])
		}
	}
	p.unharmed(t, command)
}

// unharmed fails the test if a shell has executed the directory's name: it looks for the file that the name would make,
// in every directory in which a shell could have run.
func (p project) unharmed(t *testing.T, command string) {
	t.Helper()
	_ = filepath.WalkDir(p.root, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.Name() == "pwned" {
			t.Errorf("%s: the name was executed: %s", command, path)
		}
		return nil
	})
	home, _ := os.UserHomeDir()
	for _, dir := range []string{".", "/", home, os.TempDir(), filepath.Dir(p.root)} {
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("%s: the name was executed in %s", command, dir)
		}
	}
}
