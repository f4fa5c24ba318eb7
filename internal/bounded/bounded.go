// Package bounded checks foreign text before a parser reads it: the settings, scripts and modules of a
// project may be hostile.
//
// A recursive parser overflows its stack on text with enough brackets, and a stack overflow ends the process;
// recover cannot stop it. Therefore the length and nesting of the text are checked first. Files are opened by
// [Open], which accepts regular files only, and are read up to a limit.
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
	// MaxPattern limits regular expressions.
	MaxPattern = 64 << 10
	// MaxGlob limits patterns of paths; it is the length of the longest path.
	MaxGlob = 4 << 10
)

const (
	// maxOpen limits the brackets and backticks of a script. The parser of shell syntax needs up to 7 KiB of
	// stack for each open one. Quoted and closed brackets count too: only the parser can tell that a quoted
	// bracket closes nothing.
	maxOpen = 8192
	// maxChoices limits the texts that the braces of a pattern expand to, all of which are tried.
	maxChoices = 1024
	// maxBraces limits the opening braces of a pattern, and thereby their nesting.
	maxBraces = 64
	// maxGroups limits the nesting of groups in a regular expression. The time to compile one doubles with
	// every two levels of alternatives.
	maxGroups = 16
)

// Error reports the limit that a text exceeds.
type Error struct {
	What  string // "brackets", "bytes"
	Limit int
	Hint  string // a correction
}

func (e *Error) Error() string {
	return fmt.Sprintf("it has more than %d %s; %s", e.Limit, e.What, e.Hint)
}

const intoFile = "put the text into a script file, and run the file"

// Shell returns an error, of type [*Error], if text is too long, or has too many brackets, for a parser of shell
// syntax. It costs a pass over the text.
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
		return &Error{"nested groups", maxGroups, "write several hooks"}
	}
	return nil
}

// groupDepth returns an upper bound of the nesting of groups in a regular expression: a bracket that may
// be in a class or in a comment closes no group.
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
				i++ // ] may be the first member of the class
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

// Glob returns an error if a pattern of paths is too long, has too many braces, or its braces can be read in too many
// ways.
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
			return &Error{"combinations of alternatives in braces", maxChoices, "write several rules"}
		}
	}
	return nil
}
