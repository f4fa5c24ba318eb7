package splice

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hereDocument turns a quoted here-document with marks into one without quotes: the marks become references, and the
// other text is escaped. A here-document that an inner shell runs keeps its quotes, because that shell expands the
// marks. It reports whether it has handled the redirection.
func (w *scriptWalker) hereDocument(n *syntax.Redirect, here nodeContext) bool {
	body, closing, ok := w.quotedText(n)
	if !ok || !w.mark.MatchString(body.text) {
		return false
	}
	l := w.code[n]
	if l == shell && here.code == nil && !here.Backtick && w.depth < maxDepth {
		body.text = w.script(body.text, w.depth+1) // the inner shell expands the marks
		w.edits = append(w.edits, body)
		return true
	}
	if l != nil {
		w.scan(body.text, l)
	}
	for _, mark := range w.mark.FindAllString(body.text, -1) {
		w.fits(w.of(mark), here)
	}
	name := "END"
	for strings.Contains(w.text, name) {
		name += "_"
	}
	body.text = w.escape(body.text)
	if here.Backtick { // backticks remove one more level of backslashes
		body.text = strings.ReplaceAll(body.text, `\`, `\\`)
	}
	closing.text = name
	from, to, _ := w.span(n.Word)
	w.edits = append(w.edits, scriptEdit{from, to, name}, body, closing)
	return true
}

// quotedText returns the body of a quoted here-document and its closing word, with their positions.
func (w *scriptWalker) quotedText(n *syntax.Redirect) (body, closing scriptEdit, ok bool) {
	if n.Hdoc == nil {
		return body, closing, false
	}
	from, to, ok := w.span(n.Word)
	start := int(n.Hdoc.Pos().Offset())
	if !ok || start < to || start > len(w.text) || !strings.ContainsAny(w.text[from:to], `'"\`) {
		return body, closing, false
	}
	start = strings.LastIndexByte(w.text[:start], '\n') + 1
	stop, static := w.flatten(n.Word)
	at := start
	for line := range strings.Lines(w.text[start:]) {
		word := strings.TrimSuffix(line, "\n")
		tabs := 0
		if n.Op == syntax.DashHdoc {
			tabs = len(word) - len(strings.TrimLeft(word, "\t"))
		}
		if word[tabs:] == stop {
			return scriptEdit{start, at, w.text[start:at]}, scriptEdit{at + tabs, at + len(word), ""}, static
		}
		at += len(line)
	}
	return body, closing, false
}

// escape escapes body for an unquoted here-document, except the marks.
func (w *scriptWalker) escape(body string) string {
	var out strings.Builder
	special := strings.NewReplacer(`\`, `\\`, `$`, `\$`, "`", "\\`")
	done := 0
	for _, at := range w.mark.FindAllStringIndex(body, -1) {
		out.WriteString(special.Replace(body[done:at[0]]) + body[at[0]:at[1]])
		done = at[1]
	}
	return out.String() + special.Replace(body[done:])
}
