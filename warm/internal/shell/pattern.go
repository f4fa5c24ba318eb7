package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// token is a piece of a pattern: text, any text, or one character.
type token struct {
	text string
	star bool
	one  func(b byte) bool
}

type pattern []token

// matcher builds a pattern from a state, because parts of the pattern may be values of variables.
type matcher func(s *state) pattern

// pattern compiles a word as a pattern.
func (c *compiler) pattern(w *syntax.Word) matcher {
	if w == nil {
		c.refuse(&syntax.Stmt{}, "an empty pattern")
	}
	type piece struct {
		fixed pattern
		value text
		quote bool
	}
	var pieces []piece
	variable := false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			pieces = append(pieces, piece{fixed: c.globs(p, i == 0)})
		case *syntax.SglQuoted:
			pieces = append(pieces, piece{fixed: pattern{{text: c.single(p)}}})
		case *syntax.DblQuoted:
			pieces, variable = append(pieces, piece{value: c.double(p), quote: true}), true
		default:
			pieces, variable = append(pieces, piece{value: c.expansion(p, false)}), true
		}
	}
	build := func(s *state) (all pattern) {
		for _, p := range pieces {
			if p.value == nil {
				all = append(all, p.fixed...)
				continue
			}
			v := p.value(s)
			if !p.quote && hasAny(v, `*?[\`) {
				panic(cold("a value that is a pattern"))
			}
			all = append(all, token{text: v})
		}
		return all.joined(s)
	}
	if variable {
		return build
	}
	fixed := build(nil)
	return func(*state) pattern { return fixed }
}

// joined merges adjacent literal tokens. s is nil when the script is compiled.
func (p pattern) joined(s *state) (all pattern) {
	for _, t := range p {
		switch last := len(all) - 1; {
		case t.one != nil:
			all = append(all, t)
		case t.star:
			if last < 0 || !all[last].star {
				all = append(all, t)
			}
		case last >= 0 && !all[last].star && all[last].one == nil:
			if s != nil {
				s.spend(len(all[last].text) + len(t.text))
			}
			all[last].text += t.text
		case t.text != "":
			all = append(all, t)
		}
	}
	return all
}

// globs parses an unquoted part of a pattern.
func (c *compiler) globs(lit *syntax.Lit, first bool) (all pattern) {
	v := lit.Value
	if first && strings.HasPrefix(v, "~") {
		c.refuse(lit, "a tilde")
	}
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '\\':
			if i++; i == len(v) || v[i] == '\n' {
				c.refuse(lit, "a backslash at the end of a line")
			}
			all = append(all, token{text: v[i : i+1]})
		case '*':
			all = append(all, token{star: true})
		case '?':
			all = append(all, token{one: func(byte) bool { return true }})
		case '[':
			class, size, ok := charClass(v[i:])
			if !ok || c.dash && strings.ContainsAny(v[i:i+size], "^:") {
				c.refuse(lit, "this pattern (%s)", v)
			}
			all = append(all, token{one: class})
			i += size - 1
		default:
			all = append(all, token{text: v[i : i+1]})
		}
	}
	return all
}

// charClass parses a class such as [abc], [!0-9] or [[:space:]].
func charClass(v string) (class func(byte) bool, size int, ok bool) {
	end := strings.IndexByte(v, ']')
	if strings.HasPrefix(v, "[[:") || strings.HasPrefix(v, "[![:") || strings.HasPrefix(v, "[^[:") {
		if end = strings.Index(v, ":]]"); end >= 0 {
			end += 2
		}
	}
	if end < 2 {
		return nil, 0, false
	}
	inside, not := v[1:end], v[1] == '!' || v[1] == '^'
	if not {
		inside = inside[1:]
	}
	if name, is := strings.CutPrefix(inside, "[:"); is {
		test, known := classes[strings.TrimSuffix(name, ":]")]
		return func(b byte) bool { return test(b) != not }, end + 1, known
	}
	inside = strings.ReplaceAll(inside, "0-9", "0123456789")
	if inside == "" || hasAny(inside, `[]-\!^`) {
		return nil, 0, false
	}
	for i := range len(inside) {
		if inside[i] >= 0x80 {
			return nil, 0, false
		}
	}
	return func(b byte) bool { return (strings.IndexByte(inside, b) >= 0) != not }, end + 1, true
}

var classes = map[string]func(byte) bool{
	"space": func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' },
	"digit": func(b byte) bool { return b >= '0' && b <= '9' },
	"upper": func(b byte) bool { return b >= 'A' && b <= 'Z' },
	"lower": func(b byte) bool { return b >= 'a' && b <= 'z' },
	"alpha": func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' },
	"alnum": func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' },
}

// literal returns the text of a pattern without wildcards; ok is false if it has any.
func (p pattern) literal() (text string, ok bool) {
	switch {
	case len(p) == 0:
		return "", true
	case len(p) == 1 && !p[0].star && p[0].one == nil:
		return p[0].text, true
	}
	return "", false
}

// matches reports whether the pattern matches the whole of v.
func (p pattern) matches(s *state, v string) bool {
	s.spend(len(v))
	if text, ok := p.literal(); ok {
		return v == text
	}
	if p.simple() {
		return p.matchesText(v)
	}
	ends := p.ends(s, v)
	return ends[len(v)]
}

// simple reports whether the pattern has only texts and stars.
func (p pattern) simple() bool {
	for _, t := range p {
		if t.one != nil {
			return false
		}
	}
	return true
}

func (p pattern) matchesText(v string) bool {
	if first := p[0]; !first.star {
		if !strings.HasPrefix(v, first.text) {
			return false
		}
		v, p = v[len(first.text):], p[1:]
	}
	if last := p[len(p)-1]; !last.star {
		if !strings.HasSuffix(v, last.text) {
			return false
		}
		v, p = v[:len(v)-len(last.text)], p[:len(p)-1]
	}
	for _, t := range p {
		if t.star {
			continue
		}
		at := strings.Index(v, t.text)
		if at < 0 {
			return false
		}
		v = v[at+len(t.text):]
	}
	return true
}

// ends reports, for each offset of v, whether the pattern matches v up to this offset.
func (p pattern) ends(s *state, v string) []bool {
	s.plain(v)
	s.spend((len(v) + 1) * (len(p) + 1))
	at := make([]bool, len(v)+1)
	at[0] = true
	for _, t := range p {
		to := make([]bool, len(v)+1)
		passed := false
		for i, here := range at {
			switch passed = passed || here; {
			case t.star:
				to[i] = passed
			case !here:
			case t.one != nil:
				if i < len(v) && t.one(v[i]) {
					to[i+1] = true
				}
			case strings.HasPrefix(v[i:], t.text):
				to[i+len(t.text)] = true
			}
		}
		at = to
	}
	return at
}

// trim removes the shortest or longest beginning or end of v that the pattern matches.
func (p pattern) trim(s *state, v string, suffix, large bool) string {
	s.spend(len(v))
	if text, ok := p.literal(); ok {
		if suffix {
			return strings.TrimSuffix(v, text)
		}
		return strings.TrimPrefix(v, text)
	}
	if len(p) == 2 && p.simple() && p[0].star != suffix {
		return trimText(v, p[0].text+p[1].text, suffix, large)
	}
	if suffix {
		return p.trimEnd(s, v, large)
	}
	cut := -1
	for end, is := range p.ends(s, v) {
		if is && (cut < 0 || large) {
			cut = end
		}
	}
	return v[max(cut, 0):]
}

// trimText does the same as trim for the patterns *text at the beginning and text* at the end.
func trimText(v, text string, suffix, large bool) string {
	at := strings.Index(v, text)
	if large != suffix {
		at = strings.LastIndex(v, text)
	}
	switch {
	case at < 0:
		return v
	case suffix:
		return v[:at]
	}
	return v[at+len(text):]
}

func (p pattern) trimEnd(s *state, v string, large bool) string {
	s.plain(v)
	for i := range len(v) + 1 {
		from := i
		if !large {
			from = len(v) - i
		}
		if p.ends(s, v[from:])[len(v)-from] {
			return v[:from]
		}
	}
	return v
}
