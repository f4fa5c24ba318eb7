package permission

import (
	"slices"
	"strings"
)

// wildcard is a pattern cut at its stars.
type wildcard []string

func newWildcard(pattern string) wildcard { return strings.Split(pattern, "*") }

// newEscaped does the same as newWildcard for patterns in which \* means a star character; \\ is kept for the shell.
func newEscaped(pattern string) wildcard {
	var w wildcard
	var part strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, `\\`):
			part.WriteString(`\\`)
			i++
		case strings.HasPrefix(rest, `\*`):
			part.WriteByte('*')
			i++
		case rest[0] == '*':
			w = append(w, part.String())
			part.Reset()
		default:
			part.WriteByte(rest[0])
		}
	}
	return append(w, part.String())
}

// match reports whether w matches text. It takes the first place for each part: a later place would leave
// less text for the parts after it.
func (w wildcard) match(text string) bool {
	if len(w) == 1 {
		return text == w[0]
	}
	if w[0] != "" && (text == "" || text[0] != w[0][0]) { // most rules differ in the first letter from most commands
		return false
	}
	text, begins := strings.CutPrefix(text, w[0])
	text, ends := strings.CutSuffix(text, w[len(w)-1])
	if !begins || !ends {
		return false
	}
	for _, part := range w[1 : len(w)-1] {
		var found bool
		if _, text, found = strings.Cut(text, part); !found {
			return false
		}
	}
	return true
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

// wildcards match a text that any of them matches.
type wildcards []wildcard

// words returns w and, if w ends in " *", also w without this end.
func (w wildcard) words() wildcards {
	last := len(w) - 1
	if last < 1 || w[last] != "" || !strings.HasSuffix(w[last-1], " ") {
		return wildcards{w}
	}
	bare := append(wildcard(nil), w[:last]...)
	bare[last-1] = strings.TrimSuffix(bare[last-1], " ")
	return wildcards{w, bare}
}

func (all wildcards) match(text string) bool {
	for _, w := range all {
		if w.match(text) {
			return true
		}
	}
	return false
}

func (all wildcards) overlap(other wildcard) bool {
	for _, w := range all {
		if w.overlaps(other) {
			return true
		}
	}
	return false
}

// cover reports whether a part of a pattern may match all the links.
func (all wildcards) cover(links []link) bool {
	first, last := links[0].texts, links[len(links)-1].texts
	if len(links) == 1 {
		return slices.ContainsFunc(first, all.overlap)
	}
	return slices.ContainsFunc(all, func(w wildcard) bool {
		if len(w) == 1 {
			return false
		}
		begins := func(t wildcard) bool { return w.overlaps(slices.Concat(t, wildcard{""})) }
		ends := func(t wildcard) bool { return w.overlaps(slices.Concat(wildcard{""}, t)) }
		return slices.ContainsFunc(first, begins) && slices.ContainsFunc(last, ends)
	})
}
