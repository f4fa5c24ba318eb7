package permission

import (
	"slices"

	sh "github.com/snaphook-go/snaphook/internal/bash"
)

// wrappers are the ten programs that Claude Code's rules look through, from the table of all wrappers.
var wrappers = func() map[string]sh.Wrapper {
	all := map[string]sh.Wrapper{}
	for name, w := range sh.Wrappers {
		if w.Rules {
			all[name] = w
		}
	}
	return all
}()

// unknown is a command whose words only the shell can know: every rule matches it.
var unknown = simpleCommand{words: []piece{{source: "$@", plain: "$@", holes: []hole{{0, 2}}}}, open: true}

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

// skip returns the words after the options and operands, and whether there is a
// command among them.
func skip(w sh.Wrapper, words []piece) (rest []piece, ok bool) {
	if w.Bare { // with options the program is not a wrapper
		if len(words) > 0 && words[0].plain != "--" && len(words[0].plain) > 1 && words[0].plain[0] == '-' {
			if words[0].expands() && !words[0].isOptionAnyway() {
				return words[1:], true
			}
			return nil, false
		}
	}
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = word.plain
	}
	own, ok := w.Skip(texts, func(i int) bool { return words[i].expands() })
	if !ok {
		return nil, false
	}
	return words[own:], true
}

// isOptionAnyway reports whether the word begins with an option for every value of its
// expansions: -P$(nproc), but not -$x, which may become --.
func (p piece) isOptionAnyway() bool {
	from := p.holes[0].from
	return from > 2 || from == 2 && p.plain[:2] != "--"
}
