package trust

import (
	"path/filepath"
	"slices"
	"strings"
)

var (
	// wrappers run the program that one of their arguments names.
	wrappers = set(
		"env sudo doas nice nohup timeout exec command builtin time xargs setsid stdbuf ionice busybox flock parallel watch chronic unbuffer strace caffeinate chroot",
	)
	// languages are interpreters of other languages.
	languages = set(
		"python python2 python3 pypy pypy3 node nodejs deno bun tsx ts-node ruby perl php lua luajit osascript pwsh powershell powershell.exe Rscript tclsh awk gawk expect fish nu elvish",
	)
	// runners run what files of the project say.
	runners = set(
		"make gmake npm npx pnpm pnpx yarn bunx just task rake gradle gradlew mvn mvnw ant sbt cargo go docker docker-compose podman pre-commit husky lefthook lint-staged bazel ninja cmake tox nox poetry pipenv uv uvx hatch pdm rye composer bundle mix dotnet swift ansible ansible-playbook nix nix-shell direnv devbox turbo nx lerna",
	)
	// writing are programs whose arguments are files that they write.
	writing = set("tee touch rm rmdir mkdir logger")
	// inline are the options after which a text of another language follows.
	inline = set("-c -e -m -p -r -E -pe -ne --eval --print -Command -EncodedCommand eval")
	// loading are words with which such a text may run files.
	loading = []string{
		"import",
		"require",
		"open",
		"exec",
		"load",
		"eval",
		"source",
		"run",
		"use ",
		"spawn",
		"system",
		"`",
		"include",
		"do ",
	}
)

// call is a program with arguments that are texts already.
func (s *scope) call(words []string) error {
	args := make([]arg, len(words))
	for i, word := range words {
		args[i] = arg{[]string{word}, true}
	}
	return s.program(args)
}

// program covers the files of one call.
func (s *scope) program(args []arg) error {
	if err := s.c.spent(); err != nil || len(args) == 0 {
		return err
	}
	if !args[0].known || len(args[0].texts) == 0 {
		s.cannotSee("which program it runs shows only when it runs")
	}
	name := base(args[0])
	for i, a := range args {
		if i > 0 && writing[name] {
			break
		}
		if err := s.cover(a, i == 0); err != nil {
			return err
		}
	}
	for i, a := range args {
		if i > 0 && !wrappers[name] {
			break
		}
		if err := s.fromPath(a); err != nil {
			return err
		}
		for _, text := range a.texts { // env PATH=bin guard
			if variable, value, ok := strings.Cut(text, "="); ok && i > 0 {
				if err := s.assigned(variable, value); err != nil {
					return err
				}
			}
		}
		if done, err := s.known(base(a), args[i+1:]); done || err != nil {
			return err
		}
	}
	return nil
}

func base(a arg) string {
	if !a.known || len(a.texts) == 0 {
		return ""
	}
	return filepath.Base(a.texts[0])
}

// known looks closer at programs of which it is known what they run.
func (s *scope) known(name string, args []arg) (done bool, err error) {
	switch {
	case name == "":
		return false, nil
	case shells[name]:
		return true, s.shell(args)
	case name == "source" || name == ".":
		return true, s.sourced(args)
	case name == "eval":
		return true, s.eval(args)
	case name == "cd" || name == "pushd":
		s.changeDir(args)
		return true, nil
	case name == "read" || name == "mapfile" || name == "readarray" || name == "getopts":
		for _, a := range args {
			for _, text := range a.texts {
				s.vars[text] = nil
			}
		}
		return true, nil
	case name == "run-parts" || name == "find":
		return true, s.directories(name, args)
	case languages[name]:
		s.language(name, args)
		return true, nil
	case runners[name]:
		s.cannotSee("%s runs what files of the project say", name)
		return true, nil
	}
	return false, nil
}

// shell is a call of a shell.
func (s *scope) shell(args []arg) error {
	for i, a := range args {
		switch {
		case !a.known || len(a.texts) == 0:
			s.cannotSee("which script a shell runs shows only when it runs")
			return nil
		case strings.HasPrefix(a.texts[0], "-") && !strings.HasPrefix(a.texts[0], "--") && strings.Contains(a.texts[0], "c"):
			if i+1 >= len(args) || !args[i+1].known {
				s.cannotSee("the text that a shell runs shows only when it runs")
				return nil
			}
			return s.fork().script(strings.Join(args[i+1].texts, " "))
		case strings.HasPrefix(a.texts[0], "-") || strings.HasPrefix(a.texts[0], "+"):
		default:
			for _, text := range a.texts {
				if err := s.source(text); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return nil
}

func (s *scope) sourced(args []arg) error {
	if len(args) == 0 || !args[0].known {
		s.cannotSee("which file it sources shows only when it runs")
		return nil
	}
	for _, text := range args[0].texts {
		if err := s.source(text); err != nil {
			return err
		}
	}
	return nil
}

func (s *scope) eval(args []arg) error {
	var words []string
	for _, a := range args {
		if !a.known {
			s.cannotSee("what eval runs shows only when it runs")
			return nil
		}
		words = append(words, a.texts...)
	}
	return s.script(strings.Join(words, " "))
}

func (s *scope) changeDir(args []arg) {
	for _, a := range args {
		if !a.known {
			s.cannotSee("the directory that it changes to shows only when it runs")
			return
		}
		for _, text := range a.texts {
			for _, path := range s.paths(text) {
				s.addDir(path)
			}
		}
	}
}

// directories covers what programs run of whole directories.
func (s *scope) directories(name string, args []arg) error {
	runs := name == "run-parts" || slices.ContainsFunc(args, func(a arg) bool {
		return slices.ContainsFunc(
			a.texts,
			func(text string) bool { return strings.HasPrefix(text, "-exec") || strings.HasPrefix(text, "-ok") },
		)
	})
	for i, a := range args {
		if !a.known && i == 0 && runs {
			s.cannotSee("the directory whose files %s runs shows only when it runs", name)
		}
		for _, text := range a.texts {
			if strings.HasPrefix(text, "-") && name == "find" {
				return s.found(args[i:])
			}
			if err := s.directory(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// found covers what find runs for each file.
func (s *scope) found(args []arg) error {
	for i, a := range args {
		if len(a.texts) == 1 && (strings.HasPrefix(a.texts[0], "-exec") || strings.HasPrefix(a.texts[0], "-ok")) {
			if err := s.program(args[i+1:]); err != nil {
				return err
			}
		}
	}
	return nil
}

// language is a call of an interpreter whose language is not read here: its
// script is covered, and the files of its language beside it.
func (s *scope) language(name string, args []arg) {
	for i, a := range args {
		if !a.known {
			s.cannotSee("which script %s runs shows only when it runs", name)
			return
		}
		if len(a.texts) == 0 || !inline[a.texts[0]] {
			continue
		}
		text := ""
		if i+1 < len(args) {
			text = strings.Join(args[i+1].texts, " ")
		}
		if a.texts[0] == "-m" ||
			slices.ContainsFunc(loading, func(word string) bool { return strings.Contains(text, word) }) {
			s.cannotSee("%s runs a text or a module that may load any file", name)
		}
	}
}
