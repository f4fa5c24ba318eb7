package check

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// plainWords returns the words of the first program call of a shell command, up to the first word that is neither
// literal nor a plain variable. It returns nil if the command has no call, or cannot be parsed.
func plainWords(command string) (words []string) {
	file, err := bash.Parse(command)
	if err != nil {
		return nil
	}
	for call := range bash.Calls(file) {
		words = []string{}
		for _, arg := range call.Args {
			text, ok := plainWord(arg.Parts)
			if !ok {
				break
			}
			words = append(words, text)
		}
		return words
	}
	return nil
}

func plainWord(parts []syntax.WordPart) (text string, ok bool) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := plainWord(p.Parts)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		case *syntax.ParamExp:
			if p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil || p.Length {
				return "", false
			}
			b.WriteString("${" + p.Param.Value + "}")
		default:
			return "", false
		}
	}
	return b.String(), true
}
