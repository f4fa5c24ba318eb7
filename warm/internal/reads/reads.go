// Package reads knows programs that only read: a script may be run again from its beginning after they have run.
// Only refuses what is not certain.
package reads

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/shell"
)

// check says what a program does with its standard input, if it only reads.
type check func(args []string) (shell.Input, bool)

// Only tells whether a program only reads, with these arguments.
func Only(name string, args []string) (shell.Input, bool) {
	if of := programs[name]; of != nil {
		return of(args)
	}
	return 0, false
}

var programs = map[string]check{
	"awk": awk, "date": date, "find": find, "git": git, "grep": grep, "jq": jq, "sed": sed, "uniq": uniq,
	"sort": sort, "tail": tail,
	"base64": whole("w"), "cat": whole(""), "cksum": whole("a"), "cut": whole("bcdf"), "md5sum": whole(""), "nl": whole("bdfhilnsvw"),
	"rev": whole(""), "sha1sum": whole(""), "sha256sum": whole(""), "shasum": whole("a"), "tac": whole("s"), "wc": whole(""),
	"comm": always(shell.Uncertain), "head": head, "paste": always(shell.Uncertain), "tr": always(shell.Whole),
	"basename": always(shell.Ignored), "dirname": always(shell.Ignored), "du": always(shell.Ignored), "id": always(shell.Ignored),
	"ls": always(shell.Ignored), "nproc": always(shell.Ignored), "readlink": always(shell.Ignored), "realpath": always(shell.Ignored),
	"seq": always(shell.Ignored), "stat": always(shell.Ignored), "uname": always(shell.Ignored), "which": always(shell.Ignored),
	"whoami": always(shell.Ignored),
}

func always(input shell.Input) check {
	return func([]string) (shell.Input, bool) { return input, true }
}

// whole is a program that reads standard input to its end if it has no operands; values lists the options that take
// a value.
func whole(values string) check {
	return func(args []string) (shell.Input, bool) {
		n, _ := operands(args, values)
		return inputOf(args, n, 0), true
	}
}

// operands counts the arguments that are no options, and returns the letters of the options. A long option counts as
// an operand, since a value may follow it.
func operands(args []string, values string) (n int, letters string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if !isGroup(arg) {
			n++
			continue
		}
		for at := 1; at < len(arg); at++ {
			letters += arg[at : at+1]
			if strings.IndexByte(values, arg[at]) >= 0 {
				if at == len(arg)-1 {
					i++
				}
				break
			}
		}
	}
	return n, letters
}

// inputOf says what a program does with standard input that reads it if it has at most so many operands, and files
// if it has more. A long option may be followed by a value.
func inputOf(args []string, n, most int) shell.Input {
	switch {
	case n <= most:
		return shell.Whole
	case slices.ContainsFunc(args, func(arg string) bool { return arg == "-" || strings.HasPrefix(arg, "--") }):
		return shell.Uncertain
	}
	return shell.Ignored
}

// sort may write to a file, and start a program.
func sort(args []string) (shell.Input, bool) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--") {
			return 0, false
		}
	}
	n, letters := operands(args, "kSto")
	return inputOf(args, n, 0), strings.Trim(letters, "bdfgiMhnRrVkstuczm") == ""
}

// tail may wait for more.
func tail(args []string) (shell.Input, bool) {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--") {
			return 0, false
		}
	}
	n, letters := operands(args, "nc")
	return inputOf(args, n, 0), strings.Trim(letters, "nc0123456789qvz") == ""
}

// head leaves what it does not print.
func head(args []string) (shell.Input, bool) {
	n, _ := operands(args, "nc")
	if input := inputOf(args, n, 0); input == shell.Ignored {
		return input, true
	}
	return shell.Uncertain, true
}

// grep may end at the first match.
func grep(args []string) (shell.Input, bool) {
	n, letters := operands(args, "efmABCdD")
	most := 1
	if strings.ContainsAny(letters, "ef") {
		most = 0
	}
	input := inputOf(args, n, most)
	if input == shell.Whole && strings.ContainsAny(letters, "qmlLrRs") {
		input = shell.Uncertain
	}
	return input, true
}

// jq reads standard input if it has only a filter, and none of the options that change what it reads.
func jq(args []string) (shell.Input, bool) {
	filters := 0
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--arg" || arg == "--argjson":
			i += 2
		case strings.HasPrefix(arg, "--") && !slices.Contains([]string{"--raw-output", "--compact-output", "--exit-status", "--slurp"}, arg),
			isGroup(arg) && strings.ContainsAny(arg, "nfL"):
			return shell.Uncertain, true
		case !strings.HasPrefix(arg, "-"):
			filters++
		}
	}
	return inputOf(args, filters, 1), true
}

func isGroup(arg string) bool { return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' }

// uniq writes to its second operand.
func uniq(args []string) (shell.Input, bool) {
	n, _ := operands(args, "fsw")
	return inputOf(args, n, 0), n < 2
}

// date sets the time if it is told to.
func date(args []string) (shell.Input, bool) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-d" || arg == "-r":
			i++
		case strings.HasPrefix(arg, "+"), arg == "-u", arg == "-R", strings.HasPrefix(arg, "-I"), strings.HasPrefix(arg, "--date="):
		default:
			return 0, false
		}
	}
	return shell.Ignored, true
}

// find does what its actions say.
func find(args []string) (shell.Input, bool) {
	for _, arg := range args {
		for _, action := range []string{"-exec", "-ok", "-delete", "-fls", "-fprint", "-files0"} {
			if strings.HasPrefix(arg, action) {
				return 0, false
			}
		}
	}
	return shell.Ignored, true
}

// awk runs a program that prints to standard output alone.
func awk(args []string) (shell.Input, bool) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-F" || arg == "-v":
			i++
			continue
		case strings.HasPrefix(arg, "-F"), strings.HasPrefix(arg, "-v"):
			continue
		case strings.HasPrefix(arg, "-"):
			return 0, false
		}
		for _, effect := range []string{">", "|", "system", "getline", "close", "fflush", "@", "ARG", "ENVIRON"} {
			if strings.Contains(strings.ReplaceAll(arg, "||", ""), effect) {
				return 0, false
			}
		}
		input := shell.Whole
		if strings.Contains(arg, "exit") || strings.Contains(arg, "BEGIN") || i < len(args)-1 {
			input = shell.Uncertain
		}
		return input, true
	}
	return 0, false
}

// reading lists the commands of git that change nothing with any arguments, and those that change nothing with the
// ones that follow them.
var reading = map[string][]string{
	"rev-parse": nil, "rev-list": nil, "merge-base": nil, "ls-files": nil, "ls-tree": nil, "cat-file": nil, "show-ref": nil,
	"describe": nil, "check-ignore": nil, "name-rev": nil, "for-each-ref": nil, "version": nil,
	"log": {}, "diff": {}, "show": {}, "status": {}, "shortlog": {},
	"branch":       {"--show-current", "-a", "-r", "-v", "-vv", "--list", "--all", "--remotes"},
	"remote":       {"-v", "get-url"},
	"stash":        {"list"},
	"worktree":     {"list"},
	"config":       {"--get", "--get-all", "--list", "-l"},
	"tag":          {"-l", "--list"},
	"symbolic-ref": {"HEAD"},
}

// git accepts the commands of git that only read.
func git(args []string) (shell.Input, bool) {
	for len(args) > 1 && (args[0] == "-C" || args[0] == "--no-pager") {
		if args[0] == "-C" {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return 0, false
	}
	if len(args) == 1 && args[0] == "--version" {
		return shell.Ignored, true
	}
	forms, ok := reading[args[0]]
	if !ok {
		return 0, false
	}
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "--output") || strings.HasPrefix(arg, "--stdin") || strings.HasPrefix(arg, "--batch") ||
			strings.HasPrefix(arg, "--ext-diff") || strings.HasPrefix(arg, "--textconv") || strings.HasPrefix(arg, "-O") || strings.HasPrefix(arg, "--open") {
			return 0, false
		}
	}
	switch {
	case len(forms) == 0:
		return shell.Ignored, true
	case args[0] == "symbolic-ref":
		rest := slices.DeleteFunc(slices.Clone(args[1:]), func(arg string) bool { return arg == "-q" || arg == "--quiet" || arg == "--short" })
		return shell.Ignored, len(rest) == 1 && !strings.HasPrefix(rest[0], "-")
	case args[0] == "config" && len(args) == 2 && !strings.HasPrefix(args[1], "-"):
		return shell.Ignored, true
	case len(args) == 1:
		return shell.Ignored, args[0] == "branch" || args[0] == "remote" || args[0] == "tag"
	case !slices.Contains(forms, args[1]):
		return 0, false
	}
	for _, arg := range args[2:] {
		if args[0] == "branch" && strings.HasPrefix(arg, "-") && !slices.Contains(forms, arg) {
			return 0, false
		}
	}
	return shell.Ignored, args[0] != "branch" || len(args) == 2 || slices.ContainsFunc(args[1:], func(arg string) bool { return arg == "--list" }) ||
		!slices.ContainsFunc(args[2:], func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}
