package permission

import (
	"slices"
	"strings"
)

// namingCall is a call of a builtin whose words name variables.
type namingCall struct{ builtinCall }

// sets handles a builtin that sets variables by name: bash expands a subscript in a name.
func (c namingCall) sets() bool { return slices.ContainsFunc(c.args, unclearName) }

// maps handles mapfile, which also runs the text of its option -C.
func (c namingCall) maps() bool { return c.hasOption("C") || c.sets() }

// prints reports whether printf sets a variable whose name is in special, or has or may have a subscript.
func (c namingCall) prints() bool {
	if len(c.args) == 0 {
		return false
	}
	first := c.args[0]
	if !first.isLiteral() {
		return first.holes[0].from == 0 || first.plain[0] == '-'
	}
	name, ok := strings.CutPrefix(first.plain, "-v")
	if !ok {
		return false
	}
	if name == "" && len(c.args) > 1 {
		return unclearName(c.args[1])
	}
	return strings.Contains(name, "[") || special[name] != nil
}

// declares handles declare and similar builtins, which assign a value in brackets to a variable that is already an
// array, for example one that mapfile or bash itself has set.
func (c namingCall) declares() bool { return c.declaresAny(true) }

// exports handles export and readonly, which do so only with an option.
func (c namingCall) exports() bool { return c.declaresAny(c.hasOption("aA")) }

// declaresAny reports whether one of the words makes bash evaluate text. With some attributes bash evaluates a value,
// and, if arrays is set, a value in brackets becomes an array whose subscripts are evaluated.
func (c namingCall) declaresAny(arrays bool) bool {
	return slices.ContainsFunc(c.args, func(arg piece) bool {
		return arg.isOption() && strings.ContainsAny(arg.plain, "inu") && arg.plain != "-n" ||
			arg.plain == "-n" && arrays || !arg.array && c.declaresUnclear(arg, arrays)
	})
}

// declaresUnclear reports whether an assignment, or the name of a variable, makes bash evaluate text.
func (c namingCall) declaresUnclear(arg piece, arrays bool) bool {
	name, value, assigns := strings.Cut(arg.plain, "=")
	if min(arg.fixed, arg.literal) < len(name) || strings.Contains(name, "[") {
		return true
	}
	name = strings.TrimSuffix(name, "+")
	if !assigns {
		return false
	}
	rest := piece{
		plain:   value,
		fixed:   arg.fixed - len(arg.plain) + len(value),
		literal: arg.literal - len(arg.plain) + len(value),
	}
	rest.fixed, rest.literal = max(rest.fixed, 0), max(rest.literal, 0)
	if !harmless(name, rest, c.reader()) {
		return true
	}
	return arrays && (strings.HasPrefix(value, "(") || rest.fixed == 0 && value != "")
}

// tests reports whether test looks up a variable by a name that has, or may have, a subscript: the word after -v or
// -R, or after a word that could become one of these.
func (c namingCall) tests() bool {
	for i, arg := range c.args {
		switch {
		case arg.expands() && !arg.quoted:
			return true
		case !arg.could("-v") && !arg.could("-R"):
			continue
		case arg.literal < len(arg.plain): // a file pattern may become several words
			return true
		case i+1 < len(c.args) && (!c.args[i+1].isLiteral() || strings.Contains(c.args[i+1].plain, "[")):
			return true
		}
	}
	return false
}

// unclearName reports whether a word is, or may become, a name with a subscript or a name in special.
func unclearName(arg piece) bool {
	return !arg.isLiteral() || strings.Contains(arg.plain, "[") || special[strings.TrimLeft(arg.plain, "-ap")] != nil ||
		special[arg.plain] != nil
}
