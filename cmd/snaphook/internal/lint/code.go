package lint

import "strings"

// codeToken is a part of a program in Python or JavaScript: a name, a number, a
// string with its quotes, or one character of anything else.
type codeToken struct {
	text   string
	at     int // offset in the text
	indent int // columns of white space before the first token of the line; -1 for other tokens
	str    bool
}

// maxTokens limits the tokens that are read of one script.
const maxTokens = 200_000

// tokens splits a program, without comments. It is as exact as the rules need: it knows strings,
// comments and indentation, but no grammar.
func tokens(text string, l lang) (all []codeToken) {
	first, indent := true, 0
	for at := 0; at < len(text) && len(all) < maxTokens; {
		c := text[at]
		switch {
		case c == '\n':
			first, indent = true, 0
			at++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			if first {
				indent++
			}
			at++
			continue
		case l == langPython && c == '#', l == langNode && strings.HasPrefix(text[at:], "//"),
			at == 0 && strings.HasPrefix(text, "#!"):
			at = lineEnd(text, at)
			continue
		case l == langNode && strings.HasPrefix(text[at:], "/*"):
			end := strings.Index(text[at:], "*/")
			if end < 0 {
				return all
			}
			at += end + 2
			continue
		}
		t := codeToken{at: at, indent: -1}
		if first {
			t.indent, first = indent, false
		}
		end := at + 1
		switch {
		case c == '"' || c == '\'' || c == '`' && l == langNode:
			end, t.str = stringEnd(text, at, l), true
		case isWord(c):
			for end < len(text) && isWord(text[end]) {
				end++
			}
			if end < len(text) && (text[end] == '"' || text[end] == '\'') && isPrefix(text[at:end]) && l == langPython {
				at = end // a prefix of the string: r, b, f
				end, t.str = stringEnd(text, at, l), true
			}
		}
		t.text, t.at = text[at:end], at
		all = append(all, t)
		at = end
	}
	return all
}

func lineEnd(text string, at int) int {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end
	}
	return len(text)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 || c == '$'
}

func isPrefix(word string) bool {
	return len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbfut") == ""
}

// stringEnd returns the end of the string that begins at an offset.
func stringEnd(text string, at int, l lang) int {
	quote := text[at : at+1]
	if triple := strings.Repeat(quote, 3); l == langPython && strings.HasPrefix(text[at:], triple) {
		quote = triple
	}
	for i := at + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1 && quote != "`":
			return i // the string is not closed
		}
	}
	return len(text)
}

// value returns the text of a string token, without its quotes.
func (t codeToken) value() string {
	text := t.text
	for _, quote := range []string{`"""`, `'''`, `"`, `'`, "`"} {
		if inner, ok := strings.CutPrefix(text, quote); ok {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return text
}

// has reports whether the tokens from i on have these texts.
func has(all []codeToken, i int, texts ...string) bool {
	if i < 0 || i+len(texts) > len(all) {
		return false
	}
	for n, text := range texts {
		if all[i+n].text != text {
			return false
		}
	}
	return true
}

// mentions reports whether a program contains one of the names.
func mentions(all []codeToken, names ...string) bool {
	for _, t := range all {
		for _, name := range names {
			if !t.str && t.text == name {
				return true
			}
		}
	}
	return false
}

// closing returns the index of the parenthesis that matches the parenthesis at open.
func closing(all []codeToken, open int) int {
	depth := 0
	for i := open; i < min(len(all), open+2000); i++ {
		switch all[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// exitAt returns the status of a call that ends the program; "?" if it is not a number.
func exitAt(all []codeToken, i int, l lang) (status string, ok bool) {
	open := -1
	switch {
	case l == langPython && (has(all, i, "sys", ".", "exit", "(") || has(all, i, "os", ".", "_exit", "(")):
		open = i + 3
	case l == langPython && (has(all, i, "exit", "(") || has(all, i, "quit", "(") || has(all, i, "SystemExit", "(")):
		if i > 0 && (all[i-1].text == "." || all[i-1].text == "def") {
			return "", false
		}
		open = i + 1
	case l == langNode && has(all, i, "process", ".", "exit", "("):
		open = i + 3
	case l == langNode && has(all, i, "process", ".", "exitCode", "="):
		if i+4 < len(all) {
			return statusOf(all[i+4]), true
		}
	}
	if open < 0 || open+2 >= len(all) {
		return "", false
	}
	switch {
	case all[open+1].text == ")":
		return "0", true
	case all[open+2].text != ")":
		return "?", true
	}
	return statusOf(all[open+1]), true
}

func statusOf(t codeToken) string {
	if !t.str && t.text != "" && strings.Trim(t.text, "0123456789") == "" {
		return t.text
	}
	return "?"
}

// lineOf returns the first token of the line that contains token i.
func lineOf(all []codeToken, i int) int {
	for ; i >= 0; i-- {
		if all[i].indent >= 0 {
			return i
		}
	}
	return -1
}
