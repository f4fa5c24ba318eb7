// Package grep runs GNU grep on standard input or one file, in this process. It leaves options and patterns
// that it does not know exactly to the installed grep.
package grep

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/internal/posix"
	"github.com/snaphook-go/snaphook/internal/shell"
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
