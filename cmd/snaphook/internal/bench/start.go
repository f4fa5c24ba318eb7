package bench

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// only returns a change that removes all hooks but the one with this ID, changes that hook, and makes
// it run in the foreground and at every fire.
func only(id string, change func(*hook.Hook)) func(*pipeline.Loaded) {
	return func(l *pipeline.Loaded) {
		l.Hooks = slices.DeleteFunc(l.Hooks, func(h *hook.Hook) bool { return h.ID != id })
		changed(id, func(h *hook.Hook) {
			h.Background, h.Once = hook.Foreground, false
			if change != nil {
				change(h)
			}
		})(l)
	}
}

// changed returns a change of one hook of the settings.
func changed(id string, change func(*hook.Hook)) func(*pipeline.Loaded) {
	return func(l *pipeline.Loaded) {
		for i, h := range l.Hooks {
			if h.ID == id {
				mine := *h
				change(&mine)
				l.Hooks[i] = &mine
			}
		}
	}
}

// start describes how a hook's process is started, and how it could be started without a shell.
type start struct {
	empty []string // the hook's command with an empty script
	said  string   // the command in empty, as text for people
	// The hook's program without a shell; nil if the hook has no shell, or if the program may differ in
	// effect.
	argv []string
}

func (s *start) replace(h *hook.Hook)      { replace(h, s.empty) }
func (s *start) withoutShell(h *hook.Hook) { replace(h, s.argv) }

// replace makes a hook start another program in the same way.
func replace(h *hook.Hook, argv []string) {
	c, _ := hook.RunnerAs[*run.Command](h.Runner)
	h.Runner = &run.Command{
		Argv: argv, Environ: c.Environ, Needs: c.Needs, Fallback: c.Fallback, NoTerminal: c.NoTerminal, Grace: c.Grace,
	}
}

// starter holds the directory and the environment in which a hook is started.
type starter struct {
	dir     string
	scratch string // a directory for empty scripts
	environ []string
}

// startOf describes the process that a command starts in a session.
func startOf(c *run.Command, h *hook.Hook, s *pipeline.Session, scratch string) *start {
	call := hook.Call{Hook: h, Session: s.ID(), Dir: s.Dir()}
	at := &starter{dir: s.Dir(), scratch: scratch, environ: os.Environ()}
	if c.Environ != nil {
		at.environ = c.Environ(call)
	}
	argv := c.Starts(call)
	found := &start{}
	text := slices.Index(argv, "-c") + 1
	if text == 0 || text >= len(argv) || !isShell(argv[0]) {
		found.empty = at.emptied(argv)
	} else if inner := at.plain(argv[text]); inner != nil {
		found.argv = inner
		found.empty = slices.Concat(argv[:text], []string{quoted(at.emptied(inner))}, argv[text+1:])
	} else {
		found.empty = slices.Concat(argv[:text], []string{""}, argv[text+1:])
	}
	found.said = quoted(found.empty)
	return found
}

func isShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh", "busybox"}, filepath.Base(program))
}

// isInterpreter reports whether a program runs the script that its first argument names.
func isInterpreter(program string) bool {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	return isShell(program) || slices.Contains([]string{"python", "node", "ruby", "perl", "bun", "deno", "php", "lua"}, name)
}

// emptied returns argv with an empty script. For an interpreter, it replaces the script; for a script, it returns the
// interpreter in the script's first line with the empty script. It returns an interpreter without a script unchanged,
// and for any other program a program that does nothing.
func (s *starter) emptied(argv []string) []string {
	if isInterpreter(argv[0]) {
		for i, arg := range argv[1:] {
			if !strings.HasPrefix(arg, "-") {
				return append(slices.Clone(argv[:i+1]), s.script(arg))
			}
			if arg == "-c" || arg == "-e" {
				return append(slices.Clone(argv[:i+2]), "")
			}
		}
		return argv
	}
	if interpreter := s.interpreterOf(argv[0]); interpreter != nil {
		return append(interpreter, s.script(argv[0]))
	}
	return []string{"true"}
}

// script returns the path of an empty script with the same extension.
func (s *starter) script(like string) string {
	path := filepath.Join(s.scratch, "empty"+filepath.Ext(like))
	_ = os.WriteFile(path, nil, 0o600) // after an error, starting the script fails too
	return path
}

// interpreterOf reads the first line of a script; it returns nil if the program is not a script.
func (s *starter) interpreterOf(program string) []string {
	path := program
	if !strings.Contains(program, "/") {
		path, _ = exec.LookPath(program)
	} else if !filepath.IsAbs(program) {
		path = filepath.Join(s.dir, program)
	}
	f, _, err := bounded.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	rest, is := strings.CutPrefix(line, "#!")
	if words := strings.Fields(rest); is && len(words) > 0 {
		return words
	}
	return nil
}

// plain returns the program and the arguments of a shell text that is a single call without other
// effects, or such a call after "cat |"; nil for any other text.
func (s *starter) plain(text string) []string {
	file, err := bash.Parse(text)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	stmt := file.Stmts[0]
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe && simple(stmt) && isCat(pipe.X) {
		stmt = pipe.Y
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || !simple(stmt) || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil
	}
	argv, err := expand.Fields(&expand.Config{Env: expand.ListEnviron(s.environ...), NoUnset: true}, call.Args...)
	if err != nil || len(argv) == 0 {
		return nil
	}
	if argv[0] == "exec" {
		argv = argv[1:]
	}
	if len(argv) == 0 || strings.HasPrefix(argv[0], "-") || syntax.IsKeyword(argv[0]) || !s.isProgram(argv[0]) {
		return nil
	}
	return argv
}

func simple(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && len(s.Redirs) == 0
}

func isCat(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	return ok && simple(s) && len(call.Assigns) == 0 && len(call.Args) == 1 && call.Args[0].Lit() == "cat"
}

// isProgram reports whether a word is the name of a program, and not a builtin of the shell.
func (s *starter) isProgram(word string) bool {
	if strings.Contains(word, "/") {
		return true
	}
	if slices.Contains([]string{"true", "false", "echo", "printf", "test", "[", "kill", "pwd", "time"}, word) {
		return false // builtins are faster than a program
	}
	_, err := exec.LookPath(word)
	return err == nil
}

func quoted(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		word, err := syntax.Quote(arg, syntax.LangBash)
		if err != nil {
			word = "'?'" // the argument has a NUL, which no process can get
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}
