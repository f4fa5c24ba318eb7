package permission

import (
	"slices"
	"strings"
)

func definesAlias(arg piece) bool { return !arg.isLiteral() || strings.Contains(arg.plain, "=") }

// assigns handles a builtin that sets variables by name: bash expands a subscript in a name. values lists its
// options that take a value.
func assigns(values string) func(*search, []piece) bool {
	callback := strings.Contains(values, "C")
	return func(_ *search, args []piece) bool {
		return callback && hasOption(args, "C") || slices.ContainsFunc(args, unclearName)
	}
}

func unclearName(arg piece) bool {
	return !arg.isLiteral() || strings.Contains(arg.plain, "[") || special[strings.TrimLeft(arg.plain, "-ap")] != nil ||
		special[arg.plain] != nil
}

// printsToName reports whether printf sets a variable whose name is in special, or has or may have a subscript.
func printsToName(args []piece) bool {
	if len(args) == 0 {
		return false
	}
	first := args[0]
	if !first.isLiteral() {
		return first.holes[0].from == 0 || first.plain[0] == '-'
	}
	name, ok := strings.CutPrefix(first.plain, "-v")
	if !ok {
		return false
	}
	if name == "" && len(args) > 1 {
		return unclearName(args[1])
	}
	return strings.Contains(name, "[") || special[name] != nil
}

// declares handles declare and similar builtins. With some attributes bash evaluates a value, and a value in brackets
// becomes an array whose subscripts are evaluated. If the variable is already an array, for example one that mapfile or
// bash itself has set, all these builtins except export and readonly assign a value in brackets to it.
func declares(arrays bool) func(*search, []piece) bool {
	return func(s *search, args []piece) bool {
		arrays := arrays || hasOption(args, "aA")
		for _, arg := range args {
			if arg.isOption() && strings.ContainsAny(arg.plain, "inu") && arg.plain != "-n" ||
				arg.plain == "-n" && arrays {
				return true
			}
			if !arg.array && s.declaresUnclear(arg, arrays) {
				return true
			}
		}
		return false
	}
}

func (s *search) declaresUnclear(arg piece, arrays bool) bool {
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
	if !harmless(name, rest, s.reader()) {
		return true
	}
	return arrays && (strings.HasPrefix(value, "(") || rest.fixed == 0 && value != "")
}

// testsName reports whether test looks up a variable by a name that has, or may have, a subscript: the word after -v or
// -R, or after a word that could become one of these.
func testsName(args []piece) bool {
	for i, arg := range args {
		switch {
		case arg.expands() && !arg.quoted:
			return true
		case !arg.could("-v") && !arg.could("-R"):
			continue
		case arg.literal < len(arg.plain): // a file pattern may become several words
			return true
		case i+1 < len(args) && (!args[i+1].isLiteral() || strings.Contains(args[i+1].plain, "[")):
			return true
		}
	}
	return false
}
