package request

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// engines lists the headers that a hook cannot set: headers of the connection, and headers that describe the request.
// Host is in the list, because it could redirect a request to a server outside the list of allowed URLs.
var engines = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// header returns the headers of a request, and notes on the headers that are left out.
func (h *HTTP) header(variable func(name string) string) (http.Header, []string) {
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"snaphook"}}
	var notes []string
	from := map[string]string{} // configured spelling, by canonical name
	for _, configured := range slices.Sorted(maps.Keys(h.Headers)) {
		name := http.CanonicalHeaderKey(configured)
		switch {
		case !isToken(configured):
			notes = append(
				notes,
				fmt.Sprintf("header %q is left out: HTTP allows letters, digits and hyphens in a name", configured),
			)
			continue
		case slices.Contains(engines, name):
			notes = append(notes, fmt.Sprintf("header %q is left out: the engine sets it", configured))
			continue
		case from[name] != "":
			notes = append(notes, fmt.Sprintf("header %q is left out: %q is the same name", from[name], configured))
		}
		from[name] = configured
		header.Set(name, harmless(h.expand(h.Headers[configured], variable)))
	}
	return header, notes
}

var reference = lazyregexp.New(`\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})`)

// expand replaces $NAME and ${NAME} by their values, or by "" if the variable is not allowed. It does not expand the
// values.
func (h *HTTP) expand(text string, variable func(name string) string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		name := strings.Trim(ref, "${}")
		if !slices.Contains(h.Vars, name) {
			return ""
		}
		return variable(name)
	})
}

// harmless removes the characters that would end a header or make it invalid: line breaks, NUL and all other control
// characters except tab.
func harmless(value string) string {
	b := make([]byte, 0, len(value))
	for _, c := range []byte(value) {
		if c >= ' ' && c != 0x7f || c == '\t' {
			b = append(b, c)
		}
	}
	return string(b)
}

// isToken reports whether name can be the name of a header (RFC 9110 §5.6.2).
func isToken(name string) bool {
	for _, c := range []byte(name) {
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}
