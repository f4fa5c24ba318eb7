package permission

import (
	"regexp"
	"slices"
	"strings"
)

// runsText reports whether a builtin of bash may run text that is not in the syntax tree, or changes how bash parses
// the text after it. Text that is known is searched like the command itself.
func (s *search) runsText(st simpleCommand) bool {
	if len(st.words) == 0 {
		return false
	}
	if st.words[0].expands() {
		return couldName(st.words[0])
	}
	check := builtins[st.words[0].plain]
	return check != nil && (check(s, st.words[1:]) || st.open)
}

// builtins maps each builtin that may run text to a function that decides from the words whether it does.
var builtins map[string]func(*search, []piece) bool

func init() { // in init, because the functions refer to the table
	type decides = func(*search, []piece) bool
	always := func(*search, []piece) bool { return true }
	byWords := func(f func([]piece) bool) decides {
		return func(_ *search, args []piece) bool { return f(args) }
	}
	byWord := func(f func(piece) bool) decides {
		return byWords(func(args []piece) bool { return slices.ContainsFunc(args, f) })
	}
	byOption := func(letters string) decides {
		return byWords(func(args []piece) bool { return hasOption(args, letters) })
	}
	builtins = map[string]decides{
		"eval": (*search).evaluates, "trap": (*search).traps, ".": (*search).sources, "source": (*search).sources,
		"alias": byWord(definesAlias), "shopt": byWord(changesGrammar), "set": byWords(changesShell),
		"read": assigns("adinNptu"), "mapfile": assigns("dnOsuCc"), "readarray": assigns("dnOsuCc"),
		"getopts": assigns(""), "unset": assigns(""), "printf": byWords(printsToName),
		"wait": byOption("p"), "jobs": byOption("x"), "enable": byOption("f"), "history": byOption("ps"),
		"hash": byOption("p"), "test": byWords(testsName), "[": byWords(testsName),
		"declare": declares(true), "typeset": declares(true), "local": declares(true),
		"export": declares(false), "readonly": declares(false),
		"let": always, "compgen": always, "complete": always, "compopt": always, "bind": always, "fc": always,
	}
}

// couldName reports whether the expansions in a command's first word could make it the name of a builtin that
// runs text, or of a wrapper. The value of an unquoted expansion may contain blanks, which end the name:
// e$x'rm y' may be an eval.
func couldName(first piece) bool {
	could := func(name string) bool { return strings.HasPrefix(name, first.plain[:first.holes[0].from]) }
	if first.quoted && first.literal == len(first.plain) {
		could = simpleCommand{words: []piece{first}}.shape(true).match
	}
	for name := range builtins {
		if could(name) {
			return true
		}
	}
	for name := range wrappers {
		if could(name) {
			return true
		}
	}
	return false
}

// evaluates handles eval, which runs its words, joined, as a command.
func (s *search) evaluates(args []piece) bool {
	if len(args) > 0 && args[0].plain == "--" {
		args = args[1:]
	}
	_, text := join(args)
	return !allLiteral(args) || s.text(text)
}

// traps handles trap, whose first operand is a command.
func (s *search) traps(args []piece) bool {
	if !allLiteral(args) {
		return true
	}
	if len(args) > 0 && args[0].plain == "--" {
		args = args[1:]
	}
	return len(args) > 1 && s.text(args[0].plain)
}

// sources handles source and dot. A rule does not look into the file. The rule matches if the command itself may write
// the file, or if it is not certain which file bash reads.
func (s *search) sources(args []piece) bool {
	if len(args) == 0 || !allLiteral(args[:1]) || strings.ContainsAny(s.whole, "<>|") {
		return len(args) > 0
	}
	file := args[0].plain
	return strings.HasPrefix(file, "-") || strings.HasPrefix(file, "/dev") || strings.HasPrefix(file, "/proc") ||
		strings.Contains(file, "..")
}

var (
	harmlessSet  = regexp.MustCompile(`^[-+][euofvabCETnhmpB]+$`)
	harmlessSetO = []string{
		"allexport",
		"braceexpand",
		"errexit",
		"errtrace",
		"functrace",
		"hashall",
		"monitor",
		"noclobber",
		"noexec",
		"noglob",
		"nounset",
		"onecmd",
		"physical",
		"pipefail",
		"verbose",
	}
	harmlessShopt = []string{
		"-s",
		"-u",
		"-q",
		"-p",
		"globstar",
		"dotglob",
		"failglob",
		"lastpipe",
		"inherit_errexit",
		"checkwinsize",
		"histappend",
		"autocd",
		"cdspell",
	}
)

// changesShell reports whether set makes bash trace commands, and thereby expand PS4, or changes how bash parses the
// commands after set.
func changesShell(args []piece) bool {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg.plain == "--" || arg.plain == "-":
			return false
		case !arg.isLiteral():
			return arg.holes[0].from == 0 || strings.ContainsAny(arg.plain[:1], "-+")
		case !strings.HasPrefix(arg.plain, "-") && !strings.HasPrefix(arg.plain, "+"):
			return false
		case !harmlessSet.MatchString(arg.plain):
			return true
		}
		for range strings.Count(arg.plain, "o") {
			if i++; i < len(args) && !slices.Contains(harmlessSetO, args[i].plain) {
				return true
			}
		}
	}
	return false
}

// changesGrammar reports whether a word of shopt names an option that changes, or may change, how bash parses
// the commands after it.
func changesGrammar(arg piece) bool {
	return !arg.isLiteral() || !slices.Contains(harmlessShopt, arg.plain)
}

// hasOption reports whether one of the words is, or may be, an option with one
// of the letters.
func hasOption(args []piece, letters string) bool {
	return slices.ContainsFunc(args, func(arg piece) bool {
		return arg.isOption() && (arg.expands() || strings.ContainsAny(arg.plain, letters)) ||
			arg.expands() && arg.holes[0].from == 0 && arg.plain != "$!"
	})
}
