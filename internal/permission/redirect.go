package permission

import (
	"regexp"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// maxRedirects limits the redirections of a command that are compared.
const maxRedirects = 32

// matchRedirected compares the pattern with the words of the command followed by all its redirections, and with the
// words followed by one redirection at a time, as written and in its usual spelling, with and without a blank: 2>file
// and 2> file.
func (b *bash) matchRedirected(s simpleCommand, redirects []piece) bool {
	if len(redirects) == 0 || !b.streams {
		return false
	}
	if len(redirects) > maxRedirects || b.matchWith(s, redirects) {
		return true
	}
	for i := range redirects {
		if plain := redirects[i].usual(); b.matchWith(s, redirects[i:i+1]) || b.matchWith(s, []piece{plain}) {
			return true
		}
	}
	return false
}

func (b *bash) matchWith(s simpleCommand, redirects []piece) bool {
	spaced := slices.Clone(redirects)
	for i := range spaced {
		spaced[i] = spaced[i].after(spaced[i].operator + " ")
	}
	for _, spelled := range [...][]piece{redirects, spaced} {
		all := simpleCommand{words: slices.Concat(s.words, spelled)}
		if s.open {
			all.words = slices.Concat(s.words, unknown.words, spelled)
		}
		if f := newForm(all, nil, b.argues); b.matchTexts(&f) || b.couldMatch(&f) {
			return true
		}
	}
	return false
}

// redirects reports whether the rule may match the redirections of a compound command, or of a command that
// runs others.
func (s *search) redirects(redirs []*syntax.Redirect) bool {
	var others simpleCommand // any command if the pattern has redirections, otherwise no command
	if s.rule.redirect {
		others = unknown
	}
	if s.record != nil {
		return s.record.add(newForm(others, s.pieces(redirs), s.rule.argues))
	}
	return s.rule.matchRedirected(others, s.pieces(redirs))
}

func (s *search) pieces(redirs []*syntax.Redirect) []piece {
	read := s.reader()
	pieces := make([]piece, len(redirs))
	for i, r := range redirs {
		pieces[i] = read.redirect(r)
	}
	return pieces
}

// borrows reports whether a redirection copies a descriptor that may be open on a file of the rule: git log
// 3>x >&3.
func (s *search) borrows(to *syntax.Redirect) bool {
	duplicates := to.Op == syntax.DplOut || to.Op == syntax.DplIn
	return s.rule.redirect && duplicates && number.MatchString(to.Word.Lit()) && !standard.MatchString(to.Word.Lit())
}

var (
	number   = regexp.MustCompile(`^\d+-?$`)
	standard = regexp.MustCompile(`^[12]-?$`)
)

// detours reports whether a function may hide commands or redirections from a rule about several commands or
// about redirections.
func (s *search) detours() bool {
	return s.declares && (s.rule.chain != nil && s.joins || s.rule.redirect && s.redirected)
}
