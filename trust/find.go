package trust

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// findFlags matches the options that stand before the directories of find: -H, -L and -P, those of BSD, and -O of GNU.
var findFlags = lazyregexp.New(`^(-[HLPEXdsx]+|-O.*|--)$`)

// findStarts lists words that begin the expression of find. Only after these, a call without a directory searches the
// working directory for certain: any other option may have a directory after it.
var findStarts = set(`( ! -not -daystart -depth -maxdepth -mindepth -mount -xdev -regextype
	-amin -anewer -atime -cmin -cnewer -ctime -empty -executable -group -ilname -iname -inum -ipath -iregex -iwholename
	-links -lname -mmin -mtime -name -newer -nogroup -nouser -path -perm -readable -regex -samefile -size -type -uid -user
	-wholename -writable -xtype -delete -exec -execdir -ok -okdir -print -print0 -printf -prune`)

// findCall is a call of find.
type findCall struct{ programCall }

// files covers the files below the directories that find searches, and the programs that find runs.
func (f findCall) files() error {
	paths, expression := f.split()
	asScripts, err := f.commands(expression)
	if err != nil {
		return err
	}
	runs := slices.ContainsFunc(f.args, func(a arg) bool { return slices.ContainsFunc(a.texts, findRuns) })
	if runs {
		f.searchesKnown(paths, expression)
	}
	if f.mayRun() {
		f.optionsUnknown()
	}
	if len(paths) == 0 {
		paths = []arg{{known: true, texts: []string{"."}}}
	}
	for _, a := range paths {
		if err := a.each(func(text string) error { return f.searched(text, runs, asScripts) }); err != nil {
			return err
		}
	}
	return nil
}

// split splits the arguments into the words of the directories that find searches, and its expression. Options stand
// before both.
func (f findCall) split() (paths, expression []arg) {
	i := 0
	for ; i < len(f.args); i++ {
		text, _ := f.args[i].single()
		if text == "-f" { // of BSD
			paths = append(paths, f.arg(i+1))
		}
		if text == "-f" || text == "-D" {
			i++
		} else if !findFlags.MatchString(text) {
			break
		}
	}
	rest := f.args[min(i, len(f.args)):]
	end := slices.IndexFunc(rest, func(a arg) bool {
		return a.is("(") || a.is("!") || slices.ContainsFunc(a.texts, func(text string) bool { return strings.HasPrefix(text, "-") })
	})
	if end < 0 {
		end = len(rest)
	}
	return append(paths, rest[:end]...), rest[end:]
}

// searchesKnown marks the hook unclear if the directories that find searches are not known.
func (f findCall) searchesKnown(paths, expression []arg) {
	const why = "%s runs the files of a directory that is not known before the hook runs"
	for _, a := range paths {
		if !a.known {
			f.cannotSee(why, f.name)
		}
	}
	if len(expression) > 0 {
		text, known := expression[0].single()
		switch {
		case !known && len(expression[0].texts) > 1:
			f.cannotSee(why, f.name)
		case len(paths) == 0 && !findStarts[text]:
			f.cannotSee("the option %s of %s is not known", text, f.name)
		}
	}
	if slices.ContainsFunc(expression, func(a arg) bool { return slices.Contains(a.texts, "-files0-from") }) {
		f.cannotSee("%s runs the files of directories that another file names", f.name)
	}
}

// mayRun reports whether an unknown word may be -exec, because words that may be a program and its end follow, or
// because the word may become several words.
func (f findCall) mayRun() bool {
	for i, a := range f.args {
		if a.splits {
			return true
		}
		if a.known || i+2 >= len(f.args) {
			continue
		}
		program, isKnown := f.args[i+1].single()
		ends := slices.ContainsFunc(f.args[i+2:], func(a arg) bool { return !a.known || a.is(";") || a.is("+") })
		if ends && !(isKnown && strings.HasPrefix(program, "-")) {
			return true
		}
	}
	return false
}

// searched covers the files below a directory that find searches. runs reports that find runs programs, and asScripts
// that each file is a script.
func (f findCall) searched(text string, runs, asScripts bool) error {
	const separator = string(filepath.Separator)
	for _, path := range f.existing(text) {
		if runs && strings.HasPrefix(f.c.dir, strings.TrimSuffix(path, separator)+separator) {
			f.cannotSee("the hook searches the whole project, so any file of the project may run")
		}
	}
	return f.directory(text, asScripts)
}

// findRuns reports whether an option of find runs a program.
func findRuns(text string) bool {
	return strings.HasPrefix(text, "-exec") || strings.HasPrefix(text, "-ok")
}

// commands covers the programs that find runs. asScripts reports that one of them is a shell, for which each file is a
// script.
func (f findCall) commands(expression []arg) (asScripts bool, err error) {
	for i, a := range expression {
		if len(a.texts) > 1 && slices.ContainsFunc(a.texts, findRuns) {
			f.cannotSee("the program that %s runs is not known before the hook runs", f.name)
		}
		if len(a.texts) != 1 || !findRuns(a.texts[0]) {
			continue
		}
		command, scripts := f.command(expression[i+1:])
		asScripts = asScripts || scripts
		elsewhere := strings.HasSuffix(a.texts[0], "dir")
		if elsewhere && len(command) > 0 && clearPrograms[command[0].base()] == nil {
			f.cannotSee("the directory in which %s runs a program is not known before the hook runs", f.name)
		}
		fed := f.fed
		f.fed = fed || scripts
		if err := f.program(command); err != nil {
			return asScripts, err
		}
		f.fed = fed
	}
	return asScripts, nil
}

// command returns the command that find runs, with unknown words in place of {}. If the command is a shell that runs
// the file {}, asScripts is true, and the shell gets the option -s in place of {}.
func (f findCall) command(args []arg) (words []arg, asScripts bool) {
	for _, a := range args {
		if a.is(";") || a.is("+") {
			break
		}
		switch script := len(words) > 0 && bash.Interpreter(words[0].base()) == bash.Shell && takesScript(words[1:]); {
		case script && !asScripts && a.is("{}"):
			words, asScripts = slices.Insert(words, 1, arg{known: true, texts: []string{"-s"}}), true
		case len(a.texts) == 1 && strings.Contains(a.texts[0], "{}"):
			words = append(words, arg{})
		default:
			words = append(words, a)
		}
	}
	return words, asScripts
}
