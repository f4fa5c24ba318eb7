package lint

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

var ruleAccidentalExit2 = Rule{
	ID: "accidental-exit-2", Severity: Error, look: accidentalTwo,
	Doc: "A hook ends with status 2 by accident, which means \"refused\".",
	Why: "Status 2 is also the exit status of Python for a missing script, of argparse for a wrong argument, " +
		"and of a shell for a syntax error. A gate then blocks everything.",
	Mistake: `{"type": "command", "command": "python3 hooks/gaurd.py"}`,
	Fix:     `{"type": "command", "command": "python3 hooks/guard.py"}`,
}

// accidentalTwo looks for hooks that exit with status 2 although they refuse nothing.
func accidentalTwo(v *hookView) {
	for _, c := range v.calls {
		l, script, args, ok := c.interpreted()
		path := c.file()
		if !ok || l != langPython || path == "" || isForeign(script) || hasBackslashes(v.h.Command) {
			continue
		}
		if !isThere(path) {
			if c.certain && hasProgram(v.linter, c.program(), c.dir) {
				v.add(*v.report("accidental-exit-2", c.at, nearFile(path),
					"%s is not there, so %s ends with status 2, which %s", cli.ShortPath(path), c.program(), meaningOfTwo(v)))
			}
			continue
		}
		checkArguments(v, c, v.linter.scripts[path], args)
	}
	for _, c := range v.calls {
		if s := directScript(v, c); s != nil && s.lang == langPython {
			checkArguments(v, c, s, c.words[1:])
		}
	}
	for _, s := range v.scripts {
		findSyntaxError(v, s)
	}
}

// meaningOfTwo describes the effect of status 2.
func meaningOfTwo(v *hookView) string {
	if v.gates() {
		return "refuses every call that it matches"
	}
	return "looks like a refusal"
}

// findSyntaxError looks for shell syntax that no shell can read.
func findSyntaxError(v *hookView, s *hookScript) {
	var wrong syntax.ParseError
	if !errors.As(s.mistake, &wrong) || strings.Contains(string(s.text), "\r") {
		return
	}
	at := s.at
	if !s.inline {
		at = s.pos(wrong.Pos)
	}
	v.add(*v.report("accidental-exit-2", at, "correct the syntax: bash -n shows it too",
		"this is not shell syntax (%s), so the shell ends with status 2, which %s", wrong.Text, meaningOfTwo(v)))
}

// checkArguments looks for unknown and missing arguments of a Python script: its parser exits with status 2.
func checkArguments(v *hookView, c programCall, s *hookScript, args []string) {
	if s == nil || slices.Contains(c.known, false) {
		return
	}
	all := tokens(string(s.text), langPython)
	if !mentions(all, "argparse") || !mentions(all, "parse_args") ||
		mentions(all, "add_subparsers", "parents", "parse_known_args", "prefix_chars", "fromfile_prefix_chars", "exit_on_error", "error", "except") {
		return
	}
	p := parserOf(all)
	if p == nil {
		return
	}
	if wrong := p.wrong(args); wrong != "" {
		v.add(*v.report("accidental-exit-2", c.at, "give the script only arguments that it accepts; python3 "+s.file+" --help lists them",
			"argparse of %s ends with status 2, which %s: %s", s.file, meaningOfTwo(v), wrong))
	}
}

// argumentParser is the argparse configuration of a script.
type argumentParser struct {
	options    map[string]bool // options by name; true if a value follows the option
	required   [][]string      // the names of each required option
	positional []string        // required positional arguments
}

// parserOf reads the calls of add_argument; it returns nil if a call does not begin with a literal name.
func parserOf(all []codeToken) *argumentParser {
	p := &argumentParser{options: map[string]bool{"-h": false, "--help": false}}
	for i := range all {
		if !has(all, i, "add_argument", "(") {
			continue
		}
		var names []string
		at := i + 2
		for at+1 < len(all) && all[at].str && (all[at+1].text == "," || all[at+1].text == ")") {
			names = append(names, all[at].value())
			if at++; all[at].text == ")" {
				break
			}
			at++
		}
		end := closing(all, i+1)
		if len(names) == 0 || end < 0 {
			return nil
		}
		p.add(names, all[min(at, end):end])
	}
	return p
}

func (p *argumentParser) add(names []string, rest []codeToken) {
	keyword := func(name string) string {
		for i := range rest {
			if has(rest, i, name, "=") && i+2 < len(rest) {
				if rest[i+2].str {
					return rest[i+2].value()
				}
				return rest[i+2].text
			}
		}
		return ""
	}
	if !strings.HasPrefix(names[0], "-") {
		if nargs := keyword("nargs"); nargs == "" || nargs == "+" || strings.Trim(nargs, "123456789") == "" {
			p.positional = append(p.positional, names[0])
		}
		return
	}
	action := keyword("action")
	value := !strings.HasPrefix(action, "store_") && !slices.Contains([]string{"count", "version", "argparse"}, action)
	for _, name := range names {
		p.options[name] = value
	}
	if keyword("required") == "True" {
		p.required = append(p.required, names)
	}
}

// wrong returns the reason why argparse rejects arguments; empty if it accepts them.
func (p *argumentParser) wrong(args []string) string {
	free := 0
	for i := 0; i < len(args); i++ {
		option, _, joined := strings.Cut(args[i], "=")
		if !strings.HasPrefix(option, "--") {
			if !strings.HasPrefix(option, "-") {
				free++
			} else if p.options[option] {
				i++
			}
			continue
		}
		name, known := p.find(option)
		if !known {
			return "there is no option " + option
		}
		if p.options[name] && !joined {
			i++
		}
	}
	for _, names := range p.required {
		given := func(arg string) bool {
			option, _, _ := strings.Cut(arg, "=")
			return len(option) > 1 &&
				slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, option) })
		}
		if !slices.ContainsFunc(args, given) {
			return names[len(names)-1] + " is required"
		}
	}
	if len(p.positional) > 0 && free == 0 {
		return p.positional[0] + " is required"
	}
	return ""
}

// find returns the option that an argument names, which may be abbreviated.
func (p *argumentParser) find(option string) (name string, known bool) {
	if _, known := p.options[option]; known || option == "--" {
		return option, true
	}
	for name := range p.options {
		if strings.HasPrefix(name, option) {
			return name, true
		}
	}
	return "", false
}
