package match

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// literal is text to be found in a subject: anywhere, at its start, at its
// end, or as the whole of it.
type literal struct {
	text       string
	start, end bool
}

// literals returns the fast form of a pattern that is an alternation of literal
// texts, each perhaps with ^ before and $ after it, and whether it is one.
func literals(pattern string) ([]literal, bool) {
	// The expression reads bytes that are not UTF-8 as U+FFFD.
	if !utf8.ValidString(pattern) || strings.ContainsRune(pattern, utf8.RuneError) {
		return nil, false
	}
	var all []literal
	for text := range strings.SplitSeq(pattern, "|") {
		var l literal
		text, l.start = strings.CutPrefix(text, "^")
		text, l.end = strings.CutSuffix(text, "$")
		// Nothing has to follow a .* or to precede it, so it may be empty.
		if !l.end {
			text = strings.TrimSuffix(text, ".*")
		}
		if !l.start {
			text = strings.TrimPrefix(text, ".*")
		}
		if strings.ContainsAny(text, `\^$.?*+()[]{}`) {
			return nil, false
		}
		l.text = text
		all = append(all, l)
	}
	return all, true
}

func anyIn(all []literal, subject string) bool {
	return slices.ContainsFunc(all, func(l literal) bool { return l.in(subject) })
}

func (l literal) in(subject string) bool {
	switch {
	case l.start && l.end:
		return subject == l.text
	case l.start:
		return strings.HasPrefix(subject, l.text)
	case l.end:
		return strings.HasSuffix(subject, l.text)
	default:
		return strings.Contains(subject, l.text)
	}
}
