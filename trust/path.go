package trust

import (
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// resolve covers the file of a program, given its name. read reports whether the file determines which code runs.
func (s *shellScope) resolve(text string) (read bool, err error) {
	found := func(path string) error {
		is, err := s.c.file(path, !s.quiet)
		read = read || is
		return err
	}
	if !hasFolder(text) {
		err := s.search(text, "", found)
		return read || s.c.searched[[3]any{text, "", s.quiet}], err
	}
	there := s.existing(text)
	for _, path := range there {
		if !s.c.below(path) && isSystems(path) && !s.c.linksIn(path) {
			continue
		}
		if err := found(path); err != nil {
			return read, err
		}
	}
	s.missing(text)
	if len(there) == 0 { // a missing file of the project must stay missing; any other program is judged by its name
		read = slices.ContainsFunc(s.paths(text), s.c.below)
	}
	return read, nil
}

// search calls found for each file of the project that PATH contains for a name, until the first program outside the
// project. Candidates in the project that do not exist must stay missing. Each name is searched once for each use.
func (s *shellScope) search(name, use string, found func(path string) error) error {
	key := [...]any{name, use, s.quiet}
	if _, done := s.c.searched[key]; done || name == "" || len(name) > mostValue || strings.ContainsRune(name, 0) {
		return nil
	}
	s.c.searched[key] = false
	s.c.looks += 4 * len(s.c.searchPath())
	for path := range s.candidates(name) {
		real, err := s.c.real(path)
		switch {
		case err != nil && s.c.below(path):
			s.c.absent(path, s.quiet)
		case err != nil:
		case s.c.below(path):
			s.c.searched[key] = true
			if err := found(path); err != nil {
				return err
			}
		case s.c.below(real):
			s.c.searched[key] = true
			if err := found(real); err != nil {
				return err
			}
		default:
			if info, err := s.c.stat(real); err == nil && info.Mode().IsRegular() && (windows || info.Mode()&0o111 != 0) {
				return nil
			}
		}
	}
	return nil
}

// candidates yields the paths that a search of PATH would try for a name, first those in folders that a script added.
func (s *shellScope) candidates(name string) iter.Seq[string] {
	return func(yield func(path string) bool) {
		for _, dir := range append(slices.Clone(s.proc.path), s.c.searchPath()...) {
			for _, path := range starts(filepath.Join(dir, name)) {
				if !yield(path) {
					return
				}
			}
		}
	}
}

// searchPath returns PATH with links resolved, because a link may refer to the project.
func (c *fileCollector) searchPath() []string {
	if c.path == nil && c.environ["PATH"] != "" {
		for folder := range strings.SplitSeq(c.environ["PATH"], ":") {
			dir := within(c.dir, folder)
			if real, err := c.real(dir); err == nil {
				dir = real
			}
			c.path = append(c.path, dir)
		}
	}
	return c.path
}

// missing records the files that a word names as code to run, if none of them exists.
func (s *shellScope) missing(text string) {
	if strings.ContainsAny(text, "*?[") || len(s.existing(text)) > 0 {
		return
	}
	for _, path := range s.paths(text) {
		s.c.absent(path, s.quiet)
	}
}

// loading lists variables that make known programs load files, or from which known programs read options. loadingKinds
// lists prefixes of such variables.
var (
	loading = set("PATH BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS AWKPATH AWKLIBPATH GCONV_PATH LOCPATH NLSPATH " +
		"OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES RIPGREP_CONFIG_PATH GREP_OPTIONS JQ_LIBRARY_PATH CDPATH POSIXLY_CORRECT")
	loadingKinds = []string{"LD_", "DYLD_", "PYTHON", "GIT_", "NODE_", "BASH_FUNC_", "PERL", "RUBY"}
)

// loads reports whether programs load files named by a variable, or read options from it.
func loads(name string) bool {
	begins := func(kind string) bool { return strings.HasPrefix(name, kind) }
	return loading[name] || slices.ContainsFunc(loadingKinds, begins)
}

// folders reports whether a variable contains only folders.
func folders(name string) bool {
	return strings.HasSuffix(name, "PATH") || strings.HasSuffix(name, "LIB")
}

// assign records a value, and covers the files that it names.
func (s *shellScope) assign(a *syntax.Assign) error {
	switch {
	case a.Name == nil && a.Value != nil: // export "NAME=value"
		value := s.word(a.Value)
		if !value.known && !literalName.MatchString(s.source1(a.Value)) {
			s.cannotSee("the variables that the hook sets are not known before the hook runs")
		}
		return s.declared(value, s.ownPath("PATH", a.Value))
	case a.Name == nil:
		return nil
	case a.Value == nil:
		if a.Array != nil || !a.Naked {
			s.vars[a.Name.Value] = nil
		}
		return nil
	}
	name, value := a.Name.Value, s.word(a.Value)
	values := value.texts
	if value.fields || len(values) == 0 {
		values = []string{strings.Join(values, " ")}
	}
	for _, each := range values {
		s.set(name, each, value.known && !a.Append && a.Index == nil)
	}
	if !value.known && (loads(name) && !s.ownPath(name, a.Value) || configures(name)) {
		s.cannotSee("the files that programs load through %s are not known before the hook runs", name)
	}
	for _, text := range value.texts {
		if err := s.assigned(name, text); err != nil {
			return err
		}
	}
	return s.cover(value, false)
}

// literalName matches a quoted assignment whose name contains no expansion.
var literalName = regexp.MustCompile(`^["']?\w+\+?=`)

// ownPath reports whether an assignment sets PATH to its old value plus known folders.
func (s *shellScope) ownPath(name string, w *syntax.Word) bool {
	return name == "PATH" && !strings.ContainsAny(strings.ReplaceAll(s.source1(w), "$PATH", ""), "$`")
}

// harmless lists variables for which loads returns true, but whose values are assumed to make no program load a file.
var harmless = set("PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONNOUSERSITE PYTHONSAFEPATH GIT_WORK_TREE GIT_OPTIONAL_LOCKS GIT_PAGER_IN_USE GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL NODE_ENV NODE_NO_WARNINGS NODE_DEBUG NODE_DISABLE_COLORS")

// configuring lists variables that name a folder of settings, and starting lists variables that name a program. Some
// known programs start a program that such settings or variables name.
var (
	configuring = set("HOME XDG_CONFIG_HOME ZDOTDIR GH_CONFIG_DIR CURL_HOME")
	starting    = set("SHELL EDITOR VISUAL PAGER BROWSER GREP SUDO_ASKPASS")
)

// configures reports whether a variable is in configuring or starting.
func configures(name string) bool { return configuring[name] || starting[name] }

// assigned covers the files that programs load because of a variable's value.
func (s *shellScope) assigned(name, value string) error {
	switch {
	case configuring[name] && value != "":
		if slices.ContainsFunc(s.paths(value), s.c.below) {
			s.cannotSee("programs read their settings from the folder that %s names", name)
		}
	case starting[name] && value != "":
		if clearPrograms[value] == nil {
			s.cannotSee("programs start the program that %s names", name)
		}
	case value == "" || harmless[name] || !loads(name) && !folders(name):
	case name == "BASH_ENV" || name == "ENV":
		return s.source(value)
	case name == "GIT_DIR":
		s.repository(s.paths(value))
	case folders(name) || name == "LD_PRELOAD":
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ':' || r == ' ' }) {
			if name == "PATH" {
				s.addPath(part)
			}
			if err := s.directory(part); err != nil {
				return err
			}
			if name != "PATH" && loads(name) && slices.ContainsFunc(s.paths(part), s.c.below) {
				s.cannotSee("programs load files through %s", name)
			}
		}
	default:
		s.cannotSee("programs load files through %s", name)
	}
	return nil
}

// addPath records a folder of the project that a script adds to PATH.
func (s *shellScope) addPath(part string) {
	for _, path := range s.paths(part) {
		if !s.c.below(path) || slices.Contains(s.proc.path, path) {
			continue
		}
		if len(s.proc.path) == mostDirs {
			s.cannotSee("the hook adds more than %d directories to PATH", mostDirs)
		} else {
			s.proc.path = append(s.proc.path, path)
			clear(s.c.searched)
		}
	}
}
