package unread

import "bytes"

// hasFragment reports whether a text has a part of an object: a brace and a quote, a quote and a colon before the
// beginning of a value, or the end of a value before a brace at the end of the text.
func hasFragment(text []byte) bool {
	for i, c := range text {
		switch {
		case c == '{' && isStringQuote(text, spaces(text, i+1)),
			c == ':' && isStringQuote(text, beforeSpaces(text, i)-1) && beginsValue(text[spaces(text, i+1):]):
			return true
		}
	}
	brace := beforeSpaces(text, len(text)) - 1
	return brace >= 0 && text[brace] == '}' && endsValue(text[:beforeSpaces(text, brace)])
}

// objectIn finds the first brace and name in a text, with which an object begins, and returns the offset of the brace.
// If there is none, it returns -1.
func objectIn(text []byte) int {
	for i, c := range text {
		if c != '{' {
			continue
		}
		name := spaces(text, i+1)
		end := name
		for end < len(text) && isWord(text[end]) && !isDigit(text[end]) {
			end++
		}
		if colon := spaces(text, end); isStringQuote(text, name) || end > name && colon < len(text) && text[colon] == ':' {
			return i
		}
	}
	return -1
}

// literals are the JSON values that are words.
var literals = [][]byte{[]byte("true"), []byte("false"), []byte("null")}

func beginsValue(text []byte) bool {
	for _, word := range literals {
		if bytes.HasPrefix(text, word) {
			return true
		}
	}
	return len(text) > 0 && (isStringQuote(text, 0) || text[0] == '{' || text[0] == '[' || isDigit(text[0]))
}

func endsValue(text []byte) bool {
	for _, word := range literals {
		if bytes.HasSuffix(text, word) {
			return true
		}
	}
	last := len(text) - 1
	return last >= 0 && (isStringQuote(text, last) || text[last] == '}' || text[last] == ']' || isDigit(text[last]))
}

// isStringQuote reports whether the quote of a string in JSON or Python stands at i.
func isStringQuote(text []byte, i int) bool {
	return i >= 0 && i < len(text) && (text[i] == '"' || text[i] == '\'')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// beforeSpaces returns the offset of the white space that ends at i.
func beforeSpaces(text []byte, i int) int {
	for i > 0 && isSpace(text[i-1]) {
		i--
	}
	return i
}
