package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/settings"
)

// fileEdit lists the changes of one file that mend one finding. They apply only if the whole file is unchanged.
type fileEdit []change

// change is one change of an edit.
type change struct {
	file       string
	seen       []byte // the whole text that the change was made for
	start, end int    // the replaced range
	with       string
	executable bool // sets the permission to execute, and changes no text
}

// literalEnd returns the end of the JSON string or number that begins at start.
func literalEnd(text []byte, start int) int {
	if start < 0 || start >= len(text) {
		return -1
	}
	if text[start] != '"' {
		end := start
		for end < len(text) && strings.IndexByte(",]} \t\r\n/", text[end]) < 0 {
			end++
		}
		return end
	}
	for at := start + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return -1
}

// span returns the range of a string or a number in a settings file.
func span(d *settingsDocument, value settings.Value) (start, end int, ok bool) {
	if d == nil || !value.Exists() {
		return 0, 0, false
	}
	start = offset(d.text, value.Position())
	end = literalEnd(d.text, start)
	return start, end, start >= 0 && end > start
}

// replaceValue replaces a string or a number.
func replaceValue(d *settingsDocument, value settings.Value, with string) fileEdit {
	start, end, ok := span(d, value)
	if !ok {
		return nil
	}
	return fileEdit{{file: d.file, seen: d.text, start: start, end: end, with: with}}
}

// setText replaces a string.
func setText(d *settingsDocument, value settings.Value, text string) fileEdit {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil
	}
	return replaceValue(d, value, string(quoted))
}

// removeMember removes a member with a string or a number, and a comma next to it.
func removeMember(d *settingsDocument, value settings.Value) fileEdit {
	_, end, ok := span(d, value)
	if !ok {
		return nil
	}
	text, start := d.text, offset(d.text, value.Name().Position())
	if start < 0 {
		return nil
	}
	rest := bytes.TrimLeft(text[end:], " \t\r\n")
	if bytes.HasPrefix(rest, []byte(",")) {
		end = len(text) - len(rest) + 1
		after := bytes.TrimLeft(text[end:], " \t")
		if bytes.HasPrefix(after, []byte("\n")) || bytes.HasPrefix(after, []byte("\r\n")) || !startsLine(text, start) {
			end = len(text) - len(bytes.TrimLeft(text[end:], " \t\r\n"))
		} else {
			end = len(text) - len(after)
		}
	} else if before := bytes.TrimRight(text[:start], " \t\r\n"); bytes.HasSuffix(before, []byte(",")) {
		start = len(before) - 1
	}
	return fileEdit{{file: d.file, seen: text, start: start, end: end}}
}

// startsLine reports whether only white space precedes an offset in its line.
func startsLine(text []byte, at int) bool {
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text[:at], '\n')+1:at])) == 0
}

// insertions inserts texts into a script, by offset.
func insertions(s *hookScript, texts map[int]string) fileEdit {
	var e fileEdit
	for at, text := range texts {
		e = append(e, change{file: s.path, seen: s.text, start: at, end: at, with: text})
	}
	return e
}

// applyTo makes the changes of one text, except changes that overlap an earlier one; done reports for each whether it
// was made.
func applyTo(text []byte, changes []change) (changed []byte, done []bool) {
	order := make([]int, len(changes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return changes[a].start - changes[b].start })
	done, at := make([]bool, len(changes)), 0
	for _, i := range order {
		c := changes[i]
		if c.start < at || c.end > len(text) {
			continue
		}
		changed = append(append(changed, text[at:c.start]...), c.with...)
		at, done[i] = c.end, true
	}
	return append(changed, text[at:]...), done
}
