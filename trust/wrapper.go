package trust

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// wrapperCall is a call of a program that runs the command in its arguments.
type wrapperCall struct {
	programCall
	bash.Wrapper
}

// files skips a wrapper's own options, and covers the command that it runs.
func (w wrapperCall) files() error {
	words := make([]string, len(w.args))
	for i, a := range w.args {
		words[i], _ = a.single()
	}
	own, ok := w.Skip(words, w.opens)
	if !w.options(words[:own]) || !ok {
		return nil
	}
	before, rest := words[:own], w.args[own:]
	if w.Assigns && len(before) > 0 { // env -u and -i
		for name := range w.c.environ {
			w.c.changes(name, "")
		}
	}
	w.foreign(before, rest)
	if file, is := w.Value(before, "o", "output"); is && w.name == "time" {
		w.writesTo(arg{texts: []string{file}, known: true})
	}
	for i := range before { // the last directory counts
		if to, is := w.Value(before[i:], w.Chdir, w.LongDir); is && w.Chdir != "" {
			w.changeDir([]arg{{texts: []string{to}, known: true}})
		}
	}
	if text, is := w.Value(before, w.Text, "command"); is && w.Text != "" {
		return w.fork().script(text)
	}
	if len(rest) > 1 && w.Text != "" && (rest[0].is("-"+w.Text) || rest[0].is("--command")) {
		return w.eval(rest[1:2])
	}
	if text, is := w.Value(before, w.Split, "split-string"); is && w.Split != "" {
		var split []arg
		for word := range strings.FieldsSeq(text) {
			split = append(split, arg{texts: []string{word}, known: !strings.ContainsAny(word, "$\\'\"")})
		}
		rest = append(split, rest...)
	}
	for w.Assigns && len(rest) > 0 && len(rest[0].texts) > 0 && strings.Contains(rest[0].texts[0], "=") {
		if err := w.sets(rest[0]); err != nil {
			return err
		}
		rest = rest[1:]
	}
	if w.Joins {
		return w.eval(rest)
	}
	if w.Reads && len(rest) > 0 {
		rest = append(slices.Clone(rest), arg{splits: true})
	}
	return w.runs(rest)
}

// opens reports whether an argument may be any word.
func (w wrapperCall) opens(i int) bool {
	_, known := w.args[i].single()
	return !known
}

// options marks the hook unclear if an option is not known. It returns false if any program may follow the options.
func (w wrapperCall) options(words []string) bool {
	for i := 0; i < len(words); i++ {
		if w.opens(i) {
			w.cannotSee("the program that %s starts is not known before the hook runs", w.name)
			return false
		}
		if option := words[i]; len(option) > 1 && option[0] == '-' {
			if !w.Knows(option) {
				w.cannotSee("the option %s of %s is not known", option, w.name)
			}
			i += w.Width(option) - 1
		}
	}
	return true
}

// foreign marks the hook unclear if a wrapper runs programs elsewhere, or runs commands that it reads from its input.
func (w wrapperCall) foreign(options []string, command []arg) {
	if w.Foreign {
		w.cannotSee("%s runs programs in another root, container or machine", w.name)
	}
	if w.Reads && slices.ContainsFunc(options, replaces) && len(command) > 0 && clearPrograms[command[0].base()] == nil {
		w.cannotSee("%s puts its input into the command", w.name)
	}
	if w.Joins && len(command) == 0 {
		w.cannotSee("%s runs the commands of its input", w.name)
	}
}

// sets covers the files that programs load because of a variable that a wrapper such as env sets.
func (w wrapperCall) sets(a arg) error {
	return a.each(func(text string) error {
		name, value, _ := strings.Cut(text, "=")
		if !a.known && (loads(name) || configures(name)) {
			w.cannotSee("the files that programs load through %s are not known before the hook runs", name)
		}
		return w.assigned(name, value)
	})
}

// replaces reports whether an option of xargs puts its input into the words of the command.
func replaces(option string) bool {
	return strings.HasPrefix(option, "-I") || strings.HasPrefix(option, "-i") || strings.HasPrefix(option, "--replace")
}
