package settings

import (
	"fmt"
	"strings"
)

// maxAlike is the number of problems of one kind that [Summary] keeps.
const maxAlike = 20

// Summary shortens a long list of similar problems. Of the problems of one file whose messages differ only in quoted
// text and numbers, it keeps the first twenty and adds a problem that says how many more there are. It keeps all fatal
// problems, and the order.
//
// The time is proportional to the length of the messages.
func Summary(problems []Problem) []Problem {
	if len(problems) <= maxAlike {
		return problems
	}
	type kind struct{ file, message string }
	alike := make(map[kind]int, maxAlike)
	kinds := make([]kind, len(problems))
	for i, p := range problems {
		kinds[i] = kind{p.Position.File, pattern(p.Message)}
		alike[kinds[i]]++
	}
	var kept []Problem
	seen := make(map[kind]int, len(alike))
	for i, p := range problems {
		k := kinds[i]
		switch seen[k]++; {
		case p.Fatal || seen[k] <= maxAlike || alike[k] == maxAlike+1:
			kept = append(kept, p)
		case seen[k] == maxAlike+1:
			p.Message = fmt.Sprintf("%d more such problems; the first: %s", alike[k]-maxAlike, p.Message)
			kept = append(kept, p)
		}
	}
	return kept
}

// pattern returns a message without quoted texts and digits.
func pattern(message string) string {
	var b strings.Builder
	b.Grow(len(message))
	quoted := false
	for i := 0; i < len(message); i++ {
		switch c := message[i]; {
		case c == '"':
			quoted = !quoted
			b.WriteByte(c)
		case quoted && c == '\\':
			i++ // the quote after a backslash does not end the text
		case !quoted && (c < '0' || c > '9'):
			b.WriteByte(c)
		}
	}
	return b.String()
}
