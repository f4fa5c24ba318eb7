package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unquoting builds a word without its quotes.
type unquoting struct {
	strings.Builder
	reader         pieceReader
	fixed, literal int    // offsets of the first expansion and of the first file pattern; -1: none
	holes          []hole // in order, without overlaps
	rest           int    // offset of an expansion that may extend to the end of the word; -1: none
	quotes         bool   // all expansions are in double quotes
	more           bool   // the word has more than one part
}

// upTo returns an offset in the word, or the word's length for -1.
func (u *unquoting) upTo(at int) int {
	if at < 0 {
		return u.Len()
	}
	return at
}

func (u *unquoting) part(p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		u.bare(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar && strings.Contains(p.Value, `\`) { // $'\x72m'
			u.expansion(p)
			return
		}
		u.WriteString(p.Value)
	case *syntax.DblQuoted:
		for _, part := range p.Parts {
			if lit, ok := part.(*syntax.Lit); ok {
				u.quoted(lit.Value)
			} else {
				u.expansion(part)
				u.quotes = u.quotes && !splits(part)
			}
		}
	default:
		u.quotes = false
		u.expansion(p)
	}
}

// expansion writes the source text of a part whose value is not known.
func (u *unquoting) expansion(p syntax.WordPart) {
	mark(&u.fixed, u.Len())
	from := u.Len()
	u.WriteString(u.reader.slice(p.Pos(), p.End()))
	u.hole(from, u.Len())
}

// hole marks a part that an expansion may change. The part may lie within an earlier hole.
func (u *unquoting) hole(from, to int) {
	if last := len(u.holes) - 1; last >= 0 && u.holes[last].to > from {
		u.holes[last].to = max(u.holes[last].to, to)
		return
	}
	u.holes = append(u.holes, hole{from, to})
}

// splits reports whether an expansion in double quotes may become several
// words, or none: "$@", "${a[@]}".
func splits(p syntax.WordPart) bool {
	param, ok := p.(*syntax.ParamExp)
	return ok && (param.Param.Value == "@" || param.Index != nil || param.Excl)
}

// allHoles returns the parts that expansions may change, without overlaps.
func (u *unquoting) allHoles() []hole {
	if u.rest < 0 {
		return u.holes
	}
	for i, h := range u.holes {
		if h.to > u.rest {
			return append(u.holes[:i], hole{min(h.from, u.rest), u.Len()})
		}
	}
	return append(u.holes, hole{u.rest, u.Len()})
}

func mark(first *int, at int) {
	if *first < 0 {
		*first = at
	}
}

// bare writes unquoted text.
func (u *unquoting) bare(text string) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i == len(text) {
				u.WriteByte('\\')
			} else if text[i] != '\n' { // a backslash removes the line end
				u.WriteByte(text[i])
			}
			continue
		case '{':
			if rest := text[i:]; u.more || strings.Contains(rest, ",") || strings.Contains(rest, "..") ||
				!strings.Contains(rest, "}") {
				mark(&u.fixed, u.Len())
				mark(&u.rest, u.Len())
				u.quotes = false
			}
		case '[':
			if u.more || strings.Contains(text[i:], "]") { // ["r"]m
				mark(&u.literal, u.Len())
				mark(&u.rest, u.Len())
			}
		case '*', '?':
			mark(&u.literal, u.Len())
			u.hole(u.Len(), u.Len()+1)
		case '~':
			if u.Len() == 0 || i > 0 && (text[i-1] == '=' || text[i-1] == ':') { // a tilde after = or : is expanded, as in x=~/y
				u.tilde(text[i:])
			}
		}
		u.WriteByte(text[i])
	}
}

// tilde marks the part that bash replaces if it expands a tilde: up to a slash or a colon.
func (u *unquoting) tilde(text string) {
	end := strings.IndexAny(text, `/:\`)
	if end < 0 || text[end] == '\\' {
		mark(&u.rest, u.Len())
		return
	}
	u.hole(u.Len(), u.Len()+end)
}

// quoted writes text from double quotes.
func (u *unquoting) quoted(text string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		u.WriteByte(text[i])
	}
}
