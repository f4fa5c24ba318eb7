package lint

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/hook"
)

// marker begins the comment that ignores findings: snaphook-ignore ID, ID.
const marker = "snaphook-ignore"

// ignore is one comment that ignores findings.
type ignore struct {
	at    hook.Position // position of the comment
	ids   []string
	line  int  // the line whose findings it ignores
	whole bool // the comment ignores findings in the whole file

	hook hook.Position // used in place of line if a hook's command has the comment
}

// ignoredIDs returns the ids that a comment ignores; ok is false for other comments.
func ignoredIDs(comment string) (ids []string, ok bool) {
	comment = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(comment), "#/*"))
	rest, ok := strings.CutPrefix(comment, marker)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t:") {
		return nil, false
	}
	rest = strings.TrimSuffix(strings.TrimLeft(rest, ": \t"), "*/")
	for word := range strings.FieldsFuncSeq(rest, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' }) {
		id := strings.TrimSuffix(word, ":")
		if !isID(id) {
			break // the words after the ids are the reason
		}
		if ids = append(ids, id); id != word {
			break
		}
	}
	return ids, true
}

func isID(word string) bool {
	return strings.Contains(word, "-") && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		strings.Trim(word, "-") == word
}

// settingsIgnores returns the comments of a settings file that ignore findings. A comment on its own line ignores
// findings of the next line that has other text.
func settingsIgnores(file string, text []byte) (all []ignore) {
	for at := 0; at < len(text); at++ {
		switch {
		case text[at] == '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case bytes.HasPrefix(text[at:], []byte("//")), bytes.HasPrefix(text[at:], []byte("/*")):
			end := bytes.IndexByte(text[at:], '\n')
			if text[at+1] == '*' {
				if end = bytes.Index(text[at:], []byte("*/")); end >= 0 {
					end += 2
				}
			}
			if end < 0 {
				end = len(text) - at
			}
			if ids, ok := ignoredIDs(string(text[at : at+end])); ok && len(all) < maxFound {
				all = append(all, newIgnore(file, text, at, at+end, ids, "//"))
			}
			at += end - 1
		}
	}
	return all
}

// newIgnore returns the ignore of a comment, with the line that it concerns.
func newIgnore(file string, text []byte, start, end int, ids []string, comment string) ignore {
	g := ignore{at: positionOf(file, text, start), ids: ids}
	g.line = g.at.Line
	before := text[bytes.LastIndexByte(text[:start], '\n')+1 : start]
	if len(bytes.TrimSpace(before)) > 0 {
		return g
	}
	rest := text[min(end, len(text)):]
	g.line += bytes.Count(text[start:min(end, len(text))], []byte("\n"))
	for line := range bytes.Lines(rest) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 0 && !bytes.HasPrefix(trimmed, []byte(comment)) {
			return g
		}
		if bytes.HasSuffix(line, []byte("\n")) {
			g.line++
		}
	}
	return g
}

// scriptIgnores returns the comments of a script that ignore findings. A comment before the first statement concerns
// the whole file.
func scriptIgnores(s *hookScript) (all []ignore) {
	comment, head, at := "#", true, 0
	if s.lang == langNode {
		comment = "//"
	}
	for line := range strings.Lines(string(s.text)) {
		trimmed := strings.TrimSpace(line)
		head = head && (trimmed == "" || strings.HasPrefix(trimmed, comment) || strings.HasPrefix(trimmed, "#!"))
		if i := strings.Index(line, comment+" "+marker); i >= 0 || strings.Contains(line, comment+marker) {
			i = max(i, strings.Index(line, comment+marker))
			if ids, ok := ignoredIDs(line[i:]); ok && len(all) < maxFound {
				g := newIgnore(s.file, s.text, at+i, at+len(strings.TrimRight(line, "\r\n")), ids, comment)
				g.whole = head
				all = append(all, g)
			}
		}
		at += len(line)
	}
	return all
}

// commandIgnores returns the ids that comments of a hook's command ignore.
func commandIgnores(file *syntax.File) (ids []string) {
	if file == nil || len(file.Stmts) == 0 && len(file.Last) == 0 {
		return nil
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		if c, ok := node.(*syntax.Comment); ok {
			more, _ := ignoredIDs(c.Text)
			ids = append(ids, more...)
		}
		return true
	})
	return ids
}

// isIgnored reports whether a comment ignores a finding. The comment may be in the finding's file, or in the command
// of a hook that the finding concerns.
func isIgnored(f Finding, all []ignore) bool {
	places := append([]hook.Position{f.Position}, f.around...)
	return slices.ContainsFunc(all, func(g ignore) bool {
		return slices.Contains(g.ids, f.ID) && slices.ContainsFunc(places, func(at hook.Position) bool {
			if g.hook.File != "" {
				return at == g.hook
			}
			return at.File == g.at.File && (g.whole || at.Line == g.line)
		})
	})
}

func ignoresOf(l *linter) (all []ignore) {
	for _, d := range l.documents {
		all = append(all, d.ignores...)
	}
	for _, s := range l.scripts {
		if s != nil {
			all = append(all, s.ignores...)
		}
	}
	for _, v := range l.views {
		if v.doc == nil || len(v.scripts) == 0 || !v.scripts[0].inline {
			continue
		}
		if ids := commandIgnores(v.scripts[0].ast); len(ids) > 0 {
			all = append(all, ignore{at: v.at("command"), ids: ids, hook: v.h.Position})
		}
	}
	return all
}
