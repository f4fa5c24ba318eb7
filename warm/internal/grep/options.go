package grep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/internal/posix"
)

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
