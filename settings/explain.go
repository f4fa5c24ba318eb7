package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// What people write who do not write JSON, and what to write instead.
const (
	oneValue     = "a file holds one value; remove what follows it"
	noComment    = "comments are not allowed in this file; remove it"
	openComment  = "this comment is not closed; write */ at its end"
	openString   = `this string is not closed; write " at its end`
	lineBreak    = `a string cannot go over several lines; close it, or write \n for a line break`
	control      = `a string cannot hold this character; write \t for a tab, else \u and four hexadecimal digits`
	backslash    = `; write \\ for a backslash`
	doubleQuotes = `names and strings need double quotes: "…"`
	nameQuotes   = `a name needs double quotes: "…"`
	notAWord     = `the only words are true, false and null, and numbers have no unit; other text needs double quotes: "…"`
	notANumber   = "this is not a number; write one like 30, -1 or 0.5"
	innerQuote   = `text follows the string; write \" for a quote inside a string`
	noColon      = "a colon is missing between the name and its value"
	noComma      = "a comma is missing before this"
	noValue      = "the value of this name is missing"
	lastComma    = "a comma before the end of an object or array is not allowed in this file; remove it"
	extraComma   = "this comma follows nothing; remove it, or write a value before it"
)

// explain says in terms of the file what the JSON decoder found wrong.
func (p *parser) explain(err error) Problem {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return fatal(p.doc.position(int32(p.end)), "%v", err)
	}
	at := min(int(syntax.ByteOffset), len(p.doc.text))
	message := ""
	if errors.Is(syntax.Err, io.ErrUnexpectedEOF) {
		at, message = p.explainEnd()
	} else {
		message = p.explainChar(at, syntax.Err.Error())
	}
	problem := fatal(p.doc.position(int32(at)), "%s", message)
	problem.Path = string(syntax.JSONPointer)
	return problem
}

// explainEnd says what is missing at the end of the file.
func (p *parser) explainEnd() (at int, message string) {
	at = int(p.nextStart())
	switch {
	case at < len(p.doc.text) && p.doc.text[at] == '"':
		return at, openString
	case at < len(p.doc.text) || len(p.open) == 0:
		return at, notAWord
	}
	return at, "the file ends before " + p.opened() + " is closed; write " + p.closer() + " where it ends"
}

// explainChar says why the character at offset at cannot stand there; reason
// is what the decoder says.
func (p *parser) explainChar(at int, reason string) string {
	c, _ := utf8.DecodeRune(p.doc.text[at:])
	for _, message := range [...]string{
		explainInside(c, reason),
		p.explainComment(p.doc.text[at:]),
		p.explainBetween(at, c, reason),
		p.explainStart(at, c),
	} {
		if message != "" {
			return message
		}
	}
	return reason
}

// explainInside says what is wrong inside a string, number or word.
func explainInside(c rune, reason string) string {
	says := func(part string) bool { return strings.Contains(reason, part) }
	switch {
	case says("escape sequence"), says("surrogate pair"):
		return reason + backslash
	case says("in string") && (c == '\n' || c == '\r'):
		return lineBreak
	case says("in string"):
		return control
	case says("in number"):
		return notANumber
	case says("in literal"):
		return notAWord
	}
	return ""
}

// explainBetween says what is missing in front of c.
func (p *parser) explainBetween(at int, c rune, reason string) string {
	says := func(part string) bool { return strings.Contains(reason, part) }
	switch {
	case says("missing value"):
		return noValue
	case len(p.open) == 0 && len(p.doc.nodes) > 0:
		return oneValue
	case says("expecting ':'"):
		return noColon
	case len(p.open) > 0 && (c == '}' || c == ']'):
		return "this does not close " + p.opened() + "; write " + p.closer() + " first"
	case says("expecting ',' or"):
		return p.explainAfterValue(at, c)
	}
	return ""
}

// explainStart says why no name or value starts with c.
func (p *parser) explainStart(at int, c rune) string {
	switch {
	case strings.ContainsRune("'‘’“”„`", c):
		return doubleQuotes
	case strings.ContainsRune("+.", c):
		return notANumber
	case c == ',':
		return p.explainComma(p.doc.text[at+1:])
	case unicode.IsLetter(c) || c == '_' || c == '$':
		return p.explainWord()
	}
	return ""
}

func (p *parser) explainComment(rest []byte) string {
	switch {
	case p.strict && (bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*"))):
		return noComment
	case bytes.HasPrefix(rest, []byte("/*")):
		return openComment
	}
	return ""
}

// explainAfterValue says why c cannot follow a value.
func (p *parser) explainAfterValue(at int, c rune) string {
	if at == p.end && !strings.ContainsRune(`"{[`, c) {
		if p.doc.text[at-1] == '"' { // "echo "hi""
			return innerQuote
		}
		return notAWord // 5s, 0x1F, nullable
	}
	return noComma
}

func (p *parser) explainComma(rest []byte) string {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if p.strict && len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') {
		return lastComma
	}
	return extraComma
}

func (p *parser) explainWord() string {
	if in := p.level(); in != nil && p.closer() == "}" && in.count%2 == 0 {
		return nameQuotes
	}
	return notAWord
}

// opened names the innermost bracket and its place.
func (p *parser) opened() string {
	start := p.doc.nodes[p.level().node].start
	at := p.doc.position(start)
	return fmt.Sprintf("the %c in line %d, column %d", p.doc.text[start], at.Line, at.Column)
}

func (p *parser) closer() string {
	if p.doc.text[p.doc.nodes[p.level().node].start] == '{' {
		return "}"
	}
	return "]"
}
