package permission

import (
	"slices"
	"strings"
)

// simpleCommand holds the words of a simple command, with its wrappers or after one of them.
type simpleCommand struct {
	words []piece
	open  bool // unknown words follow
}

// unknown is a command whose words only the shell can know: every rule matches it.
var unknown = simpleCommand{words: []piece{{source: "$@", plain: "$@", holes: []hole{{0, 2}}}}, open: true}

// known returns the text before the first expansion; open reports whether there is one. A file pattern counts
// as an expansion in the first word only: "ls *.go" is still an ls.
func (s simpleCommand) known() (text string, open bool) {
	var known strings.Builder
	for i, word := range s.words {
		if i > 0 {
			known.WriteByte(' ')
		}
		fixed := word.fixed
		if i == 0 {
			fixed = min(fixed, word.literal)
		}
		known.WriteString(word.plain[:fixed])
		if fixed < len(word.plain) {
			return known.String(), true
		}
	}
	return known.String() + " ", s.open
}

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

// unwrap returns the command that s runs if s is a wrapper's call. It returns unknown if an expansion among the
// wrapper's own words makes the beginning of the command uncertain. runsText handles a name with an expansion.
func (s simpleCommand) unwrap() (inner simpleCommand, ok bool) {
	if len(s.words) == 0 || len(s.words[0].holes) > 0 {
		return s, false
	}
	name := s.words[0].plain
	if name == "--" { // the keyword time: a whole pipeline may follow it, as in time -- ! rm
		return unknown, len(s.words) > 1
	}
	w, ok := wrappers[name]
	if !ok {
		return s, false
	}
	words, ok := skip(w, s.words[1:])
	if own := s.words[1 : len(s.words)-len(words)]; ok && slices.ContainsFunc(own, piece.expands) {
		return unknown, true
	}
	if ok && s.open && len(words) == 0 { // in xargs timeout, xargs reads the words of the command
		return unknown, true
	}
	return simpleCommand{words, s.open || w.Reads}, ok && len(words) > 0
}

// runsHere reports whether a builtin runs other commands under its own redirections.
func (s simpleCommand) runsHere() bool {
	if len(s.words) == 0 {
		return false
	}
	switch s.words[0].plain {
	case "eval", ".", "source", "exec": // after a failed exec its redirections apply to a trap
		return true
	}
	return false
}
