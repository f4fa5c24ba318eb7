package permission

import "slices"

// redirectedCommand is a simple command with its redirections.
type redirectedCommand struct {
	simpleCommand
	redirects []piece
}

// maxRedirects limits the redirections of a command that are compared.
const maxRedirects = 32

// matchedBy compares a pattern with the words of the command followed by all its redirections, and with the
// words followed by one redirection at a time, as written and in its usual spelling, with and without a blank: 2>file
// and 2> file.
func (c *redirectedCommand) matchedBy(b *bash) bool {
	if len(c.redirects) == 0 || !b.streams {
		return false
	}
	if len(c.redirects) > maxRedirects || c.matchedWith(b, c.redirects) {
		return true
	}
	for i, r := range c.redirects {
		if c.matchedWith(b, c.redirects[i:i+1]) || c.matchedWith(b, []piece{r.usual()}) {
			return true
		}
	}
	return false
}

// matchedWith compares a pattern with the words of the command followed by some redirections.
func (c *redirectedCommand) matchedWith(b *bash, redirects []piece) bool {
	spaced := slices.Clone(redirects)
	for i := range spaced {
		spaced[i] = spaced[i].after(spaced[i].operator + " ")
	}
	for _, spelled := range [...][]piece{redirects, spaced} {
		all := simpleCommand{words: slices.Concat(c.words, spelled)}
		if c.open {
			all.words = slices.Concat(c.words, unknown.words, spelled)
		}
		if f := newForm(redirectedCommand{simpleCommand: all}, b.argues); b.matchTexts(&f) || b.couldMatch(&f) {
			return true
		}
	}
	return false
}
