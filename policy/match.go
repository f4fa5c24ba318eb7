package policy

import (
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

// Match selects hooks by globs. In a glob, * matches any text, also with a slash; ? matches one character; and \
// escapes the next character. All non-empty members must match; the zero Match selects every hook.
type Match struct {
	Dialect string
	Event   string // the name, with or without its dialect
	Name    string
	Command string // the whole command, or its first word
	Source  string // as "snaphook plan" shows it
}

// Matches reports whether m selects a hook.
func (m Match) Matches(h *hook.Hook) bool {
	return holds(m.Dialect, h.Dialect) &&
		m.selects(h.Dialect, h.Event) &&
		holds(m.Name, h.Name) &&
		(holds(m.Command, h.Command) || holds(m.Command, firstWord(h.Command))) &&
		holds(m.Source, h.Source.String())
}

// selects reports whether m can match a hook of an event.
func (m Match) selects(dialect, event string) bool {
	return holds(m.Dialect, dialect) && (holds(m.Event, event) || holds(m.Event, dialect+"."+event))
}

func holds(glob, text string) bool { return glob == "" || matches(glob, text) }

// matches reports whether a glob matches the whole text. After a mismatch it retries only the last star, one character
// later; the time is at most the product of both lengths.
func matches(glob, text string) bool {
	g, t, star, from := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, from = g, t
			g++
		case g < len(glob) && glob[g] == '?':
			g++
			t += runeLen(text[t:])
		case g+1 < len(glob) && glob[g] == '\\' && glob[g+1] == text[t]:
			g, t = g+2, t+1
		case g < len(glob) && glob[g] != '\\' && glob[g] == text[t]:
			g, t = g+1, t+1
		case star >= 0:
			from += runeLen(text[from:])
			g, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}

func runeLen(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}

// firstWord returns the program of a command: the text before the first space outside quotes,
// without the quotes.
func firstWord(command string) string {
	var word strings.Builder
	quote := byte(0)
	command = strings.TrimLeft(command, " \t\n")
	for i := range len(command) {
		c := command[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			return word.String()
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		default:
			word.WriteByte(c)
		}
	}
	return word.String()
}
