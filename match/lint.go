package match

import (
	"fmt"
	"strings"
)

// maxDepth limits the nesting of groups, on which the library recurses.
const maxDepth = 1000

// groups lists the characters that JavaScript of Node 20 accepts after an opening parenthesis and
// a question mark. "<" begins a name, which the library checks.
var groups = [...]string{":", "=", "!", "<=", "<!", "<"}

// lint finds the groups that the library accepts and JavaScript does not:
// inline flags, atomic groups, comments. It counts the groups with a name.
func lint(pattern string) (named int, err error) {
	depth, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++ // skip the escaped character
		case class:
			class = c != ']' // also right after the opening bracket: [] is an empty class
		case c == '[':
			class = true
		case c == ')':
			depth--
		case c == '(':
			kind, err := groupKind(pattern[i+1:])
			if err != nil {
				return 0, err
			}
			if kind == "<" {
				named++
			}
			if depth++; depth > maxDepth {
				return 0, fmt.Errorf("groups are nested more than %d deep; write fewer", maxDepth)
			}
		}
	}
	return named, nil
}

// groupKind returns the element of groups with which the text after an opening parenthesis begins,
// or "" for a capturing group.
func groupKind(text string) (string, error) {
	text, special := strings.CutPrefix(text, "?")
	if !special {
		return "", nil
	}
	for _, kind := range groups {
		if strings.HasPrefix(text, kind) {
			return kind, nil
		}
	}
	short := text
	for i := range text {
		if i > 0 {
			short = text[:i]
			break
		}
	}
	return "", fmt.Errorf("(?%s is not a group in JavaScript; write (?: for a group that does not capture", short)
}
