package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// unquoted is the message for bare words and for words that only look like numbers.
const unquoted = `names and text need double quotes: "…"; only true, false, null and numbers like -1 or 0.5 go without`

// hints replaces parser messages by clearer ones. A hint applies if its reason is part of the message and the character
// in question is in chars, or chars is empty. The first hint that applies is used.
var hints = []struct{ reason, chars, hint string }{
	{"after object name", "", "a colon is missing between the name and its value"},
	{"after top-level value", "", "a file holds one value; remove the text after this value"},
	{"", "}]", "a value or another bracket is missing before this"},
	{`after "`, "", `text follows the string; write \" for a quote inside a string`},
	{"expecting ','", "", "a comma is missing before this"},
	{"at start of value", ",", "this comma follows nothing; remove it, or write a value before it"},
	{"at start of", "", unquoted},
	{"escape sequence", "", `a string has no such escape; write \\ for a backslash`},
	{"surrogate pair", "", `this is half a character; write both of its \u escapes, or the character itself`},
	{"in string", "\r\n", `a string cannot go over several lines; close it, or write \n for a line break`},
	{"in string", "", `a string cannot hold this character; write \t for a tab, else \u and four hexadecimal digits`},
}

// explain rewords a mistake that hujson found. open lists the offsets of the brackets, and of the string or comment,
// that the text does not close.
func (d *document) explain(err error, open []int) error {
	line, column := 1, 1 // line and column count from 1; column counts bytes
	_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d", &line, &column)
	at, reason := d.lines[line-1]+column-1, errors.Unwrap(err).Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && len(open) > 0:
		at = open[len(open)-1]
		end := map[byte]string{'{': "}", '[': "]", '"': `"`, '/': "*/"}[d.text[at]]
		return fatal(d.position(at), "this is not closed; write %s where it ends", end)
	case strings.HasPrefix(reason, "invalid literal") && d.text[at] == '"':
		return d.checkPlain(at, d.text[at:])
	case strings.HasPrefix(reason, "invalid literal"):
		reason = unquoted
	case strings.Contains(reason, "expecting ','") && d.text[at-1] == '"':
		reason = `after "` // "echo "hi""
	}
	return fatal(d.position(at), "%s", d.hint(at, reason))
}

// hint explains why the character at offset at is invalid there; reason is the parser's message.
func (d *document) hint(at int, reason string) string {
	c, _ := utf8.DecodeRune(d.text[at:])
	for _, h := range hints {
		if strings.Contains(reason, h.reason) && (h.chars == "" || strings.ContainsRune(h.chars, c)) {
			return h.hint
		}
	}
	return reason
}

// checkPlain checks that text, which begins at offset start of the file, is plain JSON. Only comments, trailing
// commas and the contents of strings can still be wrong: the parser has checked everything else.
func (d *document) checkPlain(start int, text []byte) error {
	err := json.Unmarshal(text, new(jsontext.Value), jsontext.AllowDuplicateNames(true))
	syntax, wrong := errors.AsType[*jsontext.SyntacticError](err)
	if !wrong {
		return nil
	}
	at := start + int(syntax.ByteOffset)
	switch d.text[at] {
	case '/':
		return fatal(d.position(at), "comments are not allowed in this file; remove the comment")
	case '}', ']':
		at = bytes.LastIndexByte(d.text[:at], ',')
		return fatal(
			d.position(at),
			"a comma before the end of an object or array is not allowed in this file; remove it",
		)
	}
	return fatal(d.position(at), "%s", d.hint(at, syntax.Err.Error()))
}
