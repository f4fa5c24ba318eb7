// Package jq runs jq on standard input, in this process, for filters whose output is the same in all known
// versions of jq. The parser is gojq's; the filters are run here, because gojq does not keep the order of the
// members of objects. A run that fails, or whose result depends on the version, is left to the installed jq.
package jq

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
	"github.com/snaphook-go/snaphook/warm/internal/version"
)

// JQ is the program jq. It keeps the filters that it has compiled.
type JQ struct {
	mu       sync.Mutex
	compiled map[string]compiled
}

// mostKept limits the number of filters that are kept.
const mostKept = 128

type compiled struct {
	filter
	err error
}

// invocation holds the parsed arguments.
type invocation struct {
	raw, join, compact, null, status, slurp, lines bool
	text                                           string // the filter
	names                                          []string
	values                                         []value
}

// versions lists the first lines of jq --version that are known.
var versions = []string{"jq-1.6"}

// Known reports whether a file is a jq of a known version.
func (*JQ) Known(file string) bool { return slices.Contains(versions, version.Line(file)) }

// Check reads the arguments if all except values of --arg are known before a run.
func (j *JQ) Check(args []*string) error {
	known := make([]string, len(args))
	for i, arg := range args {
		switch {
		case arg != nil:
			known[i] = *arg
		case i >= 2 && args[i-2] != nil && *args[i-2] == "--arg": // the value of a variable
		default:
			return nil
		}
	}
	call, err := parse(known)
	if err != nil {
		return err
	}
	return j.filter(call).err
}

// parse reads the arguments.
func parse(args []string) (*invocation, error) {
	c := &invocation{}
	found := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--arg" || arg == "--argjson":
			if len(args) < 2 || !isIdentifier(args[0]) {
				return nil, errors.New("this " + arg)
			}
			v, err := argument(arg, args[1])
			if err != nil {
				return nil, err
			}
			if slices.Contains(c.names, args[0]) || args[0] == "ENV" {
				return nil, errors.New("a variable that is given twice")
			}
			c.names, c.values = append(c.names, args[0]), append(c.values, v)
			args = args[2:]
		case strings.HasPrefix(arg, "-"):
			if !c.option(arg) {
				return nil, errors.New("the option " + arg)
			}
		case found:
			return nil, errors.New("a file")
		default:
			c.text, found = arg, true
		}
	}
	if !found {
		return nil, errors.New("no filter")
	}
	return c, nil
}

// argument reads the value of a variable.
func argument(kind, text string) (value, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("a variable that is not UTF-8")
	}
	if kind == "--arg" {
		return text, nil
	}
	all, err := decode([]byte(text))
	if err != nil || len(all) != 1 {
		return nil, errors.New("this value of --argjson")
	}
	return all[0], nil
}

// long lists the long options that are known.
var long = map[string]string{
	"--raw-output": "r", "--join-output": "j", "--compact-output": "c", "--null-input": "n", "--exit-status": "e", "--slurp": "s",
	"--raw-input": "R", "--monochrome-output": "M",
}

func (c *invocation) option(arg string) bool {
	letters, ok := strings.CutPrefix(arg, "-")
	if strings.HasPrefix(letters, "-") {
		letters, ok = long[arg]
	}
	if !ok || letters == "" {
		return false
	}
	for i := range len(letters) {
		switch letters[i] {
		case 'r':
			c.raw = true
		case 'j':
			c.raw, c.join = true, true
		case 'c':
			c.compact = true
		case 'n':
			c.null = true
		case 'e':
			c.status = true
		case 's':
			c.slurp = true
		case 'R':
			c.lines = true
		case 'M':
		default:
			return false
		}
	}
	return true
}

// filter returns the compiled filter of the call.
func (j *JQ) filter(c *invocation) compiled {
	key := strings.Join(append(slices.Clone(c.names), c.text), " ")
	j.mu.Lock()
	f, ok := j.compiled[key]
	j.mu.Unlock()
	if ok {
		return f
	}
	f.filter, f.err = compile(c.text, c.names)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.compiled == nil || len(j.compiled) >= mostKept {
		j.compiled = map[string]compiled{}
	}
	j.compiled[key] = f
	return f
}

// Run filters standard input.
func (j *JQ) Run(p *shell.Process) (status int) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case unsure:
			p.GiveUp("jq: %v", why)
		default:
			panic(why)
		}
	}()
	c, err := parse(p.Args)
	if err != nil {
		p.GiveUp("jq: %v", err)
	}
	f := j.filter(c)
	if f.err != nil {
		p.GiveUp("jq: %v", f.err)
	}
	home := p.Env("HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = p.Env("USERPROFILE")
	}
	if !withoutLibrary(home) {
		p.GiveUp("jq: the file ~/.jq")
	}
	inputs, err := c.inputs(p)
	if err != nil {
		p.GiveUp("jq: %v", err)
	}
	return c.run(p, f.filter, inputs)
}

// withoutLibrary reports whether the home directory has no ~/.jq, a file of definitions that jq
// reads first.
func withoutLibrary(home string) bool {
	if home == "" {
		return false
	}
	_, err := os.Lstat(home + "/.jq")
	return errors.Is(err, os.ErrNotExist)
}

// inputs returns the values that the filter is run for.
func (c *invocation) inputs(p *shell.Process) (all []value, err error) {
	if c.null {
		if c.slurp || c.lines {
			return nil, errors.New("these options together")
		}
		return []value{nil}, nil
	}
	text := p.Stdin()
	p.Spend(2 * len(text))
	if !c.lines {
		all, err = decode(text)
	} else {
		all, err = c.texts(text)
	}
	if c.slurp && !c.lines {
		if all == nil {
			all = []value{}
		}
		all = []value{all}
	}
	return all, err
}

// texts returns the lines of a text, or all of it with -s.
func (c *invocation) texts(text []byte) (all []value, err error) {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, errors.New("a text that is not UTF-8")
	}
	if c.slurp {
		return []value{string(text)}, nil
	}
	for line := range strings.Lines(string(text)) {
		all = append(all, strings.TrimSuffix(line, "\n"))
	}
	return all, nil
}

// run prints the outputs and returns the status.
func (c *invocation) run(p *shell.Process, f filter, inputs []value) int {
	top := &scope{machine: &machine{p.Spend}}
	for i, name := range c.names {
		top = top.bind("$"+name, c.values[i])
	}
	status, silent := 4, false // silent is set if an input had no output
	var out []byte
	for _, in := range inputs {
		some := false
		err := f(top, in, func(v value) error {
			before := len(out)
			out = c.print(out, v)
			p.Spend(len(out) - before)
			some, status = true, 0
			if !truthy(v) {
				status = 1
			}
			return nil
		})
		if err != nil {
			p.GiveUp("jq: %v", err)
		}
		silent = silent || !some
	}
	p.Print(out)
	switch {
	case !c.status:
		return 0
	case len(inputs) != 1 && status == 4 || len(inputs) > 1 && silent:
		p.GiveUp("jq: -e, with an input that has no output")
	}
	return status
}

func (c *invocation) print(out []byte, v value) []byte {
	text, is := v.(string)
	switch {
	case is && c.raw:
		out = append(out, text...)
	case c.compact:
		out = encode(out, v, -1)
	default:
		out = encode(out, v, 0)
	}
	if !c.join {
		out = append(out, '\n')
	}
	return out
}
