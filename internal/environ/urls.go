package environ

import (
	"bytes"
	"unicode/utf8"
)

var (
	schemes  = [...][]byte{[]byte("HTTP"), []byte("HTTPS"), []byte("FTP"), []byte("SMTP")}
	slashes  = []byte("://")
	maxBytes = 2 * (maxPart + 1) * utf8.UTFMax // the most bytes that credentials reads
)

// maxPart limits the characters of a user's name and of a password.
const maxPart = 2048

// scrubURLs redacts passwords from the last URL to the first: a removal can shorten the distance to an @ for
// an earlier URL. It builds the result from its end in a buffer of the text's length, which is enough: no URL
// with a password is shorter than its replacement.
func scrubURLs(text string) string {
	buf := []byte(text)
	found := urls(buf)
	done, start := len(text), len(text) // buf[start:] is the result for text[done:]
	for i := len(found) - 1; i >= 0; i-- {
		begin, size := found[i].begin, found[i].end-found[i].begin
		start -= copy(buf[start-(done-begin):], text[begin:done])
		done = begin
		if n := credentials(buf[start+size:]); n > 0 {
			start += size + n - len(redacted)
			copy(buf[start:], redacted)
		}
	}
	return text[:done] + string(buf[start:])
}

// urls finds every known scheme with its "://", such as "https://", and returns its place in text.
func urls(text []byte) (found []span) {
	for at := 0; ; {
		n := bytes.Index(text[at:], slashes)
		if n < 0 {
			return found
		}
		at += n
		name := upperCase(text[max(0, at-len("HTTPS")):at])
		for _, scheme := range schemes {
			if bytes.HasSuffix(name, scheme) {
				found = append(found, span{at - len(scheme), at + len(slashes)})
			}
		}
		at += len(slashes)
	}
}

// credentials returns the length of the "user:password@" after the "://" of a URL; 0 if there is none. It is
// not a regular expression because a repetition up to 2048 would be slow.
func credentials(rest []byte) int {
	rest = rest[:min(len(rest), maxBytes)]
	colon := bytes.IndexByte(rest, ':')
	if colon < 1 || utf8.RuneCount(rest[:colon]) > maxPart {
		return 0
	}
	password := rest[colon+1:]
	at := bytes.IndexByte(password, '@')
	if at < 1 || utf8.RuneCount(password[:at]) > maxPart {
		return 0
	}
	return colon + 1 + at + 1
}
