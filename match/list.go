package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

const (
	// nameChars are the characters of a list of names in Claude Code 2.1.88. | separates the names.
	nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_|"
	// wideChars are the characters of a list of names since Claude Code 2.1.195.
	wideChars = nameChars + "-, "
)

// List is the matcher of the Claude Code events (rule C15; Claude Code 2.1.88). The empty pattern and "*" match every
// subject: m is nil. A pattern of ASCII letters, digits, _ and | is a list of names separated by |, each compared
// exactly. Any other pattern is a regular expression, see [Regexp].
//
// An invalid expression matches nothing, and note explains the mistake. note also warns of a list without names, such
// as "|", and of a pattern that is a regular expression for List and a list of names for [WideList]: "code-reviewer"
// is also found in "senior-code-reviewer". Otherwise note is empty.
func List(pattern string) (m hook.Matcher, note string) {
	if m, note, done := list(pattern, nameChars, "|"); done {
		return m, note
	}
	m, note = expression(pattern)
	if note == "" && only(pattern, wideChars) {
		note = hiddenList(pattern)
	}
	return m, note
}

// WideList is the matcher of the Claude Code events as of 2.1.239. It is [List], except that a list
// may also contain blanks, hyphens and commas: | or a comma separates names, and blanks around a
// name are ignored.
//
// Claude Code still uses List for the events FileChanged and StopFailure.
func WideList(pattern string) (m hook.Matcher, note string) {
	if m, note, done := list(pattern, wideChars, "|,"); done {
		return m, note
	}
	return expression(pattern)
}

// list compiles a pattern that matches everything, or that consists of chars; done is false for any other pattern.
func list(pattern, chars, separators string) (m hook.Matcher, note string, done bool) {
	if matchesAll(pattern) {
		return nil, "", true
	}
	if !only(pattern, chars) {
		return nil, "", false
	}
	names := split(pattern, separators)
	if len(names) == 0 {
		note = fmt.Sprintf("%q names no tool and matches nothing; write * for everything", pattern)
	}
	return names, note, true
}

// only reports whether s consists of chars.
func only(s, chars string) bool { return strings.Trim(s, chars) == "" }

// split returns the names of a list, without surrounding blanks and without empty names.
func split(pattern, separators string) Names {
	names := strings.FieldsFunc(pattern, func(c rune) bool { return strings.ContainsRune(separators, c) })
	for i := range names {
		names[i] = strings.Trim(names[i], " ")
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func expression(pattern string) (m hook.Matcher, note string) {
	p, err := Regexp(pattern)
	if err != nil {
		return Names(nil), fmt.Sprintf(
			"%v; it matches nothing. Write names like Write|Edit, or an expression like ^mcp__.*",
			err,
		)
	}
	return p, ""
}

// hiddenList describes how to write the names in pattern such that List and WideList read them alike.
func hiddenList(pattern string) string {
	names := split(pattern, "|,")
	if len(names) == 0 {
		return fmt.Sprintf("%q is read as a regular expression; write * for everything", pattern)
	}
	instead := strings.Join(names, "|")
	switch {
	case only(instead, nameChars):
	case len(names) == 1:
		instead = "^" + instead + "$"
	default:
		instead = "^(?:" + instead + ")$"
	}
	if len(names) == 1 {
		return fmt.Sprintf(
			"%q is read as a regular expression, so it is also found inside longer names; write %s",
			pattern,
			instead,
		)
	}
	return fmt.Sprintf("%q is read as a regular expression, not as a list of names; write %s", pattern, instead)
}
