package match

import (
	"fmt"
	"strings"
)

// maxDepth limits the nesting of groups, because the library's parser is recursive.
const maxDepth = 1000

// groups lists the texts that Node 20 accepts after "(?". "<" begins a name, which the library checks.
var groups = [...]string{":", "=", "!", "<=", "<!", "<"}

// lint returns an error for groups that the library accepts and JavaScript does not: inline flags, atomic groups,
// comments. Groups that are nested too deep are an error too. named is the number of named groups.
func lint(pattern string) (named int, err error) {
	depth, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++ // skip the escaped character
		case class:
			class = c != ']' // a ] right after the opening bracket ends the class too: [] is empty
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

// groupKind returns the kind of a group, one of groups; "" for a capturing group. text begins after the opening
// parenthesis.
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
