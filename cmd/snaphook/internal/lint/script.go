package lint

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// lang is the language of a script.
type lang uint8

const (
	langOther lang = iota
	langShell
	langPython
	langNode
	langPowerShell
)

// hookScript is a text that a hook runs: its command, or a file.
type hookScript struct {
	file   string // for positions
	path   string // absolute; empty for a command
	at     hook.Position
	text   []byte
	mode   fs.FileMode
	lang   lang
	inline bool // the command of the hook
	posix  bool // /bin/sh runs it
	zsh    bool // the syntax is unknown

	shebang string // the text after #!
	ast     *syntax.File
	mistake error // the syntax error

	ignores []ignore
}

// parse reads shell syntax.
func (s *hookScript) parse() {
	if s.lang != langShell || s.zsh {
		return
	}
	text := strings.ReplaceAll(string(s.text), "\r\n", "\n")
	s.ast, s.mistake = ParseShell(text, syntax.LangBash)
	if s.mistake != nil {
		s.ast = nil
	}
}

// position returns the position of an offset of the script. For a script that is written in the settings, it is the
// position of the command.
func (s *hookScript) position(at int) hook.Position {
	if s.inline {
		return s.at
	}
	return positionOf(s.file, s.text, at)
}

// pos returns the position of a node.
func (s *hookScript) pos(p syntax.Pos) hook.Position {
	if s.inline || !p.IsValid() {
		return s.at
	}
	return hook.Position{File: s.file, Line: int(p.Line()), Column: int(p.Col())}
}

// follow reads the files that the calls of the command run.
func (v *hookView) follow() {
	for _, c := range v.calls {
		path := c.file()
		if path == "" {
			continue
		}
		if s := v.script(path, c); s != nil && !slices.Contains(v.scripts, s) {
			v.scripts = append(v.scripts, s)
		}
	}
}

// file returns the absolute path of the file that a call runs: the script of an interpreter, a program named by its
// path, or a file that it sources. It returns "" if the call runs no file.
func (c programCall) file() string {
	if _, script, _, ok := c.interpreted(); ok {
		return c.resolve(script)
	}
	if p := c.program(); strings.ContainsRune(p, '/') {
		return c.resolve(p)
	}
	if len(c.words) > 1 && (c.program() == "." || c.program() == "source") && c.known[1] &&
		strings.ContainsRune(c.words[1], '/') {
		return c.resolve(c.words[1])
	}
	return ""
}

func (c programCall) resolve(word string) string {
	path, _ := (&shellScope{dir: c.dir}).path(word)
	return path
}

// script reads the file of a call once; nil if the file cannot be read, is not text, or belongs to the system.
func (l *linter) script(path string, c programCall) *hookScript {
	if s, seen := l.scripts[path]; seen {
		return s
	}
	l.scripts[path] = nil
	if isSystems(path) {
		return nil
	}
	text, err := bounded.ReadFile(l.ctx, path, maxScript)
	if err != nil || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil
	}
	s := &hookScript{file: shortPath(path), path: path, text: text}
	s.at = hook.Position{File: s.file, Line: 1, Column: 1}
	if info, err := os.Stat(path); err == nil {
		s.mode = info.Mode()
	}
	s.language(c)
	s.parse()
	s.ignores = scriptIgnores(s)
	l.scripts[path] = s
	return s
}

// language determines the language of the script: by the program that runs it, else by its first line,
// else by its name.
func (s *hookScript) language(c programCall) {
	if rest, ok := bytes.CutPrefix(s.text, []byte("#!")); ok {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		s.shebang = strings.TrimSpace(string(line[:min(len(line), 256)]))
	}
	program := shebangProgram(s.shebang)
	if l, _, _, ok := c.interpreted(); ok && l != langOther {
		program = base(c.program())
		if l == langPython {
			program = "python3" // uv runs Python too
		}
	}
	if program == "" {
		program = map[string]string{".sh": "sh", ".bash": "bash", ".py": "python3", ".js": "node", ".mjs": "node", ".cjs": "node", ".ts": "node", ".zsh": "zsh", ".ps1": "pwsh"}[filepath.Ext(s.path)]
	}
	s.lang, _ = languageOf(program)
	s.zsh = program == "zsh" || program == "ksh"
	s.posix = program == "sh" || program == "dash"
}

// shebangProgram returns the base name of the interpreter in a first line.
func shebangProgram(line string) string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	if base(words[0]) != "env" {
		return base(words[0])
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return base(word)
		}
	}
	return ""
}

// isSystems reports whether a file belongs to the operating system, which lint does not check.
func isSystems(path string) bool {
	return slices.ContainsFunc(
		[]string{"/bin/", "/sbin/", "/usr/", "/lib/", "/nix/", "/opt/homebrew/", "/dev/", "/proc/", "/sys/"},
		func(dir string) bool { return strings.HasPrefix(path, dir) },
	)
}

// shortPath returns a path relative to the current directory, if the file is below it.
func shortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return path
}

// isThere reports whether a file exists; it returns true if this cannot be determined.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(errorText(err), "not a directory")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
