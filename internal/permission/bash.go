package permission

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// bash is the spec of a rule for commands.
type bash struct {
	source   wildcards // the pattern for texts with their quotes
	plain    wildcards // the pattern for texts without quotes
	head     string    // the pattern up to its first star
	argues   bool      // the pattern has more than the name of a command
	redirect bool      // the pattern has redirections
	streams  bool      // the pattern's stars could match redirections
	compound bool      // the pattern could match pipelines and lists
	chain    *chain    // the pattern, cut at the operators of pipelines and lists
}

// newBash compiles a pattern; nil stands for every command.
func newBash(pattern string) spec {
	pattern = tidy(pattern)
	if pattern == "*" {
		return nil
	}
	w := newEscaped(pattern)
	b := &bash{
		source:   w.words(),
		plain:    w.words(),
		head:     w[0],
		argues:   strings.ContainsAny(strings.TrimRight(pattern, " *"), " \t\n"),
		redirect: strings.ContainsAny(pattern, "<>"),
		streams:  strings.ContainsAny(strings.TrimRight(pattern, " *"), "<>*"),
		compound: strings.ContainsAny(pattern, "|&;"),
	}
	if b.compound {
		b.chain = newChain(pattern)
	}
	if strings.ContainsAny(pattern, quotes) {
		b.plain = slices.Concat(b.plain, unquoted(w).words())
	}
	return b
}

const quotes = "\"'\\"

// tidy returns a pattern in the form of the texts that it is compared with.
func tidy(pattern string) string {
	if name, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = name + " *"
	}
	if strings.ContainsAny(pattern, quotes) {
		return strings.TrimSpace(pattern)
	}
	return strings.Join(strings.Fields(pattern), " ")
}

var unquoter = strings.NewReplacer(`"`, "", `'`, "", `\`, "")

func unquoted(w wildcard) wildcard {
	plain := slices.Clone(w)
	for i := range plain {
		plain[i] = unquoter.Replace(plain[i])
	}
	return plain
}

func (b *bash) match(c Call) bool {
	command, ok := wire.Text(c.Input.Get("command"))
	if !ok {
		return true
	}
	s := search{rule: b}
	return s.text(command) || (b.argues || b.chain != nil) && s.expands || s.detours()
}

// matchRaw reports whether the pattern matches a part of the command with its quotes.
func (b *bash) matchRaw(text string) bool {
	text = strings.TrimSpace(text)
	return b.source.match(text) || b.plain.match(text)
}

// matchStage reports whether the pattern matches a simple command, or its rest after wrappers.
func (b *bash) matchStage(s simpleCommand, redirects []piece) bool {
	return b.matchPieces(s.words) || b.couldBecome(s) || b.couldMatch(s) || b.matchRedirected(s, redirects)
}

func (b *bash) matchPieces(words []piece) bool {
	if len(words) == 0 {
		return false
	}
	source, plain := join(words)
	return b.source.match(source) || b.plain.match(plain)
}

// couldBecome reports whether an expansion follows a text that is a beginning of the pattern's fixed text, so
// that the command could become a match.
func (b *bash) couldBecome(s simpleCommand) bool {
	known, open := s.known()
	return open && b.head != "" && strings.HasPrefix(b.head, known)
}

// couldMatch reports whether expansions could make the command one that the pattern matches.
func (b *bash) couldMatch(s simpleCommand) bool {
	shape := s.shape(b.argues)
	if shape == nil {
		return false
	}
	return b.plain.overlap(shape) || !b.argues && b.matchPieces(s.least())
}
