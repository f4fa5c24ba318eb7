package trust

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fromPath covers a program of the project that PATH leads to.
func (s *scope) fromPath(a arg) error {
	for _, text := range a.texts {
		if strings.ContainsRune(text, '/') {
			s.missing(text)
			continue
		}
		err := s.search(text, "", func(path string) error { return s.c.file(path, !s.quiet) })
		if err != nil {
			return err
		}
	}
	return nil
}

// search calls found for each file of the project that PATH has for a name, as far
// as it has none elsewhere before. A file that is not there must not come to be.
// Each name is searched once for each use.
func (s *scope) search(name, use string, found func(path string) error) error {
	key := [...]any{name, use, s.quiet}
	if name == "" || len(name) > mostValue || strings.ContainsRune(name, 0) || s.c.searched[key] {
		return nil
	}
	s.c.searched[key] = true
	s.c.looks += 4 * len(s.c.searchPath())
	for _, dir := range s.c.searchPath() {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		switch {
		case err != nil && s.c.below(path):
			s.c.absent(path, s.quiet)
		case err != nil:
		case s.c.below(path):
			if err := found(path); err != nil {
				return err
			}
		case s.c.below(real):
			if err := found(real); err != nil {
				return err
			}
		default:
			if info, err := os.Stat(real); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return nil
			}
		}
	}
	return nil
}

// searchPath is PATH, with links followed: they may lead into the project.
func (c *collector) searchPath() []string {
	if c.path == nil && c.environ["PATH"] != "" {
		for folder := range strings.SplitSeq(c.environ["PATH"], ":") {
			dir := within(c.dir, folder)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
			c.path = append(c.path, dir)
		}
	}
	return c.path
}

// missing notes files that a word names as what runs, if none of them is there.
func (s *scope) missing(text string) {
	if strings.ContainsAny(text, "*?[") || len(s.existing(text)) > 0 {
		return
	}
	for _, path := range s.paths(text) {
		s.c.absent(path, s.quiet)
	}
}

// searched are the variables with folders or files that programs load.
func searched(name string) bool {
	return strings.HasSuffix(name, "PATH") || strings.HasSuffix(name, "LIB")
}

// assign notes a value, and covers what it names.
func (s *scope) assign(a *syntax.Assign) error {
	if a.Name == nil || a.Value == nil {
		if a.Name != nil {
			s.vars[a.Name.Value] = nil
		}
		return nil
	}
	name, value := a.Name.Value, s.word(a.Value)
	if !value.known || a.Append || a.Index != nil {
		s.vars[name] = nil
	} else if values := append(slices.Clone(s.vars[name]), strings.Join(value.texts, " ")); len(values) <= mostValues {
		s.vars[name] = values
	}
	for _, text := range value.texts {
		if err := s.assigned(name, text); err != nil {
			return err
		}
	}
	return s.cover(value, false)
}

// assigned covers what programs load by the value of a variable.
func (s *scope) assigned(name, value string) error {
	switch {
	case searched(name) || name == "LD_PRELOAD":
		for part := range strings.SplitSeq(value, ":") {
			if err := s.directory(part); err != nil {
				return err
			}
		}
	case name == "BASH_ENV" || name == "ENV":
		return s.source(value)
	}
	return nil
}
