package text

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/posix"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// sed runs scripts of the commands s, p and d, with an address or none, on standard input or one file.
func sed(args []string) (run, error) {
	var s sedScript
	var texts []string
	extended := false
options:
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option := args[0]
		args = args[1:]
		switch option {
		case "-n":
			s.quiet = true
		case "-E", "-r":
			extended = true
		case "-e":
			if len(args) == 0 {
				return nil, errArguments
			}
			texts, args = append(texts, args[0]), args[1:]
		case "--":
			break options
		default:
			return nil, errArguments
		}
	}
	if texts == nil {
		if len(args) == 0 {
			return nil, errArguments
		}
		texts, args = args[:1], args[1:]
	}
	if len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-") {
		return nil, errArguments
	}
	for _, text := range texts {
		commands, err := sedCommands(text, extended)
		if err != nil {
			return nil, err
		}
		s.commands = append(s.commands, commands...)
	}
	return func(p *shell.Process) int {
		in := []byte(nil)
		if len(args) == 1 {
			in = p.Open(args[0])
		} else {
			in = p.Stdin()
		}
		s.run(p, in)
		return 0
	}, nil
}

type sedScript struct {
	quiet    bool // -n
	commands []sedCommand
}

// sedCommand is a command with the lines to which it applies.
type sedCommand struct {
	from, to int           // range of lines; 0: all lines; lastLine: $
	match    *posix.Regexp // selects lines with a match; nil: all lines
	not      bool          // the command is for the lines that are not selected

	do          byte // s, p or d
	pattern     *posix.Regexp
	replacement []sedPiece
	all, print  bool
}

// sedPiece is a piece of a replacement: text, or the match, or a group of it.
type sedPiece struct {
	text  string
	group int // number of the group; 0: the whole match; isText: the piece is text
}

const isText = -1

const lastLine = -1

// mostCommands limits the commands of one text, mostMatches how often an expression of s matches in a line.
const (
	mostCommands = 64
	mostMatches  = 1024
	costOfMatch  = 64 // the work of one match, in bytes
)

// sedCommands reads commands, which are separated by semicolons or newlines.
func sedCommands(text string, extended bool) (all []sedCommand, err error) {
	for {
		text = strings.TrimLeft(text, " \t\n;")
		if text == "" {
			return all, nil
		}
		var c sedCommand
		if text, err = c.address(text, extended); err != nil {
			return nil, err
		}
		if strings.HasPrefix(text, "!") {
			c.not, text = true, text[1:]
		}
		if text == "" {
			return nil, errArguments
		}
		c.do, text = text[0], text[1:]
		switch c.do {
		case 'p', 'd':
		case 's':
			if text, err = c.substitution(text, extended); err != nil {
				return nil, err
			}
		default:
			return nil, errArguments
		}
		if text = strings.TrimLeft(text, " \t"); text != "" && text[0] != ';' && text[0] != '\n' {
			return nil, errArguments
		}
		if all = append(all, c); len(all) > mostCommands {
			return nil, errArguments
		}
	}
}

// address reads N, $, N,M, N,$ or /expression/.
func (c *sedCommand) address(text string, extended bool) (rest string, err error) {
	line := func() int {
		if strings.HasPrefix(text, "$") {
			text = text[1:]
			return lastLine
		}
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		n, err := strconv.Atoi(text[:digits])
		if err != nil || n < 1 || strconv.Itoa(n) != text[:digits] {
			return 0
		}
		text = text[digits:]
		return n
	}
	if strings.HasPrefix(text, "/") {
		expression, rest, ok := untilDelimiter(text[1:], '/')
		if !ok || strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, "I") || strings.HasPrefix(rest, "M") {
			return "", errArguments
		}
		c.match, err = sedPattern(expression, extended, false)
		return rest, err
	}
	if c.from = line(); c.from == 0 {
		return text, nil
	}
	c.to = c.from
	if strings.HasPrefix(text, ",") {
		text = text[1:]
		if c.to = line(); c.to == 0 || c.from == lastLine || c.to != lastLine && c.to < c.from {
			return "", errArguments
		}
	}
	return text, nil
}

// untilDelimiter cuts a text at the first delimiter that has no backslash before it.
func untilDelimiter(text string, delimiter byte) (before, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return "", "", false
		case '\\':
			if i++; i < len(text) && text[i] == delimiter && delimiter != '/' {
				return "", "", false // the escaped delimiter may be an operator of the expression
			}
		case delimiter:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

func sedPattern(text string, extended, groups bool) (*posix.Regexp, error) {
	if text == "" {
		return nil, errArguments // an empty expression means the last one that sed has used
	}
	if strings.Contains(text, `\/`) && strings.Contains(text, "[") {
		return nil, errArguments // within brackets the backslash counts in some versions
	}
	text = strings.ReplaceAll(text, `\/`, "/") // posix.Compile refuses the other escapes
	return posix.Compile(text, posix.Options{Basic: !extended, Lines: true, Groups: groups})
}

// substitution reads the rest of s/expression/replacement/flags.
func (c *sedCommand) substitution(text string, extended bool) (rest string, err error) {
	if text == "" || !strings.Contains("/|#,:@%!", text[:1]) {
		return "", errArguments
	}
	delimiter := text[0]
	expression, text, ok := untilDelimiter(text[1:], delimiter)
	by, text, also := untilDelimiter(text, delimiter)
	if !ok || !also {
		return "", errArguments
	}
	if c.replacement, err = replacement(by); err != nil {
		return "", err
	}
	most := 0
	for _, piece := range c.replacement {
		most = max(most, piece.group)
	}
	if c.pattern, err = sedPattern(expression, extended, most > 0); err != nil {
		return "", err
	}
	if most > c.pattern.NumSubexp() {
		return "", errArguments
	}
	for text != "" && (text[0] == 'g' || text[0] == 'p') {
		again := text[0] == 'g' && c.all || text[0] == 'p' && c.print
		if again {
			return "", errArguments
		}
		c.all, c.print = c.all || text[0] == 'g', c.print || text[0] == 'p'
		text = text[1:]
	}
	return text, nil
}

// replacement reads the text of a replacement, where & is the match.
func replacement(text string) (all []sedPiece, err error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '&':
			all = append(all, sedPiece{text: out.String(), group: isText}, sedPiece{})
			out.Reset()
		case c != '\\':
			out.WriteByte(c)
		default:
			if i++; i == len(text) {
				return nil, errArguments
			}
			switch text[i] {
			case '1', '2', '3', '4', '5', '6', '7', '8', '9':
				all = append(all, sedPiece{text: out.String(), group: isText}, sedPiece{group: int(text[i] - '0')})
				out.Reset()
			case 'n':
				out.WriteByte('\n')
			case 't':
				out.WriteByte('\t')
			case '&', '/', '\\', '.', '"', '\'', '$', '[', ']', '*':
				out.WriteByte(text[i])
			default:
				return nil, errArguments // a change of case, or another escape
			}
		}
	}
	return append(all, sedPiece{text: out.String(), group: isText}), nil
}

func (s *sedScript) run(p *shell.Process, text []byte) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	for i, line := range lines {
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		s.line(p, line, i+1, i == len(lines)-1, ended)
	}
}

// line runs the commands for one line. ended is false for a last line without a newline; its output then ends without a
// newline.
func (s *sedScript) line(p *shell.Process, line []byte, n int, last, ended bool) {
	written := false
	print := func(line []byte) {
		if written && !ended {
			p.Print([]byte("\n")) // the missing newline is written before the next output
		}
		p.Print(line)
		if written = true; ended {
			p.Print([]byte("\n"))
		}
	}
	for i := range s.commands {
		c := &s.commands[i]
		if c.applies(p, line, n, last) == c.not {
			continue
		}
		switch c.do {
		case 'p':
			print(line)
		case 'd':
			return
		case 's':
			changed, done := c.replace(p, line)
			if line = changed; done && c.print {
				print(line)
			}
		}
	}
	if !s.quiet {
		print(line)
	}
}

func (c *sedCommand) applies(p *shell.Process, line []byte, n int, last bool) bool {
	switch {
	case c.match != nil:
		return matches(p, c.match, line)
	case c.from == 0:
		return true
	case c.from == lastLine:
		return last
	}
	return n >= c.from && (c.to == lastLine || n <= c.to)
}

// matches reports whether an expression matches a line. It gives the run up if the result is not certain.
func matches(p *shell.Process, re *posix.Regexp, line []byte) bool {
	p.Spend(re.Work(len(line)))
	if bytes.IndexByte(line, '\n') >= 0 || !re.Certain(line) {
		p.GiveUp("sed: a text whose characters depend on the locale")
	}
	return re.Match(line)
}

func (c *sedCommand) replace(p *shell.Process, line []byte) (changed []byte, done bool) {
	if !matches(p, c.pattern, line) {
		return line, false
	}
	if c.pattern.NumSubexp() > 0 {
		p.Spend(4 * c.pattern.Work(len(line))) // finding the groups takes longer than matching
	}
	limit := 1
	if c.all {
		limit = mostMatches
	}
	var out []byte
	end := 0
	found := c.pattern.FindAllSubmatchIndex(line, limit)
	if len(found) == mostMatches {
		p.GiveUp("sed: many matches in a line")
	}
	p.Spend(costOfMatch * len(found))
	for _, at := range found {
		if at[0] == at[1] && (c.all || at[0] > 0) {
			p.GiveUp("sed: an empty match")
		}
		out = append(out, line[end:at[0]]...)
		for _, piece := range c.replacement {
			if piece.group != isText {
				piece.text = string(line[at[2*piece.group]:at[2*piece.group+1]])
			}
			p.Spend(len(piece.text))
			out = append(out, piece.text...)
		}
		end = at[1]
	}
	return append(out, line[end:]...), true
}
