package reads

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/shell"
)

// sed prints, with scripts of substitutions, d, p, q and =.
func sed(args []string) (shell.Input, bool) {
	var scripts []string
	given, files := false, 0
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-e" && i+1 < len(args):
			i++
			scripts, given = append(scripts, args[i]), true
		case arg == "-n" || arg == "-E" || arg == "-r" || arg == "-nE" || arg == "-En" || arg == "-nr" || arg == "-u":
		case strings.HasPrefix(arg, "-"):
			return 0, false
		case !given && len(scripts) == 0:
			scripts = append(scripts, arg)
		default:
			files++
		}
	}
	input := shell.Whole
	if files > 0 {
		input = inputOf(args, files, 0)
	}
	for _, script := range scripts {
		prints, quits := printing(script)
		if !prints {
			return 0, false
		}
		if quits && input == shell.Whole {
			input = shell.Uncertain
		}
	}
	return input, len(scripts) > 0
}

// printing reports whether a script of sed only prints, and whether it may end before its input.
func printing(script string) (prints, quits bool) {
	for {
		script = strings.TrimLeft(script, " \t\n;")
		if script == "" {
			return true, quits
		}
		var ok bool
		if script, ok = address(script); !ok {
			return false, false
		}
		if rest, more := strings.CutPrefix(script, ","); more {
			if script, ok = address(strings.TrimLeft(rest, " ")); !ok {
				return false, false
			}
		}
		script = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(script, " "), "!"), " ")
		if script == "" {
			return false, false
		}
		command := script[0]
		script = script[1:]
		switch command {
		case 'd', 'p', '=':
		case 'q':
			quits = true
		case 's':
			if script, ok = substitution(script); !ok {
				return false, false
			}
		default:
			return false, false
		}
		if script = strings.TrimLeft(script, " "); script != "" && script[0] != ';' && script[0] != '\n' {
			return false, false
		}
	}
}

// address removes a line number, $ or /expression/ from the beginning of a script.
func address(script string) (rest string, ok bool) {
	switch {
	case script == "":
		return "", false
	case script[0] == '$':
		return script[1:], true
	case script[0] == '/':
		return delimited(script[1:], '/')
	}
	return strings.TrimLeft(script, "0123456789"), true
}

// substitution removes the rest of a command s whose flags neither write nor run anything.
func substitution(script string) (rest string, ok bool) {
	if script == "" || script[0] == '\\' || script[0] == '\n' || script[0] >= 0x80 {
		return "", false
	}
	end := script[0]
	if rest, ok = delimited(script[1:], end); !ok {
		return "", false
	}
	if rest, ok = delimited(rest, end); !ok {
		return "", false
	}
	return strings.TrimLeft(rest, "gpiI0123456789"), true
}

// delimited removes a text up to its end, which a backslash takes away the meaning of.
func delimited(script string, end byte) (rest string, ok bool) {
	for i := 0; i < len(script); i++ {
		switch script[i] {
		case '\\':
			i++
		case '[', '\n': // in brackets, an end is none for some versions
			if script[i] == '\n' || strings.IndexByte(inBrackets(script[i:]), end) >= 0 {
				return "", false
			}
			i += len(inBrackets(script[i:])) - 1
		case end:
			return script[i+1:], true
		}
	}
	return "", false
}

// inBrackets returns the bracket expression at the beginning of a text, or "[" if it does not end.
func inBrackets(text string) string {
	from := 1
	if strings.HasPrefix(text[from:], "^") {
		from++
	}
	if strings.HasPrefix(text[from:], "]") {
		from++
	}
	for i := from; i < len(text); i++ {
		if strings.HasPrefix(text[i:], "[:") {
			if at := strings.Index(text[i:], ":]"); at > 0 {
				i += at + 1
				continue
			}
		}
		if text[i] == ']' {
			return text[:i+1]
		}
	}
	return text[:1]
}
