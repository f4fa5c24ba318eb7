// Package splice replaces the placeholders of a shell script by references to variables: values do not become part of
// the script, except in single quotes of PowerShell.
//
// A placeholder may stand where a shell expands nothing: in single quotes or in a quoted here-document. There the
// quotes are closed around the reference, or the here-document loses its quotes and its other text is escaped. If the
// text is itself a program (sh -c, eval, python3 -c, awk), the inner shell expands the reference; in another language,
// the value must be a text that the language reads as plain text.
package splice

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Var is the value of a placeholder.
type Var struct {
	Name  string // name of the environment variable with the value
	Value string
	Word  bool // the value stays one word even if unquoted; otherwise it is split like text
}

// CodeError reports a value that a program would read as code.
type CodeError struct {
	Placeholder string
	Name        string // name of the variable with the value
	Language    string
	Write       string // the text to write in place of the placeholder
}

func (e *CodeError) Error() string {
	return fmt.Sprintf(
		"the value of %s would be read as %s here; write %s in its place, which has the same value",
		e.Placeholder, e.Language, e.Write,
	)
}

// Script replaces each match of pattern that find knows by a reference to the variable, and returns the new script. The
// error, a [*CodeError], is about the first value that would be read as code; the script must not be run then. In a
// script that cannot be parsed, every match is replaced by a plain reference.
func Script(script string, pattern *lazyregexp.Regexp, find func(placeholder string) (Var, bool)) (string, error) {
	s := splicer{prefix: "snaphook_mark"}
	for strings.Contains(script, s.prefix) {
		s.prefix += "_"
	}
	marked := pattern.ReplaceAllStringFunc(script, func(text string) string {
		v, ok := find(text)
		if !ok {
			return text
		}
		s.vars = append(s.vars, placed{v, text})
		return "${" + s.prefix + strconv.Itoa(len(s.vars)-1) + "}"
	})
	if len(s.vars) == 0 {
		return script, nil
	}
	s.mark = regexp.MustCompile(`\$\{` + s.prefix + `(\d+)\}`)
	out := s.mark.ReplaceAllStringFunc(s.script(marked, 0), func(mark string) string {
		return "${" + s.of(mark).Name + "}"
	})
	if s.refused != nil {
		return "", s.refused
	}
	return out, nil
}

type placed struct {
	Var
	text string
}

// splicer edits a script in which placeholder number n has become ${prefix n}, a mark.
type splicer struct {
	prefix  string
	mark    *regexp.Regexp
	vars    []placed
	refused *CodeError
}

// maxDepth limits the nesting of scripts in scripts.
const maxDepth = 4

func (s *splicer) of(mark string) placed {
	n, _ := strconv.Atoi(s.mark.FindStringSubmatch(mark)[1])
	return s.vars[n]
}

// script returns the script with its marks where a shell expands them. It returns a script that cannot be parsed
// unchanged.
func (s *splicer) script(text string, depth int) string {
	file, err := bash.Parse(text)
	if err != nil {
		s.plain(text, shell)
		return text
	}
	w := &scriptWalker{splicer: s, text: text, depth: depth, code: map[syntax.Node]*language{}}
	bash.Walk(file, nodeContext{SyntaxContext: bash.SyntaxContext{Bare: true}}, w.visit)
	out := w.edited()
	if _, err := bash.Parse(out); err != nil {
		s.plain(text, shell)
		return text
	}
	return out
}

// plain refuses values other than plain words in a text that is code. In shell code it also allows values that stay one
// word.
func (s *splicer) plain(text string, l *language) {
	for _, mark := range s.mark.FindAllString(text, -1) {
		if v := s.of(mark); !word.MatchString(v.Value) && !(l == shell && v.Word) {
			s.refuse(v, l)
		}
	}
}

func (s *splicer) refuse(v placed, l *language) {
	if s.refused == nil {
		s.refused = &CodeError{v.text, v.Name, l.name, fmt.Sprintf(l.write, v.Name)}
	}
}

// scriptEdit replaces a part of the text.
type scriptEdit struct {
	start, end int
	text       string
}

func (w *scriptWalker) edited() string {
	slices.SortStableFunc(w.edits, func(a, b scriptEdit) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for _, e := range w.edits {
		if e.start < done || e.end > len(w.text) {
			continue
		}
		out.WriteString(w.text[done:e.start] + e.text)
		done = e.end
	}
	out.WriteString(w.text[done:])
	return out.String()
}
