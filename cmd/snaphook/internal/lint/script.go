package lint

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
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
