package lint

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bash"
)

// programCall is one call of a program in a command.
type programCall struct {
	words   []string // words after expansion
	known   []bool   // whether each of words is certain
	dir     string   // its working directory; empty if that is not known
	plugin  string
	at      hook.Position
	certain bool // the call runs whenever the hook runs, and if it fails, the hook fails
}

// program returns the program of a call; empty if it is not known.
func (c programCall) program() string {
	if len(c.words) == 0 || !c.known[0] {
		return ""
	}
	return c.words[0]
}

// unwrapped skips programs that only start another one. If they have options, the started program
// is uncertain.
func (c programCall) unwrapped() programCall {
	return c.through(func(w bash.Wrapper) bool {
		return !w.Joins && !w.Foreign && !w.Reads && w.Text == "" && w.Clears != "*"
	})
}

// through skips programs that run the command in their arguments, as long as skips returns true for them.
func (c programCall) through(skips func(bash.Wrapper) bool) programCall {
	for len(c.words) > 1 && c.known[0] {
		w, wraps := bash.Wrappers[base(c.words[0])]
		if !wraps || !skips(w) {
			break
		}
		own, runs := w.Skip(c.words[1:], func(int) bool { return false })
		if !runs {
			break
		}
		for _, word := range c.words[1 : 1+own] {
			c.certain = c.certain && !strings.HasPrefix(word, "-")
		}
		c.words, c.known = c.words[1+own:], c.known[1+own:]
		for w.Assigns && len(c.words) > 0 && strings.Contains(c.words[0], "=") {
			c.words, c.known = c.words[1:], c.known[1:]
		}
	}
	return c
}

// knownCall returns a call with these words.
func knownCall(words []string) programCall {
	return programCall{words: words, known: slices.Repeat([]bool{true}, len(words))}
}

// file returns the absolute path of the file that a call runs: the script of an interpreter, a program named by its
// path, or a file that it sources. It returns "" if the call runs no file.
func (c programCall) file() string {
	if _, script, _, ok := c.interpreted(); ok {
		return c.resolve(script)
	}
	if p := c.program(); strings.ContainsRune(p, '/') {
		return c.resolve(p)
	}
	if len(c.words) > 1 && (c.program() == "." || c.program() == "source") && c.known[1] &&
		strings.ContainsRune(c.words[1], '/') {
		return c.resolve(c.words[1])
	}
	return ""
}

func (c programCall) resolve(word string) string {
	path, _ := (&shellScope{dir: c.dir}).path(word)
	return path
}

// interpreted returns the script of an interpreter's call, and the words after it. ok is false if the interpreter runs
// no script, or if the script is not known.
func (c programCall) interpreted() (l lang, script string, args []string, ok bool) {
	l, is := languageOf(c.program())
	if !is {
		return c.uvRun()
	}
	if l == langPowerShell {
		return powershellFile(c)
	}
	for i := 1; i < len(c.words); i++ {
		switch word := c.words[i]; {
		case !c.known[i]:
			return l, "", nil, false
		case l == langShell && slices.Contains(shellFlags, word):
		case isInline(l, word):
			return l, "", nil, false
		case slices.Contains(valued, word):
			i++
		case word == "run" && base(c.program()) == "bun" && i == 1:
		case strings.HasPrefix(word, "-") || l == langShell && strings.HasPrefix(word, "+"):
		default:
			return l, word, c.words[i+1:], isScriptName(c.program(), word)
		}
	}
	return l, "", nil, false
}

// uvRun returns the script that uv run runs. Options of uv run may stand before the script.
func (c programCall) uvRun() (l lang, script string, args []string, ok bool) {
	if base(c.program()) != "uv" || len(c.words) < 3 || c.words[1] != "run" {
		return langOther, "", nil, false
	}
	values := []string{"--with", "-p", "--python", "--project", "--directory", "--env-file", "--extra", "--group", "--index"}
	for i := 2; i < len(c.words) && c.known[i]; i++ {
		switch word := c.words[i]; {
		case slices.Contains(values, word):
			i++
		case strings.HasPrefix(word, "-"):
		default:
			return langPython, word, c.words[i+1:], strings.HasSuffix(word, ".py")
		}
	}
	return langOther, "", nil, false
}

// languages maps the languages of package bash to the languages of lint.
var languages = map[bash.Language]lang{
	bash.Shell: langShell, bash.Python: langPython, bash.JavaScript: langNode, bash.PowerShell: langPowerShell,
	bash.Ruby: langOther, bash.Perl: langOther, bash.PHP: langOther, bash.Lua: langOther,
}

// valued lists the options of interpreters that take the next word as their value. inline lists the options after which
// no script file follows: the program is the next word or standard input. shellFlags lists the options of inline that
// have other meanings for a shell: a script file may follow them.
var (
	valued = []string{"-W", "-X", "-r", "--require", "--import", "--loader", "-I", "-o", "+o", "-O", "--env-file"}
	inline = []string{"-c", "-e", "-m", "-p", "--eval", "--print", "-x", "-", "-n"}

	shellFlags = []string{"-e", "-m", "-p", "-x"}
)

// inlineFlags lists, by language, the letters with the effect of an option of inline. They also have this effect in a
// cluster of short options, such as -ne.
var inlineFlags = map[lang]string{langShell: "cs", langPython: "cm", langNode: "ep", langOther: "eE"}

// isInline reports whether no script file follows an option of an interpreter.
func isInline(l lang, word string) bool {
	flagged := func(flag byte) bool { return isFlags(word, flag) }
	return slices.Contains(inline, word) || slices.ContainsFunc([]byte(inlineFlags[l]), flagged)
}

// isFlags reports whether a word is a cluster of at most four short options, such as -euc, that contains flag.
func isFlags(word string, flag byte) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, flag) > 0 && len(word) <= 5
}

// isScriptName reports whether a word names a file. For bun, which also has sub-commands, a word without a dot or slash
// does not.
func isScriptName(program, word string) bool {
	if base(program) != "bun" {
		return true
	}
	return strings.ContainsAny(word, "./")
}

// languageOf returns the language of an interpreter by its name. The first argument without a dash has to be the
// script: deno is excluded, because its first argument is a sub-command.
func languageOf(program string) (lang, bool) {
	l, ok := languages[bash.Interpreter(program)]
	if !ok || base(program) == "deno" {
		return langOther, false
	}
	return l, true
}
