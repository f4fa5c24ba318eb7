package jsrun

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// whereabouts are the ways to ask for the place of a file, and the constant
// that answers: of the file itself, since all of a bundle are one text.
var whereabouts = map[string]string{
	"import.meta.url":      "__moduleURL",
	"import.meta.filename": "__moduleFile",
	"import.meta.path":     "__moduleFile",
	"__filename":           "__moduleFile",
	"import.meta.dirname":  "__moduleDir",
	"import.meta.dir":      "__moduleDir",
	"__dirname":            "__moduleDir",
}

// asksWhere reports whether a file may want to know its place.
func asksWhere(text string) bool {
	return slices.ContainsFunc(
		[]string{"import.meta", "__filename", "__dirname"},
		func(s string) bool { return strings.Contains(text, s) },
	)
}

// placed is the text of a file that may ask for its place, and notes that one
// did. The answers stand before the text, on its own first line, so that the
// others keep their numbers.
func (s *sources) placed(path, text string) string {
	if !asksWhere(text) {
		return text
	}
	s.mu.Lock()
	s.asked = true
	s.mu.Unlock()
	at := 0
	if strings.HasPrefix(text, "#!") {
		at = strings.IndexByte(text, '\n') + 1
	}
	return text[:at] + answers(path) + text[at:]
}

func answers(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed
	}
	address := url.URL{Scheme: "file", Path: slashed}
	return fmt.Sprintf(
		"const __moduleURL = %s, __moduleFile = %s, __moduleDir = %s; ",
		literal(address.String()),
		literal(path),
		literal(filepath.Dir(path)),
	)
}
