package permission

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/wire"
)

// paths is the spec of a rule for files.
type paths struct {
	anchor   string // the directory that the pattern is relative to; "": the call's directory
	home     string
	glob     string
	fixed    string // the part of glob before the first wildcard, without escapes
	tail     string // the rest of glob
	searches bool   // without a path the tool works on the session's directory
}

// newPath compiles a pattern in the syntax of .gitignore.
func newPath(pattern string, from Origin, searches bool) (spec, error) {
	if strings.HasPrefix(pattern, "!") {
		return nil, errors.New(`"!" is not supported in a rule; list the paths that it applies to`)
	}
	if isWindows(pattern) {
		pattern = "/" + posix(pattern)
	}
	anchor, rest, err := anchorOf(pattern, from)
	if err != nil {
		return nil, err
	}
	if slices.Contains(strings.Split(rest, "/"), "..") {
		return nil, errors.New("a path rule cannot go up with ..; write //p with the absolute path p")
	}
	glob := globOf(rest, anchor == "")
	if err := bounded.Glob(glob); err != nil {
		return nil, fmt.Errorf("%.40q: %w", rest, err)
	}
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf(
			"%q is not a pattern; close each [ and {, or write \\[ \\{ \\\\ for the characters",
			rest,
		)
	}
	fixed, tail := cutGlob(glob)
	return paths{anchor, from.Home, glob, fixed, tail, searches}, nil
}

// cutGlob cuts a pattern before its first element with a wildcard. In fixed the escapes are removed.
func cutGlob(glob string) (fixed, tail string) {
	for tail = glob; tail != ""; {
		name, rest, _ := strings.Cut(tail, "/")
		plain, ok := unescaped(name)
		if !ok {
			break
		}
		fixed, tail = path.Join(fixed, plain), rest
	}
	return fixed, tail
}

// unescaped returns the name that a part of a pattern without wildcards matches.
func unescaped(part string) (name string, ok bool) {
	var plain []byte
	for i := 0; i < len(part); i++ {
		switch c := part[i]; {
		case c == '\\' && i+1 < len(part):
			i++
			plain = append(plain, part[i])
		case strings.IndexByte(`*?[{\`, c) >= 0:
			return "", false
		default:
			plain = append(plain, c)
		}
	}
	return string(plain), true
}

// anchorOf returns the directory that a pattern is relative to, and the rest of the pattern.
func anchorOf(pattern string, from Origin) (anchor, rest string, err error) {
	if pattern == "~" {
		pattern = "~/"
	}
	if rest, ok := strings.CutPrefix(pattern, "//"); ok {
		return "/", rest, nil
	}
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		if from.Home == "" {
			return "", "", errors.New("there is no home directory; write //p with the absolute path p")
		}
		return absolute(from.Home, "", ""), rest, nil
	}
	if rest, ok := strings.CutPrefix(pattern, "/"); ok {
		if from.Root == "" {
			return "", "", errors.New(
				"a path that begins with / has no directory to count from; write //p with the absolute path p",
			)
		}
		return absolute(from.Root, "", from.Home), rest, nil
	}
	return "", strings.TrimPrefix(pattern, "./"), nil
}

// globOf returns the pattern in the syntax of the glob library, for paths relative to the anchor.
func globOf(pattern string, floats bool) string {
	below := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimPrefix(path.Clean("/"+pattern), "/")
	if pattern == "" {
		return "**"
	}
	floats = floats && !strings.Contains(pattern, "/") && pattern != "**"
	if below || !strings.ContainsAny(path.Base(pattern), `*?[{\`) {
		pattern += "/**" // /** matches the directory itself too
	}
	if floats {
		pattern = "**/" + pattern
	}
	return pattern
}

func (p paths) match(c Call) bool {
	named := false
	for _, field := range [...]string{"file_path", "path", "notebook_path"} {
		value := c.Input.Get(field)
		file, ok := wire.Text(value)
		if !ok && len(value) > 0 && value.Kind() != 'n' {
			return true // the path is not a string, but the tool may still read one from it
		}
		named = named || file != ""
		if file != "" && p.has(file, c.Dir) {
			return true
		}
	}
	if !p.searches {
		return false
	}
	return !named && p.has(".", c.Dir) || p.searchesFor(c)
}

// searchesFor reports whether the pattern of a search, which need not stay below the searched directory,
// could find a file that the rule names: Glob with /etc/*.
func (p paths) searchesFor(c Call) bool {
	pattern, _ := wire.Text(c.Input.Get("pattern"))
	if c.Tool != "Glob" {
		return false
	}
	from, _ := wire.Text(c.Input.Get("path"))
	if !leadsAway(pattern) {
		base, _ := cutPattern(pattern)
		return base != "" && p.has(base, absolute(from, c.Dir, p.home)) // the directory may be a link
	}
	if strings.Contains(pattern, "{") || strings.Contains(strings.TrimLeft(pattern, "./"), "..") {
		return true // the pattern may begin in several directories
	}
	base, _ := cutPattern(pattern)
	dir := absolute(from, c.Dir, p.home)
	if p.has(base, dir) {
		return true
	}
	anchor := p.anchor
	if anchor == "" {
		anchor = absolute(".", c.Dir, "")
	}
	files := path.Join(anchor, p.fixed)
	if _, above := below(files, absolute(base, dir, p.home)); above {
		return true // the search begins above the files of the rule
	}
	files, ok := followed(files, "/", "")
	start, found := followed(base, dir, p.home)
	_, above := below(files, start)
	return above && ok && found
}

// leadsAway reports whether a pattern may find files outside the searched directory.
func leadsAway(pattern string) bool {
	return isWindows(pattern) || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") ||
		strings.Contains(pattern, "..") ||
		strings.Contains(pattern, "{")
}

// cutPattern returns the directory that a pattern searches, and the rest of the pattern.
func cutPattern(pattern string) (base, rest string) {
	end := strings.IndexAny(pattern, "*?[{")
	if end < 0 {
		return pattern, ""
	}
	slash := strings.LastIndexAny(pattern[:end], `/\`)
	return pattern[:slash+1], pattern[slash+1:]
}

// has reports whether the pattern names file, or the target of its links: a project may have a
// link to any file. Links that the pattern names before its first wildcard are followed too, as
// /tmp of macOS.
func (p paths) has(file, dir string) bool {
	anchor := p.anchor
	if anchor == "" {
		anchor = absolute(".", dir, "")
	}
	if names(p.glob, absolute(file, dir, p.home), anchor) {
		return true
	}
	real, ok := followed(file, dir, p.home)
	if !ok {
		return false
	}
	if names(p.glob, real, anchor) {
		return true
	}
	if from, ok := followed(path.Join(anchor, p.fixed), "/", ""); ok {
		return names(p.tail, real, from)
	}
	from, ok := followed(anchor, "/", "")
	return ok && names(p.glob, real, from)
}

// names reports whether a pattern relative to anchor matches a clean path. anchor is removed from the path
// first: characters in it are not wildcards.
func names(glob, file, anchor string) bool {
	rest, ok := below(file, anchor)
	if ok && doublestar.MatchUnvalidated(glob, rest) {
		return true
	}
	if !foldsCase {
		return false
	}
	rest, ok = below(strings.ToLower(file), strings.ToLower(anchor))
	return ok && doublestar.MatchUnvalidated(strings.ToLower(glob), rest)
}

// below returns file, a clean path, relative to dir, if it is in dir.
func below(file, dir string) (rest string, ok bool) {
	if file == dir {
		return "", true
	}
	return strings.CutPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}
