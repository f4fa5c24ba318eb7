package trust

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// wrapped calls wrapper in a scope without functions. A wrapper runs programs only, and no functions of the shell.
func (s *shellScope) wrapped(name string, w bash.Wrapper, args []arg) error {
	inner := *s
	inner.proc = s.c.newProcess(s.proc.path)
	err := inner.wrapper(name, w, args)
	s.dirs, s.proc.path = inner.dirs, inner.proc.path
	s.proc.repeats = s.proc.repeats || inner.proc.repeats
	return err
}

// wrapper skips a wrapper's own options, and covers the command that it runs.
func (s *shellScope) wrapper(name string, w bash.Wrapper, args []arg) error {
	words := make([]string, len(args))
	for i, a := range args {
		if a.known && len(a.texts) == 1 {
			words[i] = a.texts[0]
		}
	}
	opens := func(i int) bool { return !args[i].known || len(args[i].texts) != 1 }
	own, ok := w.Skip(words, opens)
	for i := 0; i < own; i++ {
		switch option := words[i]; {
		case opens(i):
			s.cannotSee("the program that %s starts is not known before the hook runs", name)
			return nil
		case len(option) > 1 && option[0] == '-':
			if !w.Knows(option) {
				s.cannotSee("the option %s of %s is not known", option, name)
			}
			i += w.Width(option) - 1
		}
	}
	if !ok {
		return nil
	}
	if w.Foreign {
		s.cannotSee("%s runs programs in another root, container or machine", name)
	}
	if w.Reads && slices.ContainsFunc(words[:own], replaces) && own < len(args) && clearPrograms[base(args[own])] == nil {
		s.cannotSee("%s puts its input into the command", name)
	}
	if w.Joins && own == len(args) {
		s.cannotSee("%s runs the commands of its input", name)
	}
	before, rest := words[:own], args[own:]
	if to, is := w.Value(before, w.Chdir, w.LongDir); is && w.Chdir != "" {
		s.changeDir([]arg{{texts: []string{to}, known: true}})
	}
	if text, is := w.Value(before, w.Text, "command"); is && w.Text != "" {
		return s.fork().script(text)
	}
	if len(rest) > 1 && w.Text != "" && (rest[0].is("-"+w.Text) || rest[0].is("--command")) {
		return s.eval(rest[1:2])
	}
	if text, is := w.Value(before, w.Split, "split-string"); is && w.Split != "" {
		var split []arg
		for word := range strings.FieldsSeq(text) {
			split = append(split, arg{texts: []string{word}, known: !strings.ContainsAny(word, "$\\'\"")})
		}
		rest = append(split, rest...)
	}
	for w.Assigns && len(rest) > 0 && len(rest[0].texts) > 0 && strings.Contains(rest[0].texts[0], "=") {
		for _, text := range rest[0].texts {
			variable, value, _ := strings.Cut(text, "=")
			if !rest[0].known && loads(variable) {
				s.cannotSee("the files that programs load through %s are not known before the hook runs", variable)
			}
			if err := s.assigned(variable, value); err != nil {
				return err
			}
		}
		rest = rest[1:]
	}
	if w.Joins {
		return s.eval(rest)
	}
	if w.Reads && len(rest) > 0 {
		rest = append(slices.Clone(rest), arg{})
	}
	return s.runs(rest)
}

// replaces reports whether an option of xargs puts its input into the words of the command.
func replaces(option string) bool {
	return strings.HasPrefix(option, "-I") || strings.HasPrefix(option, "-i") || strings.HasPrefix(option, "--replace")
}
