// Package grep runs GNU grep on standard input or one file, in this process. It leaves options and patterns
// that it does not know exactly to the installed grep.
package grep

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/warm/internal/posix"
	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/version"
)

// Grep is the program grep. It keeps the patterns that it has compiled.
type Grep struct {
	Name string // grep, egrep or fgrep

	mu       sync.Mutex
	compiled map[string]compiled
}

// A pattern longer than mostPattern is left to the installed grep. mostKept limits the compiled patterns that are kept.
const (
	mostPattern = 8 << 10
	mostKept    = 128
	costOfByte  = 32 // the work of compiling one byte of a pattern, in bytes
)

type compiled struct {
	*posix.Regexp
	err error
}

// invocation holds the parsed arguments.
type invocation struct {
	posix.Options
	fixed, extended, basic             bool
	quiet, invert, only, count, number bool
	most                               int // number of matching lines to read; -1: all
	patterns                           []string
	given                              bool // by -e
	files                              []string
}

// Known reports whether a file is a GNU grep of version 3.
func (g *Grep) Known(file string) bool { return version.Starts(file, "grep (GNU grep) 3.") }

// Check reads the arguments if all arguments are known before a run.
func (g *Grep) Check(args []*string) error {
	known := make([]string, 0, len(args))
	for _, arg := range args {
		if arg == nil {
			return nil // an option may follow the known arguments
		}
		known = append(known, *arg)
	}
	call, err := g.parse(known)
	if err != nil {
		return err
	}
	return g.pattern(call).err
}

// Run searches the lines.
func (g *Grep) Run(p *shell.Process) int {
	call, err := g.parse(p.Args)
	if err != nil {
		p.GiveUp("grep: %v", err)
	}
	for _, text := range call.patterns {
		p.Spend(costOfByte * len(text))
	}
	re := g.pattern(call)
	if re.err != nil {
		p.GiveUp("grep: %v", re.err)
	}
	var text []byte
	if len(call.files) == 1 {
		text = p.Open(call.files[0])
	} else {
		text = p.Stdin()
	}
	if !re.Certain(text) || bytes.IndexByte(text, 0) >= 0 {
		p.GiveUp("grep: characters beyond ASCII")
	}
	p.Spend(re.Work(len(text)))
	return call.search(p, re.Regexp, text)
}

// search prints the matching lines and returns the status.
func (c *invocation) search(p *shell.Process, re *posix.Regexp, text []byte) int {
	var out bytes.Buffer
	found, line := 0, 0
	silent := c.quiet || p.Silent()
	posix.Lines(text, func(l []byte) bool {
		line++
		if c.most >= 0 && found >= c.most {
			return false
		}
		if re.Match(l) == c.invert {
			return true
		}
		found++
		if silent {
			return false
		}
		c.print(&out, re, l, line)
		return true
	})
	if (silent || c.most >= 0 && found >= c.most) && found > 0 && len(c.files) == 0 {
		p.Leave()
	}
	switch {
	case silent:
	case c.count:
		p.Print([]byte(strconv.Itoa(found) + "\n"))
	default:
		p.Print(out.Bytes())
	}
	if found > 0 {
		return 0
	}
	return 1
}

// print adds a matching line, or the matches in it, to the output.
func (c *invocation) print(out *bytes.Buffer, re *posix.Regexp, line []byte, n int) {
	prefix := ""
	if c.number {
		prefix = strconv.Itoa(n) + ":"
	}
	switch {
	case c.count:
	case c.only:
		for _, at := range re.FindAllIndex(line, -1) {
			if at[1] > at[0] {
				out.WriteString(prefix)
				out.Write(line[at[0]:at[1]])
				out.WriteByte('\n')
			}
		}
	default:
		out.WriteString(prefix)
		out.Write(line)
		out.WriteByte('\n')
	}
}

// pattern returns the compiled pattern of the call.
func (g *Grep) pattern(c *invocation) compiled {
	key := strings.Join(c.patterns, "\n")
	for _, on := range []bool{c.fixed, c.extended, c.Fold, c.Word, c.Whole} {
		if key += "0"; on {
			key += "1"
		}
	}
	g.mu.Lock()
	re, ok := g.compiled[key]
	g.mu.Unlock()
	if ok {
		return re
	}
	re = c.compile()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.compiled == nil || len(g.compiled) >= mostKept {
		g.compiled = map[string]compiled{}
	}
	g.compiled[key] = re
	return re
}

func (c *invocation) compile() (out compiled) {
	if out.err = c.checkPatterns(); out.err != nil {
		return out
	}
	if c.fixed {
		out.Regexp, out.err = posix.Literal(c.patterns, c.Options)
		return out
	}
	out.Regexp, out.err = posix.Join(c.patterns, c.Options)
	return out
}

func (c *invocation) checkPatterns() error {
	size := 0
	for _, p := range c.patterns {
		if size += len(p); size > mostPattern {
			return errors.New("a long pattern")
		}
	}
	if c.only && (c.invert || c.Word) {
		return errors.New("-o with -v or -w")
	}
	return nil
}

// long lists the long options that are known, with the letter that means the same.
var long = map[string]byte{
	"quiet": 'q', "silent": 'q', "extended-regexp": 'E', "fixed-strings": 'F', "basic-regexp": 'G', "ignore-case": 'i',
	"invert-match": 'v', "only-matching": 'o', "count": 'c', "word-regexp": 'w', "line-regexp": 'x',
	"line-number": 'n', "no-messages": 's', "no-filename": 'h', "color=never": 'h', "text": '?',
}

// parse reads the arguments. Options may come after the pattern and the files, as GNU permits.
func (g *Grep) parse(args []string) (*invocation, error) {
	c := &invocation{most: -1}
	c.Lines = true
	switch g.Name {
	case "egrep", "fgrep":
		return nil, errors.New("its warning")
	}
	var rest []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			rest, args = append(rest, args...), nil
		case strings.HasPrefix(arg, "--"):
			name := arg[2:]
			letter, ok := long[name]
			if !ok || c.option(letter) != nil {
				return nil, fmt.Errorf("the option %s", arg)
			}
		case len(arg) > 1 && arg[0] == '-':
			var err error
			if args, err = c.letters(arg[1:], args); err != nil {
				return nil, err
			}
		default:
			rest = append(rest, arg)
		}
	}
	return c, c.operands(rest)
}

// operands takes the pattern and the file.
func (c *invocation) operands(rest []string) error {
	if !c.given {
		if len(rest) == 0 {
			return errors.New("no pattern")
		}
		c.patterns, rest = posix.Split(rest[0]), rest[1:]
	}
	kinds := 0
	for _, on := range []bool{c.fixed, c.extended, c.basic} {
		if on {
			kinds++
		}
	}
	c.Basic = !c.extended
	if c.files = rest; len(rest) > 1 || kinds > 1 {
		return errors.New("several files or kinds of patterns")
	}
	return nil
}

// letters reads a group of short options.
func (c *invocation) letters(group string, args []string) ([]string, error) {
	for i := range len(group) {
		switch group[i] {
		case 'e', 'm':
			value := group[i+1:]
			if value == "" {
				if len(args) == 0 {
					return nil, errors.New("an option without its argument")
				}
				value, args = args[0], args[1:]
			}
			if group[i] == 'e' {
				c.patterns, c.given = append(c.patterns, posix.Split(value)...), true
				return args, nil
			}
			n, err := strconv.Atoi(value)
			if c.most = n; err != nil || n < 1 || strconv.Itoa(n) != value {
				return nil, errors.New("this -m")
			}
			return args, nil
		}
		if err := c.option(group[i]); err != nil {
			return nil, err
		}
	}
	return args, nil
}

func (c *invocation) option(letter byte) error {
	flags := map[byte]*bool{
		'q': &c.quiet, 'E': &c.extended, 'F': &c.fixed, 'G': &c.basic, 'i': &c.Fold, 'v': &c.invert, 'o': &c.only,
		'c': &c.count, 'w': &c.Word, 'x': &c.Whole, 'n': &c.number,
	}
	if letter == 's' || letter == 'h' {
		return nil
	}
	flag, ok := flags[letter]
	if !ok {
		return fmt.Errorf("the option -%c", letter)
	}
	*flag = true
	return nil
}
