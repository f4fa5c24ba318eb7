package trust

import (
	"slices"
	"strings"

	"github.com/samber/lo"
)

// shellFlags and shellLongs list options of shells that have no value, and load no files except those of the user.
var (
	shellFlags = "befhilmnprstuvxBCEHT"
	shellLongs = set("--norc --noprofile --posix --restricted --login --verbose --noediting")
)

// shellCall is a call of a shell.
type shellCall struct{ programCall }

// files covers the script of the call, which is a file, a text or the input.
func (p shellCall) files() error {
	for i := 0; i < len(p.args); i++ {
		option, known := p.args[i].option("-+")
		if !known {
			p.cannotSee("the script that a shell runs is not known before the hook runs")
			return nil
		}
		file, isFile := rcFile(option)
		switch {
		case isFile:
			if file == "" {
				i++
				if file, known = p.arg(i).single(); !known {
					p.cannotSee("the file that a shell reads before its script is not known before the hook runs")
				}
			}
			if err := p.shellFiles(file, func(path string) scriptNames { return scriptNames{source: path} }); err != nil {
				return err
			}
		case takesName(option):
			p.letters(option[:len(option)-1], shellFlags)
			i++
			p.value(i)
			name, known := p.arg(i).single()
			builtin := lo.Ternary(strings.HasSuffix(option, "O"), "shopt", "set")
			if !known || !harmlessOptions[builtin][name] || name == "allexport" || name == "nullglob" {
				p.cannotSee("the option %s of a shell is not known, or changes how it reads commands", option)
			}
		case option == "--" || option == "-":
			if i+1 < len(p.args) {
				return p.args[i+1].each(p.file)
			}
		case shellLongs[option]:
		case strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.Contains(option, "c"):
			p.letters(option, shellFlags+"c")
			return p.command(i + 1)
		case strings.HasPrefix(option, "-") || strings.HasPrefix(option, "+"):
			if p.letters(option, shellFlags); strings.Contains(option, "s") {
				p.unfed()
				return nil
			}
		default:
			return p.args[i].each(p.file)
		}
	}
	p.unfed()
	return nil
}

// letters marks the hook unclear if an option has letters other than those of flags.
func (p shellCall) letters(option, flags string) {
	if strings.HasPrefix(option, "--") || strings.Trim(option[1:], flags) != "" {
		p.cannotSee("the option %s of a shell is not known", option)
	}
}

// command covers the text of the option -c. The text is the first word from i on that is not an option, as in
// bash -c -e text.
func (p shellCall) command(i int) error {
	for text, known := p.arg(i).single(); known && isOption(text); text, known = p.arg(i).single() {
		i++
	}
	if a := p.arg(i); !a.known || a.match {
		p.cannotSee("the text that a shell runs is not known before the hook runs")
		return nil
	}
	return p.arg(i).each(func(text string) error { return p.started(p.name).script(text) })
}

// file covers a file that the shell runs.
func (p shellCall) file(text string) error {
	if len(p.existing(text)) == 0 && !slices.ContainsFunc(p.paths(text), p.c.below) {
		p.cannotSee("%s, which a shell runs, is not there", text)
	}
	return p.started(p.name).shellFiles(text, func(path string) scriptNames {
		name := p.nameOf(text, path)
		return scriptNames{name, name}
	})
}

// unfed marks the hook unclear if a shell reads its script from its input, and the text of this input is not known.
func (p shellCall) unfed() {
	if !p.fed {
		p.cannotSee("the text that a shell reads from its input is not known before the hook runs")
	}
}

// takesName reports whether the value of a shell's option is the next word, as in -o pipefail, -euo pipefail and
// -O nullglob.
func takesName(option string) bool {
	return !strings.HasPrefix(option, "--") && !strings.ContainsAny(option, "cs") &&
		(strings.HasSuffix(option, "o") || strings.HasSuffix(option, "O")) && strings.IndexByte("-+", option[0]) >= 0
}

// rcFile returns the file of --rcfile or --init-file; "" if the file is the next word.
func rcFile(option string) (file string, is bool) {
	name, file, _ := strings.Cut(option, "=")
	return file, name == "--rcfile" || name == "--init-file"
}

// shellReadsInput reports whether a shell with these arguments reads, or may read, its script from its input.
func shellReadsInput(args []arg) bool {
	for i := 0; i < len(args); i++ {
		option, known := args[i].single()
		switch {
		case !known:
			return true
		case takesName(option) || option == "--rcfile" || option == "--init-file":
			i++
		case option == "--" || option == "-":
			return i+1 >= len(args)
		case strings.HasPrefix(option, "--"):
		case !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "+"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "c"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "s"):
			return true
		}
	}
	return true
}

// takesScript reports whether a shell with these arguments takes a word after them as its script.
func takesScript(args []arg) bool {
	script := arg{known: true, texts: []string{"script"}}
	return shellReadsInput(args) && !shellReadsInput(append(slices.Clone(args), script))
}
