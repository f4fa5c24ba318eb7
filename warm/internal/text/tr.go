package text

import (
	"strings"

	"github.com/snaphook-go/snaphook/warm/internal/shell"
)

// tr replaces or deletes characters of ASCII, each of which is one byte.
func tr(args []string) (run, error) {
	if len(args) != 2 {
		return nil, errArguments
	}
	deletes := args[0] == "-d"
	if deletes {
		args = []string{args[1], " "}
	}
	from, ok := characters(args[0])
	to, also := characters(args[1])
	if !ok || !also || !deletes && len(to) != len(from) && len(to) != 1 {
		return nil, errArguments
	}
	var table [256]int
	for i := range table {
		table[i] = i
	}
	for i := range len(from) {
		if table[from[i]] != int(from[i]) {
			return nil, errArguments // a character that is given twice
		}
		switch {
		case deletes:
			table[from[i]] = -1
		default:
			table[from[i]] = int(to[min(i, len(to)-1)])
		}
	}
	return func(p *shell.Process) int {
		text := p.Stdin()
		p.Spend(len(text))
		out := make([]byte, 0, len(text))
		for _, b := range text {
			if c := table[b]; c >= 0 {
				out = append(out, byte(c))
			}
		}
		p.Print(out)
		return 0
	}, nil
}

const (
	lower = "abcdefghijklmnopqrstuvwxyz"
	upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digit = "0123456789"
)

// characters expands a set of one range or class, or of plain characters and escapes.
func characters(set string) (all string, ok bool) {
	switch set {
	case "a-z", "[:lower:]":
		return lower, true
	case "A-Z", "[:upper:]":
		return upper, true
	case "0-9", "[:digit:]":
		return digit, true
	}
	var out strings.Builder
	for i := 0; i < len(set); i++ {
		b := set[i]
		switch {
		case b >= 0x80 || b < ' ' && b != '\n' && b != '\t' || strings.IndexByte("-[]", b) >= 0:
			return "", false
		case b == '\\':
			if i++; i == len(set) || strings.IndexByte(`nt\r`, set[i]) < 0 {
				return "", false
			}
			b = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\'}[set[i]]
		}
		out.WriteByte(b)
	}
	return out.String(), out.Len() > 0
}
