package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

func base(a arg) string {
	if !a.known || len(a.texts) == 0 {
		return ""
	}
	return filepath.Base(a.texts[0])
}

// known handles programs with known files, and marks the hook unclear for all others. read means that the program is a
// file of the project that has been read.
func (s *shellScope) known(program string, args []arg, read bool) error {
	name := filepath.Base(program)
	if read && strings.ContainsRune(program, '/') {
		return nil // the file's text decides, not the program's name
	}
	if w, wraps := bash.Wrappers[name]; wraps {
		return s.wrapped(name, w, args)
	}
	switch language := bash.Interpreter(name); {
	case language != "":
		return s.language(language, name, args)
	case name == "source" || name == ".":
		return s.sourced(args)
	case name == "eval":
		return s.eval(args)
	case name == "trap":
		s.proc.repeats = true
		return s.trap(args)
	case declaring[name]:
		return s.declares(args)
	case name == "unset" || name == "wait" || name == "printf" && len(args) > 0 && args[0].varies("-") || name == "printf" && len(args) > 1 && args[0].is("-v"):
		s.vars.forget(args)
	case name == "alias" && slices.ContainsFunc(args, defines):
		s.cannotSee("an alias may stand for another program")
	case name == "cd" || name == "pushd":
		s.changeDir(args)
	case name == "read" || name == "getopts":
		s.vars.forget(args)
	case name == "mapfile" || name == "readarray":
		s.without(name, args, "-C")
		s.vars.forget(args)
	case name == "run-parts" || name == "find":
		return s.directories(name, args)
	case name == "git":
		s.git(args)
	case runners[name]:
		s.cannotSee("%s runs commands that files of the project name", name)
	case read:
	case clearPrograms[name] != nil:
		s.without(name, args, clearPrograms[name]...)
	case !s.quiet:
		s.proc.unknown = append(s.proc.unknown, name)
	}
	return nil
}

// without marks the hook unclear if a word is, begins with, or abbreviates one of the options, all of which run a
// program or load a file. It also marks the hook unclear if no value of a word is known.
func (s *shellScope) without(name string, args []arg, options ...string) {
	if len(options) == 0 {
		return
	}
	for _, a := range args {
		for _, text := range a.texts {
			option, _, _ := strings.Cut(text, "=")
			for _, runs := range options {
				abbreviates := strings.HasPrefix(option, "--") && len(option) > 2 && strings.HasPrefix(runs, option)
				bundled := len(runs) == 2 && runs[0] == '-' && len(text) > 1 && text[0] == '-' && text[1] != '-' &&
					strings.Contains(text, runs[1:])
				if strings.HasPrefix(text, runs) || abbreviates || bundled {
					s.cannotSee("the option %s of %s runs a program or loads a file", runs, name)
				}
			}
		}
		if !a.known && len(a.texts) == 0 {
			s.cannotSee("the options of %s are not known before the hook runs", name)
		}
	}
}

// trap covers the first word of trap, which is a script.
func (s *shellScope) trap(args []arg) error {
	for _, a := range args {
		if !a.known {
			s.cannotSee("the text that trap runs is not known before the hook runs")
			return nil
		}
		if len(a.texts) == 1 && a.texts[0] == "--" {
			continue
		}
		if len(args) == 1 || a.is("-") || a.is("-l") || a.is("-p") {
			return nil
		}
		for _, text := range a.texts {
			if err := s.script(text); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// defines reports whether an argument of alias defines, or may define, an alias.
func defines(a arg) bool {
	return !a.known || slices.ContainsFunc(a.texts, func(text string) bool { return strings.Contains(text, "=") })
}

// declaring lists the builtins that set variables, for calls such as "builtin export", which are not declarations.
var declaring = set("declare typeset local export readonly")

// declares covers the variables that a call of a declaring builtin sets.
func (s *shellScope) declares(args []arg) error {
	for _, a := range args {
		if !a.known {
			s.cannotSee("the variables that the hook sets are not known before the hook runs")
		}
		if err := s.declared(a, false); err != nil {
			return err
		}
	}
	return nil
}

// shellWords lists the options of shells whose value is the next word. shellFlags and shellLongs list options that have
// no value, and load no files except those of the user.
var (
	shellFlags = "abefhiklmnprstuvxBCEHPT"
	shellWords = set("-o +o -O +O")
	shellLongs = set("--norc --noprofile --posix --restricted --login --verbose --noediting --")
)

// shell handles a call of a shell.
func (s *shellScope) shell(args []arg) error {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !a.known || len(a.texts) == 0 || a.varies("-+") {
			s.cannotSee("the script that a shell runs is not known before the hook runs")
			return nil
		}
		option := a.texts[0]
		file, isFile := rcFile(option)
		switch {
		case isFile:
			if file == "" && i+1 < len(args) {
				i++
				file = strings.Join(args[i].texts, " ")
			}
			if err := s.source(file); err != nil {
				return err
			}
		case shellWords[option]:
			i++
		case shellLongs[option]:
		case strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.Contains(option, "c"):
			if strings.Trim(option[1:], shellFlags+"c") != "" {
				s.cannotSee("the option %s of a shell is not known", option)
			}
			for i++; i < len(args) && args[i].known && len(args[i].texts) == 1 && strings.HasPrefix(args[i].texts[0], "-"); {
				i++ // as in bash -c -e text
			}
			if i >= len(args) || !args[i].known {
				s.cannotSee("the text that a shell runs is not known before the hook runs")
				return nil
			}
			for _, text := range args[i].texts {
				if err := s.separate().script(text); err != nil {
					return err
				}
			}
			return nil
		case strings.HasPrefix(option, "-") || strings.HasPrefix(option, "+"):
			if strings.HasPrefix(option, "--") || strings.Trim(option[1:], shellFlags) != "" {
				s.cannotSee("the option %s of a shell is not known", option)
			}
			if strings.Contains(option, "s") {
				s.unfed()
				return nil
			}
		default:
			for _, text := range a.texts {
				if len(s.existing(text)) == 0 && !slices.ContainsFunc(s.paths(text), s.c.below) {
					s.cannotSee("%s, which a shell runs, is not there", text)
				}
				if err := s.source(text); err != nil {
					return err
				}
			}
			return nil
		}
	}
	s.unfed()
	return nil
}

// unfed marks the hook unclear if a shell reads its script from its input, and the text of this input is not known.
func (s *shellScope) unfed() {
	if !s.fed {
		s.cannotSee("the text that a shell reads from its input is not known before the hook runs")
	}
}

// rcFile returns the file of --rcfile or --init-file; "" if the file is the next word.
func rcFile(option string) (file string, is bool) {
	name, file, _ := strings.Cut(option, "=")
	return file, name == "--rcfile" || name == "--init-file"
}

func (s *shellScope) sourced(args []arg) error {
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	if len(args) == 0 || !args[0].known {
		s.cannotSee("the file that the hook sources is not known before the hook runs")
		return nil
	}
	for _, text := range args[0].texts {
		if err := s.source(text); err != nil {
			return err
		}
	}
	return nil
}

// directories covers the files of programs that run whole directories.
func (s *shellScope) directories(name string, args []arg) error {
	runs := name == "run-parts" || slices.ContainsFunc(args, func(a arg) bool { return len(a.texts) > 0 && findRuns(a.texts[0]) })
	for i, a := range args {
		if !a.known && runs {
			s.cannotSee("%s runs the files of a directory that is not known before the hook runs", name)
		}
		for _, text := range a.texts {
			switch {
			case strings.HasPrefix(text, "-") && name == "find":
				return s.found(args[i:])
			case name == "run-parts":
				if err := s.runParts(text); err != nil {
					return err
				}
			default:
				if err := s.directory(text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// findRuns reports whether an option of find runs a program.
func findRuns(text string) bool {
	return strings.HasPrefix(text, "-exec") || strings.HasPrefix(text, "-ok")
}

// found covers the program that find runs for each file.
func (s *shellScope) found(args []arg) error {
	for i, a := range args {
		if len(a.texts) == 1 && findRuns(a.texts[0]) {
			if err := s.program(s.matched(args[i+1:])); err != nil {
				return err
			}
		}
	}
	return nil
}

// matched returns the command that find runs, with unknown words in place of {}.
func (s *shellScope) matched(args []arg) []arg {
	var words []arg
	for i, a := range args {
		if a.is(";") || a.is("+") {
			break
		}
		if len(a.texts) == 1 && strings.Contains(a.texts[0], "{}") {
			if i == 0 || bash.Interpreter(base(args[0])) != bash.Shell {
				a = arg{}
			} else {
				s.fed = true
				continue // every file below the directory is covered as a script
			}
		}
		words = append(words, a)
	}
	return words
}

// language handles a call of an interpreter.
func (s *shellScope) language(l bash.Language, name string, args []arg) error {
	switch {
	case l == bash.Shell:
		return s.shell(args)
	case l == bash.Python:
		return s.pythonCall(name, args)
	case name == "node" || name == "nodejs":
		return s.nodeCall(name, args)
	case l == bash.Awk || l == bash.Sed || l == bash.JQ:
		s.filter(l, name, args)
	default:
		s.cannotSee("the files that %s loads are not known before the hook runs", name)
	}
	return nil
}
