package lint

import (
	"bytes"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/settings"
)

// The limits of the files that are read, in bytes.
const (
	maxSettings = 1 << 20
	maxScript   = 256 << 10
)

// maxLevels limits the depth, below the root of a settings file, at which hooks are looked for.
const maxLevels = 8

// settingsDocument is a settings file.
type settingsDocument struct {
	file    string
	text    []byte
	root    settings.Value
	places  map[hook.Position]entryPlace
	ignores []ignore
}

// entryPlace holds an entry and its group.
type entryPlace struct{ entry, group settings.Value }

// collect finds the groups: objects with an array of hooks.
func (d *settingsDocument) collect(v settings.Value, level int) {
	if level > maxLevels {
		return
	}
	for _, element := range v.Elements() {
		d.collect(element, level+1)
	}
	for name, member := range v.Members() {
		if name == "hooks" && member.Kind() == '[' {
			for _, entry := range member.Elements() {
				d.places[entry.Position()] = entryPlace{entry, v}
			}
		}
		d.collect(member, level+1)
	}
}

// offset returns the offset of a position in a text; -1 if it is outside.
func offset(text []byte, at hook.Position) int {
	start := 0
	if bytes.HasPrefix(text, []byte("\xEF\xBB\xBF")) {
		start = 3
	}
	for line := 1; line < at.Line; line++ {
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			return -1
		}
		start += next + 1
	}
	if start += at.Column - 1; at.Line < 1 || at.Column < 1 || start > len(text) {
		return -1
	}
	return start
}

// positionOf returns the position of an offset in a text.
func positionOf(file string, text []byte, at int) hook.Position {
	at = max(0, min(at, len(text)))
	line := bytes.Count(text[:at], []byte("\n")) + 1
	return hook.Position{File: file, Line: line, Column: at - bytes.LastIndexByte(text[:at], '\n')}
}
