package trust

import (
	"path/filepath"
	"slices"
	"strings"
)

// cover covers the files that a word may name, and the code that the word may contain. first is set for the first word
// of a command.
func (s *shellScope) cover(a arg, first bool) error {
	for _, text := range a.texts {
		for _, name := range names(text) {
			for _, path := range s.existing(name) {
				if !s.c.below(path) &&
					(isSystems(path) || !isScript(path) && !(first && hasFolder(text))) {
					continue // a file of the system, or neither a script nor a program named by its path
				}
				if _, err := s.c.file(path, first && !s.quiet); err != nil {
					return err
				}
			}
		}
		if strings.ContainsAny(text, " \t\n;|&`$()<>") && len(text) > 1 {
			inner := s.fork()
			inner.quiet = true
			if err := inner.script(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// isSystems reports whether a file belongs to the system, where a project cannot change it.
func isSystems(path string) bool {
	folders := []string{"/bin/", "/sbin/", "/usr/", "/lib/", "/nix/", "/opt/homebrew/", "/dev/", "/proc/", "/sys/"}
	if windows {
		folders = []string{`c:\windows\`, `c:\program files\`, `c:\program files (x86)\`}
		path = strings.ToLower(path)
	}
	return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(path, dir) })
}

func isScript(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return shellEndings[ext] || scripts[ext]
}

// names returns the file names that a word may contain, as in -ffile, --option=file and @file.
func names(text string) []string {
	all := []string{text}
	if _, value, ok := strings.Cut(text, "="); ok {
		all = append(all, value)
	}
	if len(text) > 2 && text[0] == '-' {
		all = append(all, text[2:])
	}
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		all = append(all, rest)
	}
	return all
}
