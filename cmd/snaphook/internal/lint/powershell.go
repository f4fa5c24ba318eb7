package lint

import (
	"slices"
	"strings"
)

// maxName limits the length of a variable's name.
const maxName = 256

// psTokens splits a program in PowerShell, as tokens does for other languages: into words, strings
// with their quotes, and single other characters, without comments.
func psTokens(text string) (all []codeToken) {
	first, indent := true, 0
	for at := 0; at < len(text) && len(all) < maxTokens; {
		c := text[at]
		switch {
		case c == '\n':
			first, indent = true, 0
			at++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			if first {
				indent++
			}
			at++
			continue
		case c == '`' && at+1 < len(text): // the line continues, or the next character is escaped
			at += 2
			continue
		case strings.HasPrefix(text[at:], "<#"):
			end := strings.Index(text[at:], "#>")
			if end < 0 {
				return all
			}
			at += end + 2
			continue
		case c == '#':
			at = lineEnd(text, at)
			continue
		}
		t := codeToken{at: at, indent: -1}
		if first {
			t.indent, first = indent, false
		}
		end := at + 1
		switch {
		case c == '"' || c == '\'':
			end, t.str = psStringEnd(text, at), true
		case strings.HasPrefix(text[at:], `@"`), strings.HasPrefix(text[at:], "@'"):
			end, t.str = psHereEnd(text, at), true
		case strings.HasPrefix(text[at:], "${"):
			if close := strings.IndexByte(text[at:min(len(text), at+maxName)], '}'); close > 0 {
				end = psWordEnd(text, at+close+1, false)
			}
		case isPSWord(c):
			end = psWordEnd(text, at, c == '-')
		}
		t.text = text[at:end]
		all = append(all, t)
		at = end
	}
	return all
}

func isPSWord(c byte) bool { return isWord(c) || strings.IndexByte(`-./\:?*%@+!~^`, c) >= 0 }

func psWordEnd(text string, at int, option bool) int {
	for at < len(text) && (isPSWord(text[at]) || option && text[at] == '=') {
		at++
	}
	return at
}

// psStringEnd returns the end of a string, in which a quote is escaped by another one or, in double quotes, by a
// backtick.
func psStringEnd(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '`' && quote == '"':
			i++
		case text[i] != quote:
		case i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

func psHereEnd(text string, at int) int {
	if end := strings.Index(text[at:], "\n"+text[at+1:at+2]+"@"); end >= 0 {
		return at + end + 3
	}
	return len(text)
}

// psCall is one command of a program in PowerShell.
type psCall struct {
	words []codeToken
	piped bool // the command reads the output of the previous command
	depth int  // nesting depth of the braces and parentheses around the command
}

// psCalls returns the commands of a program. It may include parts of expressions; rules look for
// names that no expression contains.
func psCalls(all []codeToken) (calls []psCall) {
	var now psCall
	depth, piped := 0, false
	flush := func() {
		if len(now.words) == 0 {
			return // the pipe's next command follows on a later line
		}
		now.depth, now.piped = depth, piped
		calls = append(calls, now)
		now, piped = psCall{}, false
	}
	for i, t := range all {
		bar := t.text == "|" && !t.str
		if t.indent >= 0 && !(i > 0 && all[i-1].text == "|") {
			flush()
		}
		switch {
		case t.str:
			now.words = append(now.words, t)
		case bar:
			pipe := !(i > 0 && all[i-1].text == "|") && !(i+1 < len(all) && all[i+1].text == "|")
			if flush(); pipe {
				piped = len(calls) > 0
			}
		case t.text == "{", t.text == "(":
			flush()
			depth++
		case t.text == "}", t.text == ")":
			flush()
			depth = max(0, depth-1)
		case t.text == ";", t.text == "=", t.text == ",", t.text == "$", t.text == "&":
			flush()
		default:
			now.words = append(now.words, t)
		}
	}
	flush()
	return calls
}

// name returns the command, in lower case.
func (c psCall) name() string {
	return strings.ToLower(base(strings.ReplaceAll(c.words[0].value(), `\`, "/")))
}

// texts returns the words of a call that are literal, and "?" for others.
func (c psCall) texts(known map[string]string) (texts []string, certain []bool) {
	for _, w := range c.words {
		text, ok := psText(w, known)
		if !ok {
			text = "?"
		}
		texts, certain = append(texts, text), append(certain, ok)
	}
	return texts, certain
}

// psText returns the text of a word, with known variables replaced.
func psText(w codeToken, known map[string]string) (string, bool) {
	text := w.value()
	if w.str && strings.HasPrefix(w.text, "'") {
		return strings.ReplaceAll(text, "''", "'"), true
	}
	var b strings.Builder
	for len(text) > 0 && b.Len() < maxSaid {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		name, rest := psVariable(text[at+1:])
		value, ok := known[strings.ToLower(name)]
		if !ok {
			return "", false
		}
		b.WriteString(value)
		text = rest
	}
	return strings.ReplaceAll(b.String()+text, `\`, "/"), true
}

// psVariable returns the name after a $, and the text after the name.
func psVariable(text string) (name, rest string) {
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		name, rest, _ = strings.Cut(inner, "}")
		return strings.TrimPrefix(name, "env:"), rest
	}
	text = strings.TrimPrefix(text, "env:")
	end := 0
	for end < len(text) && isWord(text[end]) && text[end] != '$' {
		end++
	}
	return text[:end], text[end:]
}

// readPowerShell finds the programs and scripts that a command for PowerShell starts.
func (v *hookView) readPowerShell(plugin string) {
	s := &hookScript{
		file: v.at("command").File, at: v.at("command"), text: []byte(v.h.Command), lang: langPowerShell, inline: true,
	}
	v.scripts = append(v.scripts, s)
	known := map[string]string{}
	for name, value := range v.newScope(v.Dir, "", plugin).vars {
		known[strings.ToLower(name)] = value
	}
	calls := psCalls(psTokens(v.h.Command))
	for i, p := range calls {
		if p.depth > 0 {
			continue
		}
		c := programCall{dir: v.Dir, plugin: plugin, at: s.at}
		c.words, c.known = p.texts(known)
		c.certain = i == len(calls)-1 && (i == 0 || p.piped && i == 1)
		if strings.HasSuffix(strings.ToLower(c.words[0]), ".ps1") { // a .ps1 file needs no permission to execute
			c.words = append([]string{"powershell", "-File"}, c.words...)
			c.known = append([]bool{true, true}, c.known...)
		}
		if c = c.unwrapped(); len(c.words) > 0 && !isCmdlet(c.words[0]) {
			v.calls = append(v.calls, c)
		}
	}
	v.follow()
}

// isCmdlet reports whether a word is a command or a keyword of PowerShell itself, or no command at
// all.
func isCmdlet(word string) bool {
	if word == "" {
		return true
	}
	verb, noun, ok := strings.Cut(word, "-")
	return ok && verb != "" && noun != "" && !strings.ContainsAny(word, "./") ||
		slices.Contains(psWords, strings.ToLower(word)) || word == "?" || strings.ContainsAny(word[:1], `-:.@+!%0123456789'"`) &&
		!strings.Contains(word, "/")
}

// psWords lists keywords and aliases.
var psWords = strings.Fields(`
	begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach function
	if in param process return switch throw trap try until using while cd echo cat ls dir type cp mv rm del copy move
	sls select where sort measure group tee ft fl gc sc ac gci gi ni ri iex irm iwr curl wget cls sleep pwd pushd popd
	set gv sv % ? h kill ps write clear mkdir md rd rmdir ren sal gal [ ] true false null input cwd home`)

// powershellFile returns the script of a call of PowerShell.
func (c programCall) powershellFile() (l lang, script string, args []string, ok bool) {
	for i := 1; i < len(c.words); i++ {
		switch word := strings.ToLower(c.words[i]); {
		case !c.known[i]:
			return langPowerShell, "", nil, false
		case word == "-file" || word == "-f":
			if i+1 >= len(c.words) || !c.known[i+1] {
				return langPowerShell, "", nil, false
			}
			return langPowerShell, strings.ReplaceAll(c.words[i+1], `\`, "/"), c.words[i+2:], true
		case word == "-executionpolicy" || word == "-ep" || word == "-ex" || word == "-workingdirectory" || word == "-wd" ||
			word == "-outputformat" || word == "-inputformat" || word == "-windowstyle" || word == "-configurationname":
			i++
		case word == "-nologo" || word == "-noprofile" || word == "-nop" || word == "-noninteractive" || word == "-noni" ||
			word == "-login" || word == "-noexit" || word == "-sta" || word == "-mta":
		default:
			return langPowerShell, "", nil, false // -Command, or an abbreviation of it
		}
	}
	return langPowerShell, "", nil, false
}
