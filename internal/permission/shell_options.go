package permission

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

var (
	harmlessSet  = lazyregexp.New(`^[-+][euofvabCETnhmpB]+$`)
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

func definesAlias(arg piece) bool { return !arg.isLiteral() || strings.Contains(arg.plain, "=") }
