package trust

import (
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bash"
)

// shellReadsInput reports whether a shell with these arguments reads, or may read, its script from its input.
func shellReadsInput(args []arg) bool {
	for i := 0; i < len(args); i++ {
		if !args[i].known || len(args[i].texts) != 1 {
			return true
		}
		switch option := args[i].texts[0]; {
		case shellWords[option] || option == "--rcfile" || option == "--init-file":
			i++
		case option == "--" || option == "-":
			return i+1 >= len(args)
		case strings.HasPrefix(option, "--"):
		case !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "+"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "c"):
			return false
		case strings.HasPrefix(option, "-") && strings.Contains(option, "s"):
			return true
		}
	}
	return true
}

func isWrapper(name string) bool {
	_, is := bash.Wrappers[filepath.Base(name)]
	return is
}

// isOption reports whether a word is, or may be, an option, or stands for standard input.
func isOption(word string) bool { return strings.HasPrefix(word, "-") }

// printed returns the output of echo, and of printf with a plain text, "%s" or "%s\n" as its format. known is false for
// other calls, and for words that some shells change.
func printed(words []string) (text string, known bool) {
	if len(words) < 2 {
		return "", false
	}
	switch name, args := words[0], words[1:]; {
	case name == "echo":
		text = strings.Join(args, " ")
		return text, !isOption(text) && !strings.Contains(text, `\`)
	case name == "printf" && args[0] == `%s`:
		return strings.Join(args[1:], ""), true
	case name == "printf" && args[0] == `%s\n`:
		return strings.Join(args[1:], "\n"), true
	case name == "printf":
		return args[0], len(args) == 1 && !isOption(args[0]) && !strings.ContainsAny(args[0], `%\`)
	}
	return "", false
}
