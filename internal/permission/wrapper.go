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

// unwrap returns the command that s runs if it is a wrapper's call.
func (s stage) unwrap() (inner stage, ok bool) {
	if len(s.words) == 0 {
		return s, false
	}
	name := s.words[0].plain
	if name == "--" { // what the shell's own time leaves of "time -- rm"
		return stage{s.words[1:], s.open}, len(s.words) > 1
	}
	w, ok := wrappers[name]
	if !ok {
		return s, false
	}
	words, ok := w.skip(s.words[1:])
	return stage{words, s.open || w.reads}, ok && len(words) > 0
}

// skip returns the words after the options and operands.
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
