package permission

import "strings"

// hole is a range of a word's text, counted without its quotes, that an expansion may change.
type hole struct{ from, to int }

// shape returns the text of a command with a star for every unknown part, and nil if no part is unknown. An expansion
// may also produce no word: if loose is set, the blanks around such a part are left out.
func (s simpleCommand) shape(loose bool) wildcard {
	var w wildcard
	var known strings.Builder
	star := func() {
		w = append(w, known.String())
		known.Reset()
	}
	after := false // a hole ended the word before
	for i, word := range s.words {
		begins := len(word.holes) > 0 && word.holes[0].from == 0
		if i > 0 && !(loose && (after || begins)) {
			known.WriteByte(' ')
		}
		at := 0
		for _, h := range word.holes {
			known.WriteString(word.plain[at:h.from])
			star()
			at = h.to
		}
		known.WriteString(word.plain[at:])
		after = len(word.holes) > 0 && at == len(word.plain)
	}
	if s.open {
		known.WriteByte(' ')
		star()
	}
	if w == nil {
		return nil
	}
	return append(w, known.String())
}

// least returns the words of a command that cannot vanish.
func (s simpleCommand) least() (words []piece) {
	for _, word := range s.words {
		if !word.vanishes() {
			words = append(words, word)
		}
	}
	return words
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

// overlaps reports whether there is a text that both patterns match.
func (w wildcard) overlaps(other wildcard) bool {
	if len(w) == 1 {
		return other.match(w[0])
	}
	if len(other) == 1 {
		return w.match(other[0])
	}
	a, b := w[0], other[0]
	c, d := w[len(w)-1], other[len(other)-1]
	return (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && (strings.HasSuffix(c, d) || strings.HasSuffix(d, c))
}

func (all wildcards) overlap(other wildcard) bool {
	for _, w := range all {
		if w.overlaps(other) {
			return true
		}
	}
	return false
}
