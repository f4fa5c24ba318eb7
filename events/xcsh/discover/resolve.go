// Package discover finds the hook modules of the xcsh system: it resolves configured paths, and asks providers for
// files in well-known places (X41).
package discover

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// Resolve returns the file that a configured path refers to (X39). It applies these rules in order:
//
//   - an @ in front of an absolute path, of a path in the home directory or of a
//     URL is dropped;
//   - Unicode spaces become plain ones;
//   - a file URL becomes its path;
//   - ~ and ~/x are in home, and so is ~x;
//   - an absolute path is returned as it is, and not even cleaned;
//   - any other path is relative to cwd, and is cleaned.
func Resolve(path, cwd, home string) string {
	path = plainSpaces.Replace(dropAt(path))
	if local, ok := fromURL(path); ok {
		path = local
	}
	if rest, is := strings.CutPrefix(path, "~"); is {
		path = filepath.Join(home, rest)
	}
	if filepath.IsAbs(path) || windows.MatchString(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

var (
	windows = lazyregexp.New(`^([A-Za-z]:[\\/]|\\\\)`)
	scheme  = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*://`)

	plainSpaces = spaces("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
)

func spaces(all string) *strings.Replacer {
	var pairs []string
	for _, space := range all {
		pairs = append(pairs, string(space), " ")
	}
	return strings.NewReplacer(pairs...)
}

// dropAt removes the @ in front of a path that is not relative, or of a URL.
func dropAt(path string) string {
	rest, is := strings.CutPrefix(path, "@")
	if is &&
		(rest == "~" || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "~/") || windows.MatchString(rest) || scheme.MatchString(rest)) {
		return rest
	}
	return path
}

// fromURL returns the path of a file URL of this machine.
func fromURL(path string) (local string, ok bool) {
	if !strings.HasPrefix(path, "file://") {
		return "", false
	}
	u, err := url.Parse(path)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path = u.Path
	if len(path) > 2 && path[0] == '/' && windows.MatchString(path[1:]) { // file:///C:/dir
		path = path[1:]
	}
	return filepath.FromSlash(path), true
}
