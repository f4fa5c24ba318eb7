package trust

import (
	"regexp"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

var (
	sedProgram = regexp.MustCompile(`^[^ewWrRF{}]*$`)
	sedSubst   = regexp.MustCompile(`^\s*(?:[0-9$,]*|/[^/]*/)\s*s(?:/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||#[^#\n]*#[^#\n]*#|,[^,\n]*,[^,\n]*,|@[^@\n]*@[^@\n]*@)[gpIi0-9]*\s*$`)
	sedEscaped = regexp.MustCompile(`\\[/|#,@]`) // a delimiter that does not end the expression
	sedPlain   = regexp.MustCompile(`^\s*(?:[0-9$,]*|/[^/]*/(?:,/[^/]*/)?)\s*!?[pdqQ=nNPDhHgGx]?\s*$`)
)

var jqFlags = regexp.MustCompile(`^(-[cnrRsejaSMC]+|--(compact-output|null-input|raw-output|raw-input|slurp|exit-status|join-output|` +
	`ascii-output|sort-keys|monochrome-output|color-output|tab|args|jsonargs|raw-output0|unbuffered))$`)

// filter handles a call of awk, sed or jq, whose argument is a program in its own language. sed and jq also take
// options after the program.
func (s *shellScope) filter(l bash.Language, name string, args []arg) {
	for i, a := range args {
		if i == 0 && !a.known && len(a.texts) == 0 || a.varies("-") {
			s.cannotSee("the program that %s runs is not known before the hook runs", name)
			return
		}
	}
	text, program, operands := "", false, false
	for i := 0; i < len(args) && !(program && l == bash.Awk); i++ {
		a := args[i]
		option := strings.Join(a.texts, " ")
		switch {
		case operands || !strings.HasPrefix(option, "-") || option == "-":
			if !program {
				text, program = option, true
				if !a.known && l != bash.JQ || len(a.texts) > 1 {
					s.cannotSee("the program that %s runs is not known before the hook runs", name)
				}
			} else if !operands {
				s.operand(name, a)
			}
		case option == "--":
			operands = true
		case l == bash.Awk && (option == "-F" || option == "-v"):
			if i++; i < len(args) && !args[i].known && len(args[i].texts) == 0 {
				s.cannotSee("the options of %s are not known before the hook runs", name)
			}
		case l == bash.Awk && (strings.HasPrefix(option, "-F") || strings.HasPrefix(option, "-v")):
		case l == bash.JQ && slices.Contains([]string{"--arg", "--argjson", "--slurpfile", "--rawfile"}, option):
			i += 2
		case l == bash.JQ && option == "--indent":
			i++
		case l == bash.JQ && jqFlags.MatchString(option):
		case l == bash.Sed && (option == "-e" || option == "-i" || option == "-n" || option == "-E" || option == "-r" ||
			option == "-z" || option == "-u" || option == "-s" || strings.HasPrefix(option, "-i.")):
		default:
			s.cannotSee("the option %s of %s is not known", option, name)
			return
		}
	}
	if l == bash.Sed { // -e may give several programs
		for i, a := range args {
			if a.is("-e") && i+1 < len(args) {
				if !args[i+1].known || len(args[i+1].texts) != 1 {
					s.cannotSee("the program that %s runs is not known before the hook runs", name)
				}
				text += "\n" + strings.Join(args[i+1].texts, " ")
			}
		}
	}
	if !clearText(l, text) {
		s.cannotSee("the text that %s runs may run programs or load files", name)
	}
}

// operand marks the hook unclear if a word after the program may be an option.
func (s *shellScope) operand(name string, a arg) {
	if !a.known && len(a.texts) == 0 {
		s.cannotSee("the options of %s are not known before the hook runs", name)
	}
	for _, text := range a.texts {
		if strings.HasPrefix(text, "-") && text != "-" {
			s.cannotSee("the option %s of %s is not known", text, name)
		}
	}
}

// clearText reports whether a program for awk, sed or jq uses none of the few words with which its language runs
// programs or loads files.
func clearText(l bash.Language, text string) bool {
	switch l {
	case bash.Awk:
		return !strings.Contains(text, "system") && !strings.Contains(text, "@") &&
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
