package permission

import (
	"slices"
	"strings"
)

// builtinCall is a call of a builtin of bash that may run text. Type namingCall reads words that name variables.
type builtinCall struct {
	*search
	args []piece // the words after the name
}

// builtins maps each builtin that may run text to a function that decides whether a call does.
var builtins map[string]func(builtinCall) bool

func init() { // in init, because the functions refer to the table
	type decides = func(builtinCall) bool
	always := func(builtinCall) bool { return true }
	byWord := func(f func(piece) bool) decides {
		return func(c builtinCall) bool { return slices.ContainsFunc(c.args, f) }
	}
	byOption := func(letters string) decides {
		return func(c builtinCall) bool { return c.hasOption(letters) }
	}
	byName := func(f func(namingCall) bool) decides {
		return func(c builtinCall) bool { return f(namingCall{c}) }
	}
	sets, tests := byName(namingCall.sets), byName(namingCall.tests)
	builtins = map[string]decides{
		"eval": builtinCall.evaluates, "trap": builtinCall.traps, ".": builtinCall.sources, "source": builtinCall.sources,
		"alias": byWord(definesAlias), "shopt": byWord(changesGrammar),
		"set":  func(c builtinCall) bool { return changesShell(c.args) },
		"read": sets, "mapfile": byName(namingCall.maps), "readarray": byName(namingCall.maps),
		"getopts": sets, "unset": sets, "printf": byName(namingCall.prints),
		"wait": byOption("p"), "jobs": byOption("x"), "enable": byOption("f"), "history": byOption("ps"),
		"hash": byOption("p"), "test": tests, "[": tests,
		"declare": byName(namingCall.declares), "typeset": byName(namingCall.declares), "local": byName(namingCall.declares),
		"export": byName(namingCall.exports), "readonly": byName(namingCall.exports),
		"let": always, "compgen": always, "complete": always, "compopt": always, "bind": always, "fc": always,
	}
}

// evaluates handles eval, which runs its words, joined, as a command.
func (c builtinCall) evaluates() bool {
	args := c.args
	if len(args) > 0 && args[0].plain == "--" {
		args = args[1:]
	}
	_, text := join(args)
	return !allLiteral(args) || c.text(text)
}

// traps handles trap, whose first operand is a command.
func (c builtinCall) traps() bool {
	args := c.args
	if !allLiteral(args) {
		return true
	}
	if len(args) > 0 && args[0].plain == "--" {
		args = args[1:]
	}
	return len(args) > 1 && c.text(args[0].plain)
}

// sources handles source and dot. A rule does not look into the file. The rule matches if the command itself may write
// the file, or if it is not certain which file bash reads.
func (c builtinCall) sources() bool {
	if len(c.args) == 0 || !allLiteral(c.args[:1]) || strings.ContainsAny(c.whole, "<>|") {
		return len(c.args) > 0
	}
	file := c.args[0].plain
	return strings.HasPrefix(file, "-") || strings.HasPrefix(file, "/dev") || strings.HasPrefix(file, "/proc") ||
		strings.Contains(file, "..")
}

// hasOption reports whether one of the words is, or may be, an option with one
// of the letters.
func (c builtinCall) hasOption(letters string) bool {
	return slices.ContainsFunc(c.args, func(arg piece) bool {
		return arg.isOption() && (arg.expands() || strings.ContainsAny(arg.plain, letters)) ||
			arg.expands() && arg.holes[0].from == 0 && arg.plain != "$!"
	})
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
