package environ

import (
	"net/url"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// MaskURL returns an address to show to people and to write to logs: [redacted] replaces its user and
// password, its query, its fragment, and segments of its path that look like tokens. A text that is not an
// address is replaced as a whole.
func MaskURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return redacted
	}
	masked := u.Scheme + "://"
	if u.User != nil {
		masked += redacted + "@"
	}
	masked += u.Host
	segments := strings.Split(u.EscapedPath(), "/")
	for i, segment := range segments {
		if isToken(segment) {
			segments[i] = redacted
		}
	}
	masked += strings.Join(segments, "/")
	if u.RawQuery != "" {
		masked += "?" + redacted
	}
	if u.Fragment != "" {
		masked += "#" + redacted
	}
	return masked
}

var (
	word    = lazyregexp.New(`^[A-Za-z_-]+\d{0,4}(?:\.\w{1,5})?$`) // v1, guard, check-2024, hook.php
	letters = lazyregexp.New(`[A-Za-z]`)
	digits  = lazyregexp.New(`\d`)
)

// isToken reports whether a part of a path may be a secret. A text of 40 bytes, or of 20 bytes without "-", "_" and
// ".", may be one. A shorter text may be one if it has digits and also a letter or 12 bytes, or if hasSecret finds a
// secret in it; a text of fewer than 8 bytes and a word with a number, such as check-2024, are no secrets.
func isToken(segment string) bool {
	switch {
	case len(segment) >= 20 && !strings.ContainsAny(segment, "-_."), len(segment) >= 40:
		return true
	case len(segment) < 8 || word.MatchString(segment):
		return false
	}
	return digits.MatchString(segment) && (letters.MatchString(segment) || len(segment) >= 12) || hasSecret(segment)
}
