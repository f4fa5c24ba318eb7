package trust

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// programCall is one call of a program. Types such as pythonCall read the arguments of a program with many options.
type programCall struct {
	*shellScope
	name string // without folders
	args []arg  // the words after the name
}

// judge covers the files of programs that are known, and marks the hook unclear for all others. read means that the
// program is a file of the project that has been read.
func (p programCall) judge(read bool) error {
	name, args := p.name, p.args
	if w, wraps := bash.Wrappers[name]; wraps {
		return p.wrapped(w)
	}
	switch language := bash.Interpreter(name); {
	case language != "":
		return p.language(language)
	case name == "source" || name == ".":
		return p.sourced()
	case name == "eval":
		return p.eval(args)
	case name == "trap":
		return p.trap()
	case declaring[name]:
		return p.declares()
	case name == "unset" || name == "wait" ||
		name == "printf" && len(args) > 0 && (args[0].varies("-") || strings.HasPrefix(strings.Join(args[0].texts, ""), "-v")):
		p.forget(args)
	case name == "alias" && slices.ContainsFunc(args, defines):
		p.cannotSee("an alias may stand for another program")
	case name == "shopt" || name == "set":
		p.setsOptions()
	case name == "cd" || name == "pushd":
		p.changeDir(args)
	case name == "read" || name == "getopts":
		p.forget(args)
	case name == "mapfile" || name == "readarray":
		p.without("-C")
		p.forget(args)
	case name == "run-parts":
		return p.directories()
	case name == "find":
		return findCall{p}.files()
	case name == "git":
		gitCall{p}.check()
	case runners[name]:
		p.cannotSee("%s runs commands that files of the project name", name)
	case read:
	case clearPrograms[name] != nil:
		p.without(clearPrograms[name]...)
		if !readers[name] {
			p.changesFiles()
		}
	case !p.quiet:
		p.proc.unknown = append(p.proc.unknown, name)
	}
	return nil
}

// language covers the files of a call of an interpreter.
func (p programCall) language(l bash.Language) error {
	switch {
	case l == bash.Shell:
		return shellCall{p}.files()
	case l == bash.Python:
		return pythonCall{p}.files()
	case p.name == "node" || p.name == "nodejs":
		return nodeCall{p}.files()
	case l == bash.Awk || l == bash.Sed || l == bash.JQ:
		filterCall{p, l}.check()
	default:
		p.cannotSee("the files that %s loads are not known before the hook runs", p.name)
	}
	return nil
}

// wrapped covers the command of a wrapper in a scope without functions and names, because a wrapper runs programs only.
func (p programCall) wrapped(w bash.Wrapper) error {
	inner := *p.shellScope
	inner.proc, inner.names = p.c.newProcess(p.proc), scriptNames{}
	err := wrapperCall{programCall{&inner, p.name, p.args}, w}.files()
	p.dirs, p.proc.path, p.proc.relative = inner.dirs, inner.proc.path, inner.proc.relative
	if p.name == "command" || p.name == "builtin" { // they run builtins such as source and shopt in this shell
		maps.Copy(p.proc.functions, inner.proc.functions)
		p.proc.vanish = p.proc.vanish || inner.proc.vanish
	}
	p.proc.repeats = p.proc.repeats || inner.proc.repeats
	return err
}

// forget records that the variables that words name, also behind an option or before a subscript, may have any values.
func (p programCall) forget(args []arg) {
	for _, a := range args {
		for _, text := range a.texts {
			name, _, _ := strings.Cut(text, "[")
			for begin := 0; begin == 0 || name != "" && text[0] == '-' && begin < len(name); begin++ {
				p.vars[name[begin:]] = nil
				p.c.changes(name[begin:], "")
				if loads(name[begin:]) || configures(name[begin:]) {
					p.cannotSee("the files that programs load through %s are not known before the hook runs", name[begin:])
				}
			}
		}
	}
}

// arg returns a word after the name. If there are fewer words, it returns a word that is not known.
func (p programCall) arg(i int) arg {
	if i >= len(p.args) {
		return arg{}
	}
	return p.args[i]
}

// readStdin calls cover with the text that an interpreter reads as its program from its input, and with the directories
// in which it runs.
func (p programCall) readStdin(cover func(what, text string, dirs []string) error) error {
	if len(p.stdin) != 1 || !p.stdin[0].known {
		p.cannotSee("%s reads its program from its input", p.name)
		return nil
	}
	return cover(p.name, strings.Join(p.stdin[0].texts, " "), p.dirs)
}

// without marks the hook unclear if a word is, begins with, or abbreviates one of the options, all of which run a
// program or load a file. It also marks the hook unclear if a word may be any option.
func (p programCall) without(options ...string) {
	if len(options) == 0 {
		return
	}
	for _, a := range p.args {
		for _, text := range a.texts {
			option, _, _ := strings.Cut(text, "=")
			for _, runs := range options {
				abbreviates := strings.HasPrefix(option, "--") && len(option) > 2 && strings.HasPrefix(runs, option)
				bundled := len(runs) == 2 && runs[0] == '-' && len(text) > 1 && text[0] == '-' && text[1] != '-' &&
					strings.Contains(text, runs[1:])
				if strings.HasPrefix(text, runs) || abbreviates || bundled {
					p.cannotSee("the option %s of %s runs a program or loads a file", runs, p.name)
				}
			}
		}
		if !a.known && len(a.texts) == 0 || a.splits {
			p.optionsUnknown()
		}
	}
}

// optionsUnknown marks the hook unclear because any option may stand in a word of the call.
func (p programCall) optionsUnknown() {
	p.cannotSee("the options of %s are not known before the hook runs", p.name)
}

// changesFiles records that a program may write the files that its words name.
func (p programCall) changesFiles() {
	if copying[p.name] {
		p.copies()
		return
	}
	for _, a := range p.args {
		p.writesTo(a)
		option, _ := a.single()
		if _, file, bundled := strings.Cut(option, "o"); bundled && isOption(option) && p.name == "curl" {
			p.writesTo(arg{texts: []string{file}, known: true})
		}
	}
	if p.name == "split" || p.name == "csplit" || p.name == "curl" && slices.ContainsFunc(p.args, namesItself) {
		p.writesTo(arg{texts: []string{"."}, known: true})
	}
}

// copies records the file or folder that cp, mv, ln or install writes: the last operand, unless an option names it.
func (p programCall) copies() {
	var operands []arg
	sources := false // the operands are only read, because an option names the folder
	for i := 0; i < len(p.args); i++ {
		option, _ := p.args[i].single()
		name, value, with := strings.Cut(option, "=")
		switch {
		case option == "-t" || len(name) > 3 && strings.HasPrefix("--target-directory", name):
			sources = true
			if !with {
				i++
				p.writesTo(p.arg(i))
			}
			p.writesTo(arg{texts: []string{value}, known: true})
		case !isOption(option):
			operands = append(operands, p.args[i])
		case !strings.HasPrefix(option, "--"): // perhaps -rtDIR, or -rt DIR
			if _, dir, bundled := strings.Cut(option, "t"); bundled && dir != "" {
				p.writesTo(arg{texts: []string{dir}, known: true})
			} else if bundled {
				p.writesTo(p.arg(i + 1))
			}
		}
	}
	if len(operands) == 0 || sources && p.name != "ln" {
		return
	}
	last := operands[len(operands)-1]
	if last.match || last.splits { // it may vanish
		for _, a := range operands {
			p.writesTo(a)
		}
	}
	p.writesTo(last)
	if p.name != "ln" {
		return
	}
	for _, a := range operands { // later commands may write through the link, which may be in this directory
		p.writesTo(a)
		for _, text := range a.texts {
			p.writesTo(arg{texts: []string{filepath.Base(text)}, known: true})
		}
	}
}

// namesItself reports whether a word may be an option of curl by which the server names the file.
func namesItself(a arg) bool {
	return slices.ContainsFunc(a.texts, func(text string) bool {
		return strings.HasPrefix(text, "--remote") || isOption(text) && !strings.HasPrefix(text, "--") && strings.ContainsAny(text, "OJ")
	})
}

// value marks the hook unclear if word i, which an option takes as its value, may be several words: all but the first
// of them can be options.
func (p programCall) value(i int) {
	if i < len(p.args) && p.args[i].splits {
		p.optionsUnknown()
	}
}

// trap covers the first word of trap, which is a script.
func (p programCall) trap() error {
	p.proc.repeats = true
	for _, a := range p.args {
		if !a.known || a.match {
			p.cannotSee("the text that trap runs is not known before the hook runs")
			return nil
		}
		if a.is("--") {
			continue
		}
		if len(p.args) == 1 || a.is("-") || a.is("-l") || a.is("-p") {
			return nil
		}
		return a.each(p.script)
	}
	return nil
}

// defines reports whether an argument of alias defines, or may define, an alias.
func defines(a arg) bool {
	return !a.known || slices.ContainsFunc(a.texts, func(text string) bool { return strings.Contains(text, "=") })
}

// setsOptions marks the hook unclear if a call of shopt or set may change how the shell reads the commands after it.
func (p programCall) setsOptions() {
	for i, a := range p.args {
		word, known := a.single()
		letters := p.name == "set" && len(word) > 1 && (word[0] == '-' || word[0] == '+')
		if p.name == "set" && (word == "--" || word == "-" || known && !letters && !(i > 0 && optionName(p.args[i-1]))) {
			return // the words after it are values of $1 and so on
		}
		if word == "nullglob" {
			p.proc.vanish = true
		}
		if letters && strings.Contains(word, "a") || word == "allexport" {
			p.exported[everything] = true
		}
		if !known || !harmlessOptions[p.name][word] && !(letters && strings.Trim(word[1:], "abefhmnotuvxCET") == "") {
			p.cannotSee("the option %s of %s is not known, or changes how a shell reads commands", word, p.name)
		}
	}
}

// optionName reports whether the name of an option of set may stand after a word.
func optionName(a arg) bool {
	return slices.ContainsFunc(a.texts, func(text string) bool { return isOption(text) && strings.HasSuffix(text, "o") })
}

// declaring lists the builtins that set variables, for calls such as "builtin export", which are not declarations.
var declaring = set("declare typeset local export readonly")

// declares covers the variables that a call of a declaring builtin sets.
func (p programCall) declares() error {
	for _, a := range p.args {
		if !a.known {
			p.cannotSee("the variables that the hook sets are not known before the hook runs")
		}
		if err := p.declared(a, false); err != nil {
			return err
		}
	}
	return nil
}

// sourced covers the file of a call of source.
func (p programCall) sourced() error {
	args := p.args
	if len(args) > 0 && args[0].is("--") {
		args = args[1:]
	}
	if len(args) == 0 || !args[0].known {
		p.cannotSee("the file that the hook sources is not known before the hook runs")
		return nil
	}
	return args[0].each(p.source)
}

// directories covers the files of the directories that run-parts runs.
func (p programCall) directories() error {
	for _, a := range p.args {
		if !a.known {
			p.cannotSee("%s runs the files of a directory that is not known before the hook runs", p.name)
		}
		if err := a.each(p.runParts); err != nil {
			return err
		}
	}
	return nil
}
