package permission

import (
	"slices"
	"strings"
)

// piece is a word of a command, an assignment or a redirection.
type piece struct {
	source   string
	plain    string // without quotes
	fixed    int    // length of the beginning of plain that no expansion can change
	literal  int    // like fixed, but file patterns count as expansions
	operator string // of a redirection: 2>
	holes    []hole // the parts that expansions may change
	quoted   bool   // its expansions are in double quotes, and stay one word
	array    bool   // it is NAME=(…)
}

// hole is a range of a word's text, counted without its quotes, that an expansion may change.
type hole struct{ from, to int }

// isLiteral reports whether nothing in the word is expanded.
func (p piece) isLiteral() bool { return !p.expands() }

// expands reports whether something in the word is expanded, including a ~ and a file pattern.
func (p piece) expands() bool { return len(p.holes) > 0 }

func (p piece) isOption() bool {
	return len(p.plain) > 1 && (p.plain[0] == '-' || p.plain[0] == '+')
}

// isOptionAnyway reports whether the word begins with an option for every value of its
// expansions: -P$(nproc), but not -$x, which may become --.
func (p piece) isOptionAnyway() bool {
	from := p.holes[0].from
	return from > 2 || from == 2 && p.plain[:2] != "--"
}

// could reports whether a word is the text, or may become it.
func (p piece) could(text string) bool {
	if !p.expands() {
		return p.plain == text
	}
	return simpleCommand{words: []piece{p}}.shape(true).match(text)
}

// vanishes reports whether a word may expand to no word: it has no known text and no quotes. Only $HOME and
// $PWD are known to be non-empty.
func (p piece) vanishes() bool {
	if !p.expands() || p.quoted && p.literal == len(p.plain) || p.source == "$HOME" || p.source == "$PWD" {
		return false
	}
	at := 0
	for _, h := range p.holes {
		if h.from > at {
			return false
		}
		at = h.to
	}
	return at == len(p.plain)
}

// after returns a redirection with another operator.
func (p piece) after(operator string) piece {
	from := len(p.operator)
	more := len(operator) - from
	p.operator, p.source, p.plain = operator, operator+p.source[from:], operator+p.plain[from:]
	p.fixed, p.literal = p.fixed+more, p.literal+more
	p.holes = slices.Clone(p.holes)
	for i, h := range p.holes {
		p.holes[i] = hole{h.from + more, h.to + more}
	}
	return p
}

// long maps an operator to a shorter operator that has the same effect, or a part of the effect.
var long = map[string]string{
	"1>": ">", ">|": ">", "1>|": ">", "&>": ">", ">&": ">", "1>>": ">>", "&>>": ">>", "0<": "<", "<>": "<", "0<>": "<", "1<>": ">",
}

// usual returns a redirection in its usual spelling.
func (p piece) usual() piece {
	operator, ok := long[p.operator]
	if !ok {
		return p
	}
	return p.after(operator)
}

// join returns the texts of pieces with a blank between each two.
func join(pieces []piece) (source, plain string) {
	if len(pieces) == 1 {
		return pieces[0].source, pieces[0].plain
	}
	var s, p strings.Builder
	for i, piece := range pieces {
		if i > 0 {
			s.WriteByte(' ')
			p.WriteByte(' ')
		}
		s.WriteString(piece.source)
		p.WriteString(piece.plain)
	}
	return s.String(), p.String()
}

func allLiteral(words []piece) bool {
	return !slices.ContainsFunc(words, func(p piece) bool { return !p.isLiteral() })
}
