package request

import (
	"net/url"
	"slices"
	"strings"
)

// AllowedURL reports whether a hook may send requests to rawURL, by the patterns of a setting such as
// allowedHttpHookUrls (Claude Code hooks documentation 2.1.239). Nil patterns allow any URL, an empty list allows none.
// In a pattern * matches any text, and nothing else is special.
//
// Before the comparison the URL is normalised: scheme and host in lower case, without a dot after the host, without
// user, password and fragment, with a path. It is compared both with and without the port that its scheme implies. The
// scheme and host of a pattern are normalised in the same way. A * before the path of a pattern stays within the host:
// https://*.example.com/* does not allow https://evil.com/.example.com/. A * at the end of the pattern matches the path
// too, as in http://127.0.0.1:*. A pattern without :// is compared with the whole URL.
//
// No list allows a URL that the server could read differently: a scheme other than http and https, a host with
// characters beyond ASCII, or a path with a "." or ".." in it, encoded or not.
//
// The cost is linear in the number of patterns, and for each at most the product of its length and the URL's.
func AllowedURL(patterns []string, rawURL string) bool {
	if patterns == nil {
		return true
	}
	locations, ok := locationsOf(rawURL)
	return ok && slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(locations, locationOf(pattern).allows)
	})
}

// location is the target of a URL, or a pattern for it.
type location struct {
	scheme, host string // the host includes the port
	path         string // with the query
	whole        bool   // path holds a whole pattern without ://, which is compared with the whole URL
}

// locationsOf returns the one or two normal forms of a URL.
func locationsOf(rawURL string) ([]location, bool) {
	u, err := url.Parse(rawURL)
	if err != nil || !isASCII(u.Host) || u.Hostname() == "" || slices.ContainsFunc(segments(u.Path), isDots) {
		return nil, false
	}
	implied, known := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if !known {
		return nil, false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	path := u.RequestURI()
	if port := u.Port(); port != "" && port != implied {
		return []location{{scheme: u.Scheme, host: host + ":" + port, path: path}}, true
	}
	return []location{
		{scheme: u.Scheme, host: host, path: path},
		{scheme: u.Scheme, host: host + ":" + implied, path: path},
	}, true
}

// segments splits a path as the most lenient server would.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' || r == ';' })
}

func isDots(segment string) bool { return segment == "." || segment == ".." }

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}

// locationOf parses a pattern.
func locationOf(pattern string) location {
	scheme, rest, found := strings.Cut(pattern, "://")
	if !found {
		return location{path: pattern, whole: true}
	}
	host, path := rest, "/"
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		host, path = rest[:end], "/"+strings.TrimPrefix(rest[end:], "/")
	} else if strings.HasSuffix(rest, "*") {
		path = "*"
	}
	return location{scheme: strings.ToLower(scheme), host: undotted(strings.ToLower(host)), path: path}
}

// undotted removes the dot at the end of a host's name, before its port.
func undotted(host string) string {
	name, port, hasPort := strings.Cut(host, ":")
	if strings.HasPrefix(host, "[") || !hasPort {
		return strings.TrimSuffix(host, ".")
	}
	return strings.TrimSuffix(name, ".") + ":" + port
}

// allows reports whether the pattern p matches the URL u.
func (p location) allows(u location) bool {
	if p.whole {
		return wildcard(p.path, u.scheme+"://"+u.host+u.path)
	}
	return wildcard(p.scheme, u.scheme) && wildcard(p.host, u.host) && wildcard(p.path, u.path)
}

// wildcard reports whether pattern, in which * matches any text, matches the whole text.
func wildcard(pattern, text string) bool {
	head, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	for ok {
		if head, rest, found = strings.Cut(rest, "*"); !found {
			return strings.HasSuffix(text, head)
		}
		_, text, ok = strings.Cut(text, head) // the first match leaves the most text for the rest of the pattern
	}
	return false
}
