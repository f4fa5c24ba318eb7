package trust

import (
	"bytes"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// finder finds the files that words name, from the possible working directories and in the folders of PATH.
type finder struct {
	c     *fileCollector
	dirs  []string // the possible working directories
	proc  *shellProcess
	word  string // names the file relative to a directory; "" if the path is its name
	quiet bool   // the text may never run: parts that cannot be analysed do not make the hook unclear
}

// cannotSee marks the hook unclear, unless the text may never run.
func (f *finder) cannotSee(format string, args ...any) {
	if !f.quiet {
		f.c.cannotSee(format, args...)
	}
}

// first reports whether a file has not been read before, or only as a text that may never run.
func (f *finder) first(read map[string]bool, key string) bool {
	if read[key] || f.quiet && read[key+"\x00quiet"] {
		return false
	}
	if f.quiet {
		key += "\x00quiet"
	}
	read[key] = true
	return true
}

// fresh covers a file of a language, and reports whether its text is still to be read.
func (f *finder) fresh(language, path string) (bool, error) {
	path = filepath.Clean(path)
	if _, err := f.c.add(path); err != nil || !f.c.has[path] {
		return false, err
	}
	if !f.quiet {
		f.c.code[path] = true
	}
	return f.first(f.c.read, language+"\x00"+path), nil
}

// code returns the text of a file, and marks the hook unclear if the file is compiled or too long.
func (f *finder) code(path string) (text string, known bool) {
	all, err := bounded.ReadFile(f.c.ctx, path, mostText)
	if err != nil || bytes.ContainsRune(all, 0) {
		f.cannotSee("the files that %s loads are not known: it is compiled, or too long", f.c.short(path))
		return "", false
	}
	return string(all), true
}

// naming returns the finder of a file that a word names.
func (f *finder) naming(word string) finder {
	from := *f
	if from.word = ""; hasFolder(word) && !filepath.IsAbs(word) && !isPattern(word) {
		from.word = word
	}
	return from
}

// addDir adds a possible working directory.
func (f *finder) addDir(dir string) {
	switch {
	case slices.Contains(f.dirs, dir):
	case len(f.dirs) < mostDirs:
		f.dirs = append(f.dirs, dir)
	default:
		f.cannotSee("the hook may run in more than %d directories", mostDirs)
	}
}

// addPath records a folder of the project that a script adds to PATH.
func (f *finder) addPath(part string) {
	f.proc.relative = f.proc.relative || !filepath.IsAbs(part)
	for _, path := range f.paths(part) {
		if !f.c.below(path) || slices.Contains(f.proc.path, path) {
			continue
		}
		if len(f.proc.path) == mostDirs {
			f.cannotSee("the hook adds more than %d directories to PATH", mostDirs)
		} else {
			f.proc.path = append(f.proc.path, path)
			clear(f.c.searched)
		}
	}
}

// paths returns the paths to which a word may refer, existing or not. It marks the hook unclear if the word is a
// pattern whose files are not all known.
func (f *finder) paths(text string) []string {
	paths, whole := f.named(text, searched)
	if !whole {
		f.cannotSee("the files that the pattern %.80q matches are not known", text)
	}
	return paths
}

// named returns the paths to which a word may refer; whole is false if the word may refer to more. use is searched or
// listed.
func (f *finder) named(text, use string) (paths []string, whole bool) {
	if text == "" || len(text) > mostValue || strings.ContainsRune(text, 0) {
		return nil, true
	}
	whole = true
	for _, dir := range f.dirs {
		if f.c.looks++; f.c.looks > mostLooks {
			return nil, true // too much work: the search for files ends, and Unclear of [Hook] says why
		}
		path := within(dir, text)
		if physical, is := f.c.physical(dir, text); is && physical != path {
			paths = append(paths, starts(physical)...)
		}
		if strings.ContainsAny(text, "*?[") {
			matched, all := f.c.glob(path, use)
			paths, whole = append(paths, matched...), whole && all
		}
		paths = append(paths, starts(path)...)
	}
	return paths, whole
}

// existing returns those paths of a word that exist. It marks the hook unclear as paths does.
func (f *finder) existing(text string) []string { return f.thereOf(f.paths(text)) }

// mentioned returns the existing paths of a word that names no code. A pattern in the word does not make the hook
// unclear, because the files that it matches do not run.
func (f *finder) mentioned(text string) []string {
	paths, _ := f.named(text, listed)
	return f.thereOf(paths)
}

// thereOf returns those paths that exist.
func (f *finder) thereOf(paths []string) (there []string) {
	for _, path := range paths {
		if _, err := f.c.stat(path); err == nil && !slices.Contains(there, path) {
			there = append(there, path)
		}
	}
	return there
}

// missing records the files that a word names as code to run, if none of them exists.
func (f *finder) missing(text string) {
	if strings.ContainsAny(text, "*?[") || len(f.existing(text)) > 0 {
		return
	}
	for _, path := range f.paths(text) {
		f.c.absent(path, f.quiet)
		if !f.quiet {
			f.c.code[path] = true
		}
	}
}

// notDevice marks the hook unclear if a script is a device such as /dev/stdin, whose text is known only while the hook
// runs.
func (f *finder) notDevice(path string) {
	info, err := f.c.stat(path)
	if strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/") || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f.cannotSee("the text that the hook reads from %s is not known before the hook runs", path)
	}
}

// resolve covers the file of a program, given its name. read reports whether the file determines which code runs.
func (f *finder) resolve(text string) (read bool, err error) {
	from := f.naming(text)
	found := func(path string) error {
		is, err := f.c.file(path, !f.quiet, &from)
		read = read || is
		return err
	}
	if !hasFolder(text) {
		err := f.search(text, "", found)
		return read || f.c.searched[f.searchKey(text, "")], err
	}
	there := f.existing(text)
	for _, path := range there {
		if !f.c.below(path) && isSystems(path) && !f.c.linksIn(path) {
			continue
		}
		if err := found(path); err != nil {
			return read, err
		}
	}
	f.missing(text)
	if len(there) == 0 { // a missing file of the project must stay missing; any other program is judged by its name
		read = slices.ContainsFunc(f.paths(text), f.c.below)
	}
	return read, nil
}

// search calls found for each file of the project that PATH contains for a name, until the first program outside the
// project. Candidates in the project that do not exist must stay missing. Each name is searched once for each use.
func (f *finder) search(name, use string, found func(path string) error) error {
	key := f.searchKey(name, use)
	if _, done := f.c.searched[key]; done || name == "" || len(name) > mostValue || strings.ContainsRune(name, 0) {
		return nil
	}
	f.c.searched[key] = false
	f.c.looks += 4 * len(f.c.searchPath())
	for path := range f.candidates(name) {
		real, err := f.c.real(path)
		switch {
		case err != nil && f.c.below(path):
			f.c.absent(path, f.quiet)
		case err != nil:
		case f.c.below(path):
			f.c.searched[key] = true
			if err := found(path); err != nil {
				return err
			}
		case f.c.below(real):
			f.c.searched[key] = true
			if err := found(real); err != nil {
				return err
			}
		default:
			if info, err := f.c.stat(real); err == nil && info.Mode().IsRegular() && (windows || info.Mode()&0o111 != 0) {
				return nil
			}
		}
	}
	return nil
}

// searchKey returns the key of a search in the field searched. Where a script starts decides which files it runs.
func (f *finder) searchKey(name, use string) [3]any {
	return [3]any{name, use + "\x00" + strings.Join(f.dirs, "\x00"), f.quiet}
}

// candidates yields the paths that a search of PATH would try for a name, first those in folders that a script added.
func (f *finder) candidates(name string) iter.Seq[string] {
	return func(yield func(path string) bool) {
		for _, dir := range append(slices.Clone(f.proc.path), f.c.searchPath()...) {
			for _, path := range starts(filepath.Join(dir, name)) {
				if !yield(path) {
					return
				}
			}
		}
	}
}

// isSystems reports whether a name certainly means the builtin, or the program of the system, and not a function or a
// program of the project.
func (f *finder) isSystems(name string) bool {
	return !f.proc.functions[name] && len(f.proc.path) == 0 && !slices.ContainsFunc(f.c.searchPath(), f.c.below)
}

// directory covers everything below a directory of the project, or a file. run reports that the files run.
func (f *finder) directory(text string, run bool) error {
	for _, path := range f.paths(text) {
		info, err := f.c.stat(path)
		switch {
		case err != nil || !f.c.below(path):
		case !info.IsDir():
			if _, err := f.c.file(path, true, f); err != nil {
				return err
			}
		case path == f.c.dir:
			f.cannotSee("the hook searches the whole project, so any file of the project may run")
		default:
			err := f.c.walk(path, func(file string) error { _, err := f.c.file(file, run && !f.quiet, f); return err })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// runParts covers a directory whose files all run.
func (f *finder) runParts(text string) error {
	if err := f.directory(text, false); err != nil {
		return err
	}
	for _, dir := range f.existing(text) {
		for _, name := range f.c.watch(dir, "all", nil) {
			if _, err := f.c.file(filepath.Join(dir, name), !f.quiet && f.c.below(dir), f); err != nil {
				return err
			}
		}
	}
	return nil
}

// repository marks the hook unclear if git uses a repository of the project other than .git: a clone can contain such a
// repository, and its settings name programs that git runs.
func (f *finder) repository(paths []string) {
	for _, path := range paths {
		if f.c.below(path) && path != filepath.Join(f.c.dir, ".git") {
			f.cannotSee("git runs programs that the settings of %s name", f.c.short(path))
		}
	}
}

// findsRepository marks the hook unclear if git, when it is called in a directory of the project, finds a bare
// repository there or above. If it finds no bare repository, none may appear there later.
func (f *finder) findsRepository(dir string) {
	if real, err := f.c.real(dir); err == nil && real != dir {
		f.findsRepository(real)
	}
	for ; f.c.below(dir); dir = filepath.Dir(dir) {
		if _, err := f.c.stat(filepath.Join(dir, ".git")); err == nil && dir == f.c.dir {
			return // a clone's own
		}
		head := filepath.Join(dir, "HEAD")
		if _, err := f.c.stat(head); err != nil {
			f.c.absent(head, f.quiet)
			continue
		}
		for _, name := range []string{"objects", "commondir"} {
			part := filepath.Join(dir, name)
			if _, err := f.c.stat(part); err == nil {
				f.cannotSee("git runs programs that the settings of the repository %s name", f.c.short(dir))
			} else {
				f.c.absent(part, f.quiet)
			}
		}
	}
}
