package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// bash is the spec of a rule for commands.
type bash struct {
	source   wildcards // the pattern for texts with their quotes
	plain    wildcards // the pattern for texts without quotes; it includes all patterns of source
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
	call := parsedCall(c.Input)
	if call.file == nil {
		return true
	}
	if b.chain == nil && !b.compound && !b.redirect {
		if f := call.forms(b.argues); !f.many {
			return f.match(b)
		}
	}
	s := search{rule: b}
	return s.tree(call.command, call.file) || (b.argues || b.chain != nil) && s.expands || s.detours(b)
}

// matchRaw reports whether the pattern matches a part of the command with its quotes.
func (b *bash) matchRaw(text string) bool {
	text = strings.TrimSpace(text)
	return b.source.match(text) || b.plain.match(text)
}

// matchForm reports whether the pattern matches a simple command, with its wrappers or after them.
func (b *bash) matchForm(f *form) bool {
	return b.matchTexts(f) || b.couldBecome(f) || b.couldMatch(f) || f.matchedBy(b)
}

func (b *bash) matchTexts(f *form) bool {
	return len(f.words) > 0 && (b.plain.match(f.plain) || f.quoted && b.source.match(f.source))
}

// couldBecome reports whether an expansion could make the command a match: the pattern's fixed text begins with the
// text before the expansion.
func (b *bash) couldBecome(f *form) bool {
	return f.expands && b.head != "" && strings.HasPrefix(b.head, f.known)
}

// couldMatch reports whether expansions could make the command one that the pattern matches.
func (b *bash) couldMatch(f *form) bool {
	return f.shape != nil && b.plain.overlap(f.shape) ||
		f.least && (b.source.match(f.leastSource) || b.plain.match(f.leastPlain))
}

// borrows reports whether a redirection copies a descriptor that may be open on a file of the rule: git log
// 3>x >&3.
func (b *bash) borrows(to *syntax.Redirect) bool {
	duplicates := to.Op == syntax.DplOut || to.Op == syntax.DplIn
	return b.redirect && duplicates && number.MatchString(to.Word.Lit()) && !standard.MatchString(to.Word.Lit())
}

var (
	number   = lazyregexp.New(`^\d+-?$`)
	standard = lazyregexp.New(`^[12]-?$`)
)
