package text

import (
	"bytes"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// count reads -n N, -nN and -N; it returns 10 without an argument.
func count(args []string) (n int, err error) {
	text := "10"
	switch {
	case len(args) == 0:
	case len(args) == 2 && args[0] == "-n":
		text = args[1]
	case len(args) == 1 && strings.HasPrefix(args[0], "-"):
		text = strings.TrimPrefix(args[0][1:], "n")
	default:
		return 0, errArguments
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return 0, errArguments
	}
	return n, nil
}

// head prints the first lines.
func head(args []string) (run, error) {
	n, err := count(args)
	return func(p *shell.Process) int {
		text, end := p.Stdin(), 0
		for range n {
			at := bytes.IndexByte(text[end:], '\n')
			if at < 0 {
				p.Print(text)
				return 0
			}
			end += at + 1
		}
		p.Leave()
		p.Print(text[:end])
		return 0
	}, err
}

// tail prints the last lines.
func tail(args []string) (run, error) {
	n, err := count(args)
	return func(p *shell.Process) int {
		text := p.Stdin()
		start := len(bytes.TrimSuffix(text, []byte("\n")))
		for range n {
			if start = bytes.LastIndexByte(text[:start], '\n'); start < 0 {
				break
			}
		}
		p.Print(text[start+1:])
		return 0
	}, err
}

// wc counts lines or bytes.
func wc(args []string) (run, error) {
	if len(args) != 1 || args[0] != "-l" && args[0] != "-c" {
		return nil, errArguments
	}
	return func(p *shell.Process) int {
		text := p.Stdin()
		n := len(text)
		if args[0] == "-l" {
			n = bytes.Count(text, []byte("\n"))
		}
		p.Print([]byte(strconv.Itoa(n) + "\n"))
		return 0
	}, nil
}

// cut prints one range of the fields, or of the bytes, of each line.
func cut(args []string) (run, error) {
	delimiter, fields, bytewise := "\t", "", false
	for len(args) > 0 {
		option, value := args[0], ""
		if args = args[1:]; len(option) < 2 || option[0] != '-' {
			return nil, errArguments
		}
		if value = option[2:]; value == "" {
			if len(args) == 0 {
				return nil, errArguments
			}
			value, args = args[0], args[1:]
		}
		switch {
		case option[1] == 'd' && !bytewise:
			delimiter = value
		case option[1] == 'f' && !bytewise:
			fields = value
		case (option[1] == 'b' || option[1] == 'c') && fields == "" && delimiter == "\t":
			bytewise, fields = true, value
		default:
			return nil, errArguments
		}
	}
	first, last, ok := fieldRange(fields)
	if !ok || len(delimiter) != 1 || delimiter[0] >= 0x80 || delimiter == "\n" {
		return nil, errArguments
	}
	return func(p *shell.Process) int {
		var out bytes.Buffer
		for line := range strings.Lines(string(p.Stdin())) {
			line = strings.TrimSuffix(line, "\n")
			if bytewise {
				if strings.IndexFunc(line, func(r rune) bool { return r >= 0x80 }) >= 0 {
					p.GiveUp("cut: characters beyond ASCII")
				}
				from := min(first-1, len(line))
				out.WriteString(line[from:max(from, min(last, len(line)))] + "\n")
				continue
			}
			if parts := strings.Split(line, delimiter); len(parts) > 1 {
				from := min(first-1, len(parts))
				line = strings.Join(parts[from:max(from, min(last, len(parts)))], delimiter)
			}
			out.WriteString(line + "\n")
		}
		p.Print(out.Bytes())
		return 0
	}, nil
}

// fieldRange reads N, N-M, N- and -M.
func fieldRange(text string) (first, last int, ok bool) {
	low, high, two := strings.Cut(text, "-")
	first, last = 1, 1<<30
	read := func(into *int, digits string) bool {
		n, err := strconv.Atoi(digits)
		*into = n
		return err == nil && n > 0 && strconv.Itoa(n) == digits
	}
	if low == "" && high == "" || low != "" && !read(&first, low) || high != "" && !read(&last, high) {
		return 0, 0, false
	}
	if !two {
		last = first
	}
	return first, last, first <= last
}

// sort sorts the lines of standard input, by their bytes.
func sort(args []string) (run, error) {
	var unique, reverse bool
	for _, option := range args {
		switch option {
		case "-u":
			unique = true
		case "-r":
			reverse = true
		case "-ur", "-ru":
			unique, reverse = true, true
		default:
			return nil, errArguments
		}
	}
	return func(p *shell.Process) int {
		if !isC(p, "LC_COLLATE") {
			p.GiveUp("sort: the order of this locale")
		}
		lines := linesOf(p)
		size := 16 * len(lines)
		for _, line := range lines {
			size += len(line)
		}
		p.Spend(size * bits.Len(uint(len(lines))))
		slices.SortFunc(lines, bytes.Compare)
		if reverse {
			slices.Reverse(lines)
		}
		if unique {
			lines = slices.CompactFunc(lines, bytes.Equal)
		}
		printLines(p, lines)
		return 0
	}, nil
}

// uniq leaves out lines that are equal to the line before.
func uniq(args []string) (run, error) {
	if len(args) > 0 {
		return nil, errArguments
	}
	return func(p *shell.Process) int {
		if !isC(p, "LC_COLLATE") {
			p.GiveUp("uniq: the order of this locale")
		}
		printLines(p, slices.CompactFunc(linesOf(p), bytes.Equal))
		return 0
	}, nil
}

func linesOf(p *shell.Process) [][]byte {
	text := p.Stdin()
	if len(text) == 0 {
		return nil
	}
	p.Spend(24 * bytes.Count(text, []byte("\n")))
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

func printLines(p *shell.Process, lines [][]byte) {
	for _, line := range lines {
		p.Print(line)
		p.Print([]byte("\n"))
	}
}

// isC reports whether the locale is C, for LC_COLLATE or another category. LC_COLLATE then orders texts by their bytes.
func isC(p *shell.Process, category string) bool {
	for _, name := range []string{"LC_ALL", category, "LANG"} {
		if value := strings.ToLower(p.Env(name)); value != "" {
			return slices.Contains([]string{"c", "posix", "c.utf-8", "c.utf8"}, value)
		}
	}
	return true
}
