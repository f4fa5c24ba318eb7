package jsrun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// maxNests limits the characters and words of a file that may open a nested construct. The bundler
// recurses for each, with up to 5 KiB of stack; the count includes texts, comments and constructs
// that are closed again.
const maxNests = 25_000

// nesting lists the characters that can nest, and nestingWords the words.
const nesting = "([{!-+~:$=?.,<@*&|`"

var nestingWords = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`new typeof void await yield delete if else for while do with try in as satisfies keyof infer readonly unique
		asserts is abstract import require class extends function async case default switch`) {
		set[word] = true
	}
	return set
}()

// readable returns an error for a file that must not reach the bundler: its text could be nested too deeply, or has an
// import() or require() whose path is computed.
func readable(text []byte, isData bool) error {
	if nests(string(text), isData) > maxNests {
		return fmt.Errorf(
			"it has more than %d brackets and operators, which can be nested too deep to be read; split it into several files",
			maxNests,
		)
	}
	if isData {
		return nil
	}
	return writtenOut(string(text))
}

func nests(text string, isData bool) (count int) {
	if isData {
		return strings.Count(text, "[") + strings.Count(text, "{")
	}
	word := 0 // where it starts
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
			continue
		}
		if nestingWords[text[word:i]] {
			count++
		}
		if word = i + 1; i < len(text) && strings.IndexByte(nesting, text[i]) >= 0 {
			count++
		}
	}
	return count
}

var errWrittenOut = errors.New("write the path of import() and require() as one relative path in quotes")

// loading matches the words that load files. If a path is computed at run time, the bundler searches the disk wherever
// the path may lead: such a call must not reach it.
var loading = lazyregexp.New(`\b(import|require)\b`)

var escaped = lazyregexp.New(`\\u(?:\{0*([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))`)

// writtenOut returns an error for an import() or require() whose argument is not one literal text.
// It recognizes names with escapes too.
func writtenOut(text string) error {
	if strings.Contains(text, `\u`) {
		text = escaped.ReplaceAllStringFunc(text, func(escape string) string {
			code, _ := strconv.ParseUint(strings.Trim(escape[2:], "{}"), 16, 32)
			if code >= 'a' && code <= 'z' {
				return string(rune(code))
			}
			return escape
		})
	}
	for _, at := range loading.FindAllStringIndex(text, -1) {
		if after := text[at[1]:]; mayBeCalled(after) && !takesText(after) {
			return fmt.Errorf("line %d: %w", 1+strings.Count(text[:at[0]], "\n"), errWrittenOut)
		}
	}
	return nil
}

// mayBeCalled reports whether text begins with a call of the expression before it, even after closing parentheses and
// TypeScript's types.
func mayBeCalled(text string) bool {
	text = afterGap(text)
	for strings.HasPrefix(text, ")") {
		if text = afterGap(text[1:]); text == "" {
			return false
		}
	}
	switch {
	case strings.HasPrefix(text, "!"):
		return !strings.HasPrefix(text, "!=")
	case strings.HasPrefix(text, "."):
		text = afterGap(text[1:])
		return strings.HasPrefix(text, "defer") || strings.HasPrefix(text, "source")
	}
	return slices.ContainsFunc(
		[]string{"(", "?.", "<", "as", "satisfies", tooFar},
		func(s string) bool { return strings.HasPrefix(text, s) },
	)
}

// takesText reports whether text begins with an argument that is one literal text.
func takesText(text string) bool {
	text, open := strings.CutPrefix(afterGap(text), "(")
	if text = afterGap(text); !open || text == "" || strings.IndexByte("\"'`", text[0]) < 0 {
		return false
	}
	end := strings.IndexAny(text[1:], string(text[0])+"\\\n$")
	if end < 0 || text[1+end] != text[0] {
		return false
	}
	text = afterGap(text[end+2:])
	return strings.HasPrefix(text, ")") || strings.HasPrefix(text, ",")
}

// tooFar stands for a continuation that is unknown because too much white space and comments precede it.
const (
	tooFar  = "\x00"
	mostGap = 4096
)

// afterGap returns text without leading white space and comments.
func afterGap(text string) string {
	for rest := text; ; {
		rest = strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
		end := -1
		switch {
		case strings.HasPrefix(rest, "/*"):
			end = strings.Index(rest[2:min(len(rest), mostGap)], "*/") + 4
			if end < 4 {
				return tooFar
			}
		case strings.HasPrefix(rest, "//"):
			end = strings.IndexAny(rest[:min(len(rest), mostGap)], "\n\r\u2028\u2029")
			if end < 0 && len(rest) > mostGap {
				return tooFar
			}
		}
		if end < 0 {
			return rest
		}
		if rest = rest[end:]; len(text)-len(rest) > mostGap {
			return tooFar
		}
	}
}
