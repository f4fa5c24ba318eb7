// Package bounded stands in front of everything that reads foreign text: the
// settings, scripts and modules of a project that may be hostile.
//
// A parser that calls itself for every bracket overflows its stack on text made
// for the purpose, and an overflow ends the process: recover cannot help. So
// the text is measured before a parser starts. A file is opened in one way, in
// which nothing but a regular file is read, and no more of it than was agreed.
package bounded

import (
	"fmt"
	"strings"
)

// The largest texts, in bytes.
const (
	// MaxShell is the length of the longest argument of a program on Linux: no shell could be
	// started with a longer script.
	MaxShell = 128 << 10
	// MaxPattern is for regular expressions.
	MaxPattern = 64 << 10
	// MaxGlob is for patterns of paths: the longest path.
	MaxGlob = 4 << 10
)

const (
	// maxOpen is the limit of brackets and backticks in a script. The parser of shell syntax
	// needs up to 7 KiB of stack for each open one. Quoted and closed brackets count too: only
	// the parser can tell that a quoted bracket closes nothing.
	maxOpen = 8192
	// maxChoices is how many ways there may be through the braces of a pattern,
	// all of which are tried.
	maxChoices = 1024
	// maxBraces is how deep they may be nested.
	maxBraces = 64
	// maxGroups is how deep the groups of a regular expression may be nested. To
	// compile one takes twice as long for every two levels of alternatives.
	maxGroups = 16
)

// Error says which limit a text exceeds.
type Error struct {
	What  string // "brackets", "bytes"
	Limit int
	Hint  string // a correction
}

func (e *Error) Error() string {
	return fmt.Sprintf("it has more than %d %s; %s", e.Limit, e.What, e.Hint)
}

const intoFile = "put it into a script file, and run that"

// Shell returns an error, of type [*Error], if a parser of shell syntax must
// not be given text. It costs a pass over the text.
func Shell(text string) error {
	if len(text) > MaxShell {
		return &Error{"bytes", MaxShell, intoFile}
	}
	open := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[', '`':
			open++
		}
	}
	if open > maxOpen {
		return &Error{"brackets", maxOpen, intoFile}
	}
	return nil
}

// Pattern returns an error if a regular expression is too long to be compiled, or
// its groups are nested too deep.
func Pattern(text string) error {
	if len(text) > MaxPattern {
		return &Error{"bytes", MaxPattern, "write a shorter expression"}
	}
	if groupDepth(text) > maxGroups {
		return &Error{"groups in each other", maxGroups, "write several hooks"}
	}
	return nil
}

// groupDepth is how deep the groups of a regular expression are nested, or more:
// a bracket that may stand in a class or in a comment closes nothing.
func groupDepth(text string) (deepest int) {
	depth, class, comment := 0, false, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++ // the escaped character
		case c == '\n':
			comment = false
		case c == '#':
			comment = true
		case c == '[' && !class:
			class = true
			if strings.HasPrefix(text[i+1:], "^") {
				i++
			}
			if strings.HasPrefix(text[i+1:], "]") {
				i++ // it may be the first of the class
			}
		case c == ']':
			class = false
		case c == '(':
			depth++
			deepest = max(deepest, depth)
		case c == ')' && !class && !comment:
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// Glob returns an error if a pattern of paths is too long, its braces are
// nested too deep, or they can be read in too many ways.
func Glob(text string) error {
	if len(text) > MaxGlob {
		return &Error{"bytes", MaxGlob, "write a shorter pattern"}
	}
	if strings.Count(text, "{") > maxBraces {
		return &Error{"braces", maxBraces, "write several rules"}
	}
	choices, here := 1, 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			choices, here = choices*here, 1
		case ',':
			here++
		case '}':
			choices, here = choices*here, 1
		}
		if choices*here > maxChoices {
			return &Error{"combinations of what stands in braces", maxChoices, "write several rules"}
		}
	}
	return nil
}
