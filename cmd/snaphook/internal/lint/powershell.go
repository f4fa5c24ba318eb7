package lint

import (
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// readPowerShell finds the programs and scripts that a command for PowerShell starts.
func readPowerShell(v *hookView, plugin string) {
	s := &hookScript{
		file: v.at("command").File, at: v.at("command"), text: []byte(v.h.Command), lang: langPowerShell, inline: true,
	}
	v.scripts = append(v.scripts, s)
	known := map[string]string{}
	for name, value := range newScope(v.Dir, "", plugin).vars {
		known[strings.ToLower(name)] = value
	}
	commands := psCommands(v.h.Command)
	for i, p := range commands {
		if p.depth > 0 {
			continue
		}
		c := programCall{dir: v.Dir, plugin: plugin, at: s.at}
		for _, token := range p.words {
			word, ok := psWord(token, known)
			c.words, c.known = append(c.words, word), append(c.known, ok)
		}
		c.certain = i == len(commands)-1 && (i == 0 || p.piped && i == 1)
		if strings.HasSuffix(strings.ToLower(c.words[0]), ".ps1") { // a .ps1 file needs no permission to execute
			c.words = append([]string{"powershell", "-File"}, c.words...)
			c.known = append([]bool{true, true}, c.known...)
		}
		if c = c.unwrapped(); len(c.words) > 0 && !isCmdlet(c.words[0]) {
			v.calls = append(v.calls, c)
		}
	}
	readScripts(v)
}

// psCommand is one command of a text for PowerShell.
type psCommand struct {
	words []string // strings keep their quotes
	piped bool     // the command reads the output of the previous command
	depth int      // nesting depth of the braces and parentheses around the command
}

// psToken matches an escaped character, a comment, a string, a separator of commands, an option or another word.
var psToken = lazyregexp.New("(?s)`.|#[^\n]*|'(?:[^']|'')*'|\"(?:[^\"`]|`.|\"\")*\"|\\|\\|?|[\n;(){}=,&]|" +
	"-[^\\s|;(){},&'\"`#]*|(?:\\$\\{[^}]*\\}|[^\\s|;(){}=,&'\"`#])+")

// psCommands splits a text for PowerShell into commands. Parts of expressions may be among them: they have no names of
// programs.
func psCommands(text string) (all []psCommand) {
	var now psCommand
	end := func() {
		if len(now.words) > 0 { // after a pipe, the next command may begin on a later line
			all, now = append(all, now), psCommand{depth: now.depth}
		}
	}
	for _, token := range psToken.FindAllString(text, maxTokens) {
		switch token[0] {
		case '`', '#':
		case '|':
			end()
			now.piped = token == "|" && len(all) > 0
		case '{', '(':
			end()
			now.depth++
		case '}', ')':
			end()
			now.depth = max(0, now.depth-1)
		case '\n', ';', '=', ',', '&':
			end()
		default:
			now.words = append(now.words, token)
		}
	}
	end()
	return all
}

// psVariable matches a variable, or a $ without a name.
var psVariable = lazyregexp.New(`(?i)\$(?:\{(?:env:)?([^}]*)\}|(?:env:)?(\w*))`)

// psWord returns the text of a word, with known variables replaced and with slashes for backslashes. It returns "?" and
// false if a variable is unknown.
func psWord(token string, known map[string]string) (text string, ok bool) {
	if token[0] == '\'' {
		return strings.ReplaceAll(token[1:len(token)-1], "''", "'"), true
	}
	ok = len(token) <= maxSaid
	text = psVariable.ReplaceAllStringFunc(strings.Trim(token, `"`), func(variable string) string {
		name := psVariable.FindStringSubmatch(variable)
		value, is := known[strings.ToLower(name[1]+name[2])]
		ok = ok && is
		return value
	})
	if !ok {
		return "?", false
	}
	return strings.ReplaceAll(text, `\`, "/"), true
}

// isCmdlet reports whether a word is a command or a keyword of PowerShell itself, or no command at
// all.
func isCmdlet(word string) bool {
	if word == "" {
		return true
	}
	verb, noun, ok := strings.Cut(word, "-")
	return ok && verb != "" && noun != "" && !strings.ContainsAny(word, "./") ||
		slices.Contains(psWords, strings.ToLower(word)) || word == "?" || strings.ContainsAny(word[:1], `-:.@+!%[0123456789'"`) &&
		!strings.Contains(word, "/")
}

// psWords lists keywords and aliases.
var psWords = strings.Fields(`
	begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach function
	if in param process return switch throw trap try until using while cd echo cat ls dir type cp mv rm del copy move
	sls select where sort measure group tee ft fl gc sc ac gci gi ni ri iex irm iwr curl wget cls sleep pwd pushd popd
	set gv sv % ? h kill ps write clear mkdir md rd rmdir ren sal gal true false null input cwd home`)

// powershellFile returns the script of a call of PowerShell.
func powershellFile(c programCall) (l lang, script string, args []string, ok bool) {
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
