package environ

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sync"
)

const redacted = "[redacted]"

// secret is a pattern for text in upper case, and the literal beginning of its matches.
type secret struct {
	prefix  []byte
	pattern *regexp.Regexp
}

// secrets returns the patterns of all secrets except passwords in URLs. Each begins with literal text, which
// is fast to find. They are compiled on first use: most programs never redact.
var secrets = sync.OnceValue(func() (all []secret) {
	for _, pattern := range [...]string{
		// A key or certificate is removed with its headers and its body, even without its end: to search for
		// the end would take quadratic time.
		`-----BEGIN (?:(?:[A-Z]+ )?PRIVATE KEY|CERTIFICATE)-----(?:-?[A-Z0-9+/=\s\\:,.()])*(?:-----END [A-Z ]+-----)?`,
		`GH[POSUR]_\w{36,}`,              // GitHub
		`GITHUB_PAT_\w{36,}`,             // GitHub
		`AIZASY[\w\\-]{33,}`,             // Google
		`AKIA[A-Z0-9]{16,}`,              // Amazon
		`EYJ[\w-]*\.[\w-]*\.[\w-]*`,      // JSON Web Token
		`SK_(?:LIVE|TEST)_[0-9A-Z]{24,}`, // Stripe
		`RK_(?:LIVE|TEST)_[0-9A-Z]{24,}`, // Stripe, restricted
		`XOX[ABPR]-[A-Z0-9-]+`,           // Slack
	} {
		re := regexp.MustCompile(pattern)
		prefix, _ := re.LiteralPrefix()
		all = append(all, secret{[]byte(prefix), re})
	}
	return all
})

// Scrub returns text with [redacted] in place of each part that looks like a secret: private keys and certificates,
// passwords in URLs, the tokens of GitHub, Google, Amazon, Stripe and Slack, and JSON Web Tokens. Upper and lower case
// are the same. In doubt Scrub removes too much: a URL with a port seems to have a password if an @ follows some lines
// below.
//
// Nothing in the result looks like a secret. The cost is linear in the length
// of text.
func Scrub(text string) string {
	if isPlain(text) {
		return text
	}
	spans := find([]byte(text))
	if len(spans) > 0 {
		text = cut(text, spans)
	}
	return scrubURLs(text)
}

func hasSecret(value string) bool {
	text := []byte(value)
	if len(find(text)) > 0 {
		return true
	}
	return slices.ContainsFunc(urls(text), func(u span) bool { return credentials(text[u.end:]) > 0 })
}

type span struct{ begin, end int }

// find returns the parts of text that match a pattern, in order; they can
// overlap.
func find(text []byte) (found []span) {
	text = upperCase(text)
	for _, s := range secrets() {
		if !bytes.Contains(text, s.prefix) {
			continue
		}
		for _, at := range s.pattern.FindAllIndex(text, -1) {
			found = append(found, span{at[0], at[1]})
		}
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	return found
}

func cut(text string, spans []span) string {
	var b []byte
	done := 0
	for _, s := range spans {
		if s.begin >= done { // a match that overlaps an earlier match adds no second [redacted]
			b = append(append(b, text[done:s.begin]...), redacted...)
		}
		done = max(done, s.end)
	}
	return string(append(b, text[done:]...))
}

// upperCase changes ASCII letters only, so that every byte stays in its place.
func upperCase(text []byte) []byte {
	upper := bytes.Clone(text)
	for i, c := range upper {
		if 'a' <= c && c <= 'z' {
			upper[i] = c - 'a' + 'A'
		}
	}
	return upper
}
