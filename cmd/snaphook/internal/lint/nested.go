package lint

import (
	"path/filepath"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
)

// nestedScripts returns the programs that a shell text passes as a word, such as to sh -c and python3 -c.
func nestedScripts(s *hookScript) (found []*hookScript) {
	if s.ast == nil {
		return nil
	}
	syntax.Walk(s.ast, func(node syntax.Node) bool {
		n, ok := node.(*syntax.CallExpr)
		if !ok || len(n.Args) < 3 || len(found) >= maxFound {
			return true
		}
		if l, known := languageOf(name(n)); known {
			if text, ok := programWord(n, l); ok {
				one := &hookScript{file: s.file, at: s.pos(n.Pos()), text: []byte(text), lang: l, inline: true}
				one.posix = l == langShell && slices.Contains([]string{"sh", "dash"}, name(n))
				one.parse()
				found = append(found, one)
			}
		}
		return true
	})
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

// withNested returns the scripts of a hook, each followed by the programs that it passes as words.
func (v *hookView) withNested() (all []*hookScript) {
	for _, s := range v.scripts {
		all = append(append(all, s), nestedScripts(s)...)
	}
	return all
}

// libraries returns the files that the scripts of a hook read with source.
func (v *hookView) libraries() (found []*hookScript) {
	for _, s := range v.scripts {
		if s.inline || s.ast == nil {
			continue
		}
		w := &callWalker{shellScope: v.newScope(v.Dir, s.path, v.pluginRoot()), at: hook.Position{File: s.file}}
		w.stmts(s.ast.Stmts, false)
		for _, c := range w.found {
			if p := c.program(); p != "." && p != "source" || c.file() == "" || c.file() == s.path {
				continue
			}
			if lib := v.script(c.file(), c); lib != nil && lib.lang == langOther && filepath.Ext(lib.path) == "" {
				// The file has no first line and no ending that names its language. It is shell text, because a shell
				// sources it.
				lib.lang = langShell
				lib.parse()
			} else if lib == nil {
				continue
			}
			found = append(found, v.linter.scripts[c.file()])
		}
	}
	return found
}
