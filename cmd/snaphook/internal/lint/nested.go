package lint

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// nestedScripts returns the programs that a shell text passes as a word, such as to sh -c and python3 -c.
func nestedScripts(s *hookScript) (found []*hookScript) {
	if s.ast == nil {
		return nil
	}
	for n := range bash.Calls(s.ast) {
		if len(n.Args) < 3 || len(found) >= maxFound {
			continue
		}
		if l, known := languageOf(name(n)); known {
			if text, ok := programWord(n, l); ok {
				one := &hookScript{file: s.file, at: s.pos(n.Pos()), text: []byte(text), lang: l, inline: true}
				one.posix = l == langShell && slices.Contains([]string{"sh", "dash"}, name(n))
				one.parse()
				found = append(found, one)
			}
		}
	}
	return found
}

// programWord returns the word after -c or -e, if it is certain.
func programWord(n *syntax.CallExpr, l lang) (text string, ok bool) {
	for i, w := range n.Args[1 : len(n.Args)-1] {
		word, ok := literal(w)
		switch {
		case !ok, len(word) < 2, word[0] != '-':
			return "", false
		case word == "-c" && l != langNode, l == langShell && isFlags(word, 'c'), l == langNode && (word == "-e" || word == "--eval"):
			return literal(n.Args[i+2])
		}
	}
	return "", false
}

// inlineProgram returns the text that a call of Python or Node runs, as in python3 -c TEXT.
func inlineProgram(call *syntax.CallExpr) (l lang, text string) {
	l, ok := languageOf(name(call))
	if !ok || l != langPython && l != langNode {
		return l, ""
	}
	for i, w := range call.Args[1:] {
		option, _ := literal(w)
		if i+2 < len(call.Args) && slices.Contains([]string{"-c", "-e", "--eval", "-p", "--print"}, option) {
			text, _ := literal(call.Args[i+2])
			return l, text
		}
	}
	return l, ""
}
