package permission

import (
	"slices"
	"strings"
)

// wrapper says how to find the command after a program that runs it.
type wrapper struct {
	letters  string   // short options with a value
	names    []string // long options with a value
	operands int      // words between the options and the command
	without  string   // short options with which it runs nothing
	bare     bool     // it is a wrapper only without options
	reads    bool     // it adds words that it reads
}

var wrappers = map[string]wrapper{
	"timeout": {letters: "ks", names: []string{"kill-after", "signal"}, operands: 1},
	"time":    {letters: "fo", names: []string{"format", "output"}},
	"nice":    {letters: "n", names: []string{"adjustment"}},
	"stdbuf":  {letters: "ioe", names: []string{"input", "output", "error"}},
	"nohup":   {},
	"command": {without: "vV"},
	"builtin": {},
	"exec":    {letters: "a"},
	"noglob":  {},
	"xargs":   {bare: true, reads: true},
}

// unknown is a command of which the shell alone knows the words: every rule
// matches it.
var unknown = stage{words: []piece{{source: "$@", plain: "$@", holes: []hole{{0, 2}}}}, open: true}

// unwrap returns the command that s runs if it is a wrapper's call. It is unknown
// if an expansion among the wrapper's own words could move where it begins. A
// name with an expansion is the matter of runsText.
func (s stage) unwrap() (inner stage, ok bool) {
	if len(s.words) == 0 || len(s.words[0].holes) > 0 {
		return s, false
	}
	name := s.words[0].plain
	if name == "--" { // after the shell's own time: what follows is more than words, time -- ! rm
		return unknown, len(s.words) > 1
	}
	w, ok := wrappers[name]
	if !ok {
		return s, false
	}
	words, ok := w.skip(s.words[1:])
	if own := s.words[1 : len(s.words)-len(words)]; ok && slices.ContainsFunc(own, piece.expands) {
		return unknown, true
	}
	if ok && s.open && len(words) == 0 { // xargs timeout: the command is read
		return unknown, true
	}
	return stage{words, s.open || w.reads}, ok && len(words) > 0
}

// skip returns the words after the options and operands, and whether there is a
// command among them. It goes no further than the first option with an expansion
// in it.
func (w wrapper) skip(words []piece) (rest []piece, ok bool) {
	for len(words) > 0 {
		option := words[0].plain
		if option == "--" {
			words = words[1:]
			break
		}
		if len(option) < 2 || option[0] != '-' {
			break
		}
		if words[0].expands() && !(w.bare && words[0].isOptionAnyway()) {
			return words[1:], true
		}
		if w.bare || option[1] != '-' && strings.ContainsAny(option, w.without) {
			return nil, false
		}
		words = words[min(w.width(option), len(words)):]
	}
	return words[min(w.operands, len(words)):], true
}

// width returns how many words an option takes, its value among them.
func (w wrapper) width(option string) int {
	if long, ok := strings.CutPrefix(option, "--"); ok {
		abbreviates := func(name string) bool { return strings.HasPrefix(name, long) }
		if slices.ContainsFunc(w.names, abbreviates) { // with "=" it is no name's beginning
			return 2
		}
		return 1
	}
	if i := strings.IndexAny(option[1:], w.letters); i >= 0 && i == len(option)-2 {
		return 2
	}
	return 1
}

// isOptionAnyway reports whether the word, whatever is expanded in it, begins
// with an option: -P$(nproc), but not -$x, which may become --.
func (p piece) isOptionAnyway() bool {
	from := p.holes[0].from
	return from > 2 || from == 2 && p.plain[:2] != "--"
}
