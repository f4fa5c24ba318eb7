// Package statusline renders the state that hooks set for the user as one line (X34).
package statusline

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// Line holds one text for each key. The zero Line is empty and ready for use,
// from many goroutines at once.
type Line struct {
	mu    sync.Mutex
	texts map[string]string
}

// Set replaces the text of a key. An empty text still takes a place in the line; see [Line.Clear].
func (l *Line) Set(key, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.texts == nil {
		l.texts = map[string]string{}
	}
	l.texts[key] = text
}

// Clear removes the text of a key.
func (l *Line) Clear(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.texts, key)
}

// Render returns the line for a terminal of that many columns; ok is false without any text. Texts
// are in the byte order of their keys, sanitized, and separated by a space.
//
// A line that does not fit is cut, and ends in an ellipsis. Characters that are two columns wide,
// or consist of several code points, are never split. Colours take no columns. Colours after the cut
// are kept, because they may switch off earlier ones. A line for no columns is empty.
func (l *Line) Render(columns int) (line string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.texts) == 0 {
		return "", false
	}
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(l.texts)) {
		texts = append(texts, Sanitize(l.texts[key]))
	}
	return cut(strings.Join(texts, " "), columns), true
}

var visible = displaywidth.Options{ControlSequences: true}

func cut(line string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return visible.TruncateString(line, columns, "…")
}

// Width returns the number of columns of a text in a terminal.
func Width(text string) int { return visible.String(text) }

// colour matches a well-formed SGR sequence, the only sequence that a text may send to a terminal.
var colour = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Sanitize makes a text fit for one line of a terminal: CR, LF and TAB become spaces, runs of
// spaces become one, and spaces at both ends are removed (X34). All control characters are removed,
// but sequences that set colours stay.
func Sanitize(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	b.Grow(len(text))
	at := 0
	for _, seq := range colour.FindAllStringIndex(text, -1) {
		plain(&b, text[at:seq[0]])
		b.WriteString(text[seq[0]:seq[1]])
		at = seq[1]
	}
	plain(&b, text[at:])
	return strings.TrimFunc(b.String(), blank)
}

// plain appends a text without sequences.
func plain(b *strings.Builder, text string) {
	for _, r := range text {
		switch r {
		case '\r', '\n', '\t':
			r = ' '
		}
		if unicode.IsControl(r) || r == ' ' && strings.HasSuffix(b.String(), " ") {
			continue
		}
		b.WriteRune(r)
	}
}

// blank reports whether JavaScript's trim removes r.
func blank(r rune) bool { return unicode.IsSpace(r) && r != '\u0085' || r == '\ufeff' }
