package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// pieceReader makes pieces of a command's syntax.
type pieceReader struct {
	command string
	tilde   bool // there is a ~ somewhere, or another part that depends on HOME
}

// slice returns the text of the command from the start of one node to the end of another.
func (r pieceReader) slice(from, to syntax.Pos) string {
	start, end := int(from.Offset()), int(to.Offset())
	if end > len(r.command) || start > end { // the parser invented the node: it is not in the text
		return ""
	}
	return r.command[start:end]
}

func (r pieceReader) words(words []*syntax.Word) []piece {
	pieces := make([]piece, len(words))
	for i, w := range words {
		pieces[i] = r.word(w)
	}
	return pieces
}

func (r pieceReader) word(w *syntax.Word) piece {
	p := piece{source: r.slice(w.Pos(), w.End())}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\*?[{~`) {
			p.plain, p.fixed, p.literal = lit.Value, len(lit.Value), len(lit.Value)
			return p
		}
	}
	plain := unquoting{reader: r, fixed: -1, literal: -1, rest: -1, quotes: true, more: len(w.Parts) > 1}
	for _, part := range w.Parts {
		plain.part(part)
	}
	p.plain = plain.String()
	p.fixed, p.literal = plain.upTo(plain.fixed), plain.upTo(plain.literal)
	p.holes, p.quoted = plain.allHoles(), plain.quotes
	return p
}

// assign returns the piece of an assignment NAME=value, or of a word among assignments.
func (r pieceReader) assign(a *syntax.Assign) piece {
	p := piece{source: r.slice(a.Pos(), a.End())}
	p.plain, p.fixed, p.literal = p.source, len(p.source), len(p.source)
	if p.array = a.Array != nil; a.Value == nil {
		return p
	}
	value := r.word(a.Value)
	name := strings.TrimSuffix(p.source, value.source)
	p.plain, p.fixed, p.literal = name+value.plain, len(name)+value.fixed, len(name)+value.literal
	p.quoted = value.quoted
	if a.Name == nil { // a word among assignments
		p.holes = value.holes
		return p
	}
	for _, h := range value.holes {
		p.holes = append(p.holes, hole{len(name) + h.from, len(name) + h.to})
	}
	return p
}

func (r pieceReader) assigns(all []*syntax.Assign) []piece {
	pieces := make([]piece, len(all))
	for i, a := range all {
		pieces[i] = r.assign(a)
	}
	return pieces
}

// redirect returns the piece of a redirection such as 2>file.
func (r pieceReader) redirect(to *syntax.Redirect) piece {
	word := r.word(to.Word)
	op := to.Op.String()
	if to.N != nil {
		op = to.N.Value + op
	}
	p := piece{
		source:   op + word.source,
		plain:    op + word.plain,
		operator: op,
		fixed:    len(op) + word.fixed,
		literal:  len(op) + word.literal,
	}
	for _, h := range word.holes {
		p.holes = append(p.holes, hole{len(op) + h.from, len(op) + h.to})
	}
	return p
}

func (r pieceReader) redirects(all []*syntax.Redirect) []piece {
	pieces := make([]piece, len(all))
	for i, to := range all {
		pieces[i] = r.redirect(to)
	}
	return pieces
}

// value returns the piece of an assignment's value. For an array it is "(", which no expression of special matches.
func (r pieceReader) value(a *syntax.Assign) piece {
	if a.Array != nil {
		return piece{plain: "(", fixed: 1, literal: 1}
	}
	if a.Value == nil {
		return piece{}
	}
	return r.word(a.Value)
}
