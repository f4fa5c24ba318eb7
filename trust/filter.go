package trust

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var (
	sedProgram = lazyregexp.New(`^[^ewWrRF{}]*$`)
	sedSubst   = lazyregexp.New(`^\s*(?:[0-9$,]*|/[^/]*/)\s*s(?:/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||#[^#\n]*#[^#\n]*#|,[^,\n]*,[^,\n]*,|@[^@\n]*@[^@\n]*@)[gpIi0-9]*\s*$`)
	sedEscaped = lazyregexp.New(`\\[/|#,@]`) // a delimiter that does not end the expression
	sedPlain   = lazyregexp.New(`^\s*(?:[0-9$,]*|/[^/]*/(?:,/[^/]*/)?)\s*!?[pdqQ=nNPDhHgGx]?\s*$`)
)

// awkWrites matches a redirection of print and printf; a comparison there needs parentheses.
var awkWrites = lazyregexp.New(`(?s)print[^;}\n]*>`)

var jqFlags = lazyregexp.New(`^(-[cnrRsejaSMC]+|--(compact-output|null-input|raw-output|raw-input|slurp|exit-status|join-output|` +
	`ascii-output|sort-keys|monochrome-output|color-output|tab|args|jsonargs|raw-output0|unbuffered))$`)

// filterCall is a call of awk, sed or jq, whose argument is a program in its own language.
type filterCall struct {
	programCall
	language bash.Language
}

// check marks the hook unclear if the program may run other programs or load files. sed and jq also take options after
// the program.
func (f filterCall) check() {
	if len(f.args) > 0 && (!f.args[0].known && len(f.args[0].texts) == 0 || f.args[0].splits) {
		f.cannotSee("the program that %s runs is not known before the hook runs", f.name)
		return
	}
	text, program, operands := "", false, false
	for i := 0; i < len(f.args) && !(program && f.language == bash.Awk); i++ {
		a := f.args[i]
		option := strings.Join(a.texts, " ")
		if a.varies("-") {
			f.cannotSee("the program that %s runs is not known before the hook runs", f.name)
			return
		}
		switch {
		case operands || !strings.HasPrefix(option, "-") || option == "-":
			if !program {
				text, program = option, true
				if !a.known && f.language != bash.JQ || len(a.texts) > 1 {
					f.cannotSee("the program that %s runs is not known before the hook runs", f.name)
				}
			} else if !operands {
				f.operand(a)
			}
		case option == "--":
			operands = true
		case f.language == bash.Awk && (option == "-F" || option == "-v"):
			i++
			f.value(i)
		case f.language == bash.Awk && (strings.HasPrefix(option, "-F") || strings.HasPrefix(option, "-v")):
		case f.language == bash.JQ && slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile"}, option):
			f.value(i + 1)
			i += 2
			f.value(i)
		case f.language == bash.JQ && option == "--indent":
			i++
			f.value(i)
		case f.language == bash.JQ && jqFlags.MatchString(option):
		case f.language == bash.Sed && (option == "-e" || option == "-i" || option == "-n" || option == "-E" || option == "-r" ||
			option == "-z" || option == "-u" || option == "-s" || strings.HasPrefix(option, "-i.")):
		default:
			f.cannotSee("the option %s of %s is not known", option, f.name)
			return
		}
	}
	if f.language == bash.Sed && slices.ContainsFunc(f.args, inPlace) {
		f.changesFiles()
	}
	if f.language == bash.Sed { // -e may give several programs
		for i, a := range f.args {
			if a.is("-e") && i+1 < len(f.args) {
				if !f.args[i+1].known || len(f.args[i+1].texts) != 1 {
					f.cannotSee("the program that %s runs is not known before the hook runs", f.name)
				}
				text += "\n" + strings.Join(f.args[i+1].texts, " ")
			}
		}
	}
	if !clearText(f.language, text) {
		f.cannotSee("the text that %s runs may run programs or load files", f.name)
	}
}

// inPlace reports whether an option of sed writes the files that it reads.
func inPlace(a arg) bool {
	return slices.ContainsFunc(a.texts, func(text string) bool { return strings.HasPrefix(text, "-i") })
}

// operand marks the hook unclear if a word after the program may be an option.
func (f filterCall) operand(a arg) {
	if !a.known && len(a.texts) == 0 || a.splits {
		f.optionsUnknown()
	}
	for _, text := range a.texts {
		if strings.HasPrefix(text, "-") && text != "-" {
			f.cannotSee("the option %s of %s is not known", text, f.name)
		}
	}
}

// clearText reports whether a program for awk, sed or jq uses none of the few words with which its language runs
// programs or loads files.
func clearText(l bash.Language, text string) bool {
	switch l {
	case bash.Awk:
		return !awkWrites.MatchString(text) && !strings.Contains(text, "system") && !strings.Contains(text, "@") &&
			!strings.Contains(strings.ReplaceAll(text, "||", ""), "|")
	case bash.JQ:
		return !strings.Contains(text, "import") && !strings.Contains(text, "include")
	}
	if sedEscaped.MatchString(text) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		if !sedSubst.MatchString(part) && !sedPlain.MatchString(part) && !sedProgram.MatchString(part) {
			return false
		}
	}
	return true
}
