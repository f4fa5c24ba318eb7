package jsrun

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// whereabouts maps expressions for the path of a file to constants. Without these constants every file would get the
// path of the bundle, since the bundle is a single text.
var whereabouts = map[string]string{
	"import.meta.url":      "__moduleURL",
	"import.meta.filename": "__moduleFile",
	"import.meta.path":     "__moduleFile",
	"__filename":           "__moduleFile",
	"import.meta.dirname":  "__moduleDir",
	"import.meta.dir":      "__moduleDir",
	"__dirname":            "__moduleDir",
}

// asksWhere reports whether a file may ask for its path.
func asksWhere(text string) bool {
	return slices.ContainsFunc(
		[]string{"import.meta", "__filename", "__dirname"},
		func(s string) bool { return strings.Contains(text, s) },
	)
}

// placed returns the text of a file that may ask for its path, and records that the module has such a file. The
// constants are added without a line break, so that line numbers do not change.
func (s *moduleSources) placed(path, text string) string {
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
