package environ

import "unicode/utf8"

// Cut returns the beginning of a text: at most the given number of bytes, without a last character that is incomplete.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i := most; i > 0 && i > most-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i-1]) {
			if !utf8.FullRuneInString(s[i-1 : most]) {
				return s[:i-1]
			}
			break
		}
	}
	return s[:most]
}
