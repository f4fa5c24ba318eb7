package permission

import sh "github.com/snaphook-go/snaphook/internal/bash"

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
