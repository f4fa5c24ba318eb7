package jsrun

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/evanw/esbuild/pkg/api"
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
func asksWhere(text []byte) bool {
	return slices.ContainsFunc([]string{"import.meta", "__filename", "__dirname"}, func(s string) bool { return bytes.Contains(text, []byte(s)) })
}

// placed loads files that ask for their place, and says that there is one. The
// answers stand before the text, on its own first line, so that the others keep
// their numbers.
func placed(asked *atomic.Bool) func(api.OnLoadArgs) (api.OnLoadResult, error) {
	return func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(args.Path)
		if err != nil || !asksWhere(text) {
			return api.OnLoadResult{}, nil //nolint:nilerr // esbuild reads it, and says what is wrong
		}
		asked.Store(true)
		at := 0
		if bytes.HasPrefix(text, []byte("#!")) {
			at = bytes.IndexByte(text, '\n') + 1
		}
		with := string(text[:at]) + answers(args.Path) + string(text[at:])
		return api.OnLoadResult{Contents: &with, Loader: loaderOf(args.Path)}, nil
	}
}

func loaderOf(path string) api.Loader {
	switch filepath.Ext(path) {
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	}
	return api.LoaderJS
}

func answers(path string) string {
	slashed := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		slashed = "/" + slashed
	}
	address := url.URL{Scheme: "file", Path: slashed}
	return fmt.Sprintf("const __moduleURL = %s, __moduleFile = %s, __moduleDir = %s; ", literal(address.String()), literal(path), literal(filepath.Dir(path)))
}
