package environ

import "unicode/utf8"

// Cut returns the first bytes of a text, most of them at most, without a character that the cut has made incomplete.
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
