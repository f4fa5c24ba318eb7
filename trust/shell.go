package trust

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

const (
	mostDepth = 16 // nesting of scripts that run scripts
	mostDirs  = 16 // possible working directories of a script
)

// shellScope is the state at one point of a shell text: known variables and directory.
type shellScope struct {
	c     *fileCollector
	path  string              // the script; empty for the command of a hook
	dirs  []string            // the possible working directories
	vars  map[string][]string // the assigned values; nil: not known
	proc  *shellProcess
	stdin []arg // texts that the current command reads as its input
	quiet bool  // the text may never run: parts that cannot be analysed do not make the hook unclear
	text  string
}

// shellProcess is a shell with its functions. Which of the called names are functions is only known at its end.
type shellProcess struct {
	functions map[string]bool
	unknown   []string // programs that may run anything, unless a function has their name
	path      []string // folders of the project that it adds to PATH
}

func newScope(c *fileCollector, path string) *shellScope {
	s := &shellScope{c: c, path: path, dirs: []string{c.dir}, vars: map[string][]string{}}
	s.proc = &shellProcess{functions: map[string]bool{}}
	c.procs = append(c.procs, s.proc)
	if path != "" {
		for _, dir := range c.folderOf(path) {
			s.addDir(dir)
		}
	}
	return s
}

// folderOf returns the folder of a file, as named and with links resolved.
func (l *lookUps) folderOf(path string) []string {
	dirs := []string{filepath.Dir(path)}
	if real, err := l.real(path); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = append(dirs, filepath.Dir(real))
	}
	return dirs
}

func (s *shellScope) addDir(dir string) {
	if !slices.Contains(s.dirs, dir) && len(s.dirs) < mostDirs {
		s.dirs = append(s.dirs, dir)
	}
}

// fork returns the scope of a shell that the shell of s starts.
func (s *shellScope) fork() *shellScope {
	inner := *s
	inner.dirs, inner.vars = slices.Clone(s.dirs), maps.Clone(s.vars)
	return &inner
}

func (s *shellScope) cannotSee(format string, args ...any) {
	if !s.quiet {
		s.c.cannotSee(format, args...)
	}
}

// script finds the files that a text of shell runs.
func (s *shellScope) script(text string) error {
	if s.c.depth++; s.c.depth > mostDepth {
		s.cannotSee("its scripts run each other more than %d deep", mostDepth)
		return nil
	}
	defer func() { s.c.depth-- }()
	defer func(was string) { s.text = was }(s.text)
	s.text = text
	s.c.looks += len(text) / 32
	for stmt, wrong := range bash.Stmts(text) { // a shell also runs the statements before a syntax error
		if wrong != nil {
			s.cannotSee("a script of it cannot be read: %v", wrong)
			return nil
		}
		if err := s.walk(stmt); err != nil {
			return err
		}
	}
	return nil
}

func (s *shellScope) walk(stmt *syntax.Stmt) (err error) {
	syntax.Walk(stmt, func(node syntax.Node) bool {
		if node == nil || err != nil {
			return err == nil
		}
		err = s.visit(node)
		return err == nil
	})
	return err
}

func (s *shellScope) visit(node syntax.Node) error {
	if err := s.c.spent(); err != nil {
		return err
	}
	switch node := node.(type) {
	case *syntax.FuncDecl:
		if node.Name != nil {
			s.proc.functions[node.Name.Value] = true
		}
	case *syntax.Stmt:
		return s.input(node)
	case *syntax.BinaryCmd:
		if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
			return s.pipe(node)
		}
	case *syntax.Assign:
		return s.assign(node)
	case *syntax.WordIter:
		return s.loop(node)
	case *syntax.CallExpr:
		for _, a := range node.Assigns {
			if err := s.assign(a); err != nil {
				return err
			}
		}
		return s.program(s.words(node.Args))
	case *syntax.Redirect:
		if node.Word != nil && (node.Op == syntax.RdrIn || node.Op == syntax.RdrInOut || node.Op == syntax.WordHdoc) {
			return s.cover(s.word(node.Word), false)
		}
	}
	return nil
}

// input stores the here-documents and here-strings of a command in stdin, and covers the input if the command is a
// shell that reads its script from there.
func (s *shellScope) input(stmt *syntax.Stmt) error {
	s.stdin = nil
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	shell := s.readsInput(call)
	for _, r := range stmt.Redirs {
		word := r.Hdoc
		if r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn {
			word = r.Word
		}
		if word == nil {
			continue
		}
		a := s.word(word)
		if r.Op != syntax.RdrIn {
			s.stdin = append(s.stdin, a)
		}
		switch {
		case !shell:
		case !a.known:
			s.cannotSee("the input of a shell is not known before the hook runs")
		case r.Op == syntax.RdrIn:
			for _, text := range a.texts {
				if err := s.source(text); err != nil {
					return err
				}
			}
		default:
			if err := s.script(strings.Join(a.texts, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// readsInput reports whether a call starts a shell that reads its script from standard input.
func (s *shellScope) readsInput(call *syntax.CallExpr) bool {
	args := s.words(call.Args)
	for i, a := range args {
		if a.known && len(a.texts) > 0 && bash.Interpreter(a.texts[0]) == bash.Shell {
			return !slices.ContainsFunc(
				args[i+1:],
				func(a arg) bool { return a.known && len(a.texts) > 0 && !strings.HasPrefix(a.texts[0], "-") },
			)
		}
		if i == 0 && !(a.known && len(a.texts) > 0 && isWrapper(a.texts[0])) {
			break
		}
	}
	return false
}

func isWrapper(name string) bool {
	_, is := bash.Wrappers[filepath.Base(name)]
	return is
}

// pipe covers the text that a shell reads from cat, echo or printf. The text of any other program is not known. The
// words of both commands are covered elsewhere.
func (s *shellScope) pipe(pipe *syntax.BinaryCmd) error {
	to, ok := pipe.Y.Cmd.(*syntax.CallExpr)
	if !ok || !s.readsInput(to) {
		return nil
	}
	var words []string
	if from, ok := pipe.X.Cmd.(*syntax.CallExpr); ok {
		words = texts(s.words(from.Args))
	}
	if len(words) > 1 && filepath.Base(words[0]) == "cat" && !slices.ContainsFunc(words[1:], isOption) {
		for _, file := range words[1:] {
			if err := s.source(file); err != nil {
				return err
			}
		}
		return nil
	}
	text, known := printed(words)
	if !known {
		s.cannotSee("the text that is piped into a shell is not known before the hook runs")
		return nil
	}
	return s.script(text)
}

// isOption reports whether a word is, or may be, an option, or stands for standard input.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// texts returns the words of a command, or nil if one is not known.
func texts(args []arg) []string {
	words := make([]string, len(args))
	for i, a := range args {
		if !a.known || len(a.texts) != 1 {
			return nil
		}
		words[i] = a.texts[0]
	}
	return words
}

// printed returns the output of echo, and of printf with a plain text, "%s" or "%s\n" as its format. known is false for
// other calls, and for words that some shells change.
func printed(words []string) (text string, known bool) {
	if len(words) < 2 {
		return "", false
	}
	switch name, args := filepath.Base(words[0]), words[1:]; {
	case name == "echo":
		text = strings.Join(args, " ")
		return text, !isOption(text) && !strings.Contains(text, `\`)
	case name == "printf" && args[0] == `%s`:
		return strings.Join(args[1:], ""), true
	case name == "printf" && args[0] == `%s\n`:
		return strings.Join(args[1:], "\n"), true
	case name == "printf":
		return args[0], len(args) == 1 && !isOption(args[0]) && !strings.ContainsAny(args[0], `%\`)
	}
	return "", false
}

// loop records the values of a loop variable.
func (s *shellScope) loop(iter *syntax.WordIter) error {
	var values []string
	known := iter.InPos.IsValid()
	for _, a := range s.words(iter.Items) {
		known = known && a.known
		for _, text := range a.texts {
			values = append(values, s.existing(text)...)
			values = append(values, text)
		}
	}
	if !known || len(values) > mostValues {
		values = nil
	}
	s.vars[iter.Name.Value] = values
	return nil
}

// directory covers everything below a directory of the project, or a file.
func (s *shellScope) directory(text string) error {
	for _, path := range s.paths(text) {
		info, err := s.c.stat(path)
		switch {
		case err != nil || !s.c.below(path):
		case !info.IsDir():
			if _, err := s.c.file(path, true); err != nil {
				return err
			}
		case path == s.c.dir:
			s.cannotSee("it searches the whole project, so any of its files may run")
		default:
			err := s.c.walk(path, func(file string) error { _, err := s.c.file(file, false); return err })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// source reads a file as shell text, regardless of its name.
func (s *shellScope) source(text string) error {
	for _, path := range s.existing(text) {
		if err := s.c.shellFile(path, s); err != nil {
			return err
		}
	}
	s.missing(text)
	if strings.ContainsRune(text, '/') {
		return nil
	}
	return s.search(text, "source", func(path string) error { return s.c.shellFile(path, s) })
}
