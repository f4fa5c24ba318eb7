package permission

import (
	"strings"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
	"github.com/snaphook-go/snaphook/wire"
)

// powershell is the spec of a rule for PowerShell commands.
type powershell struct {
	pattern wildcards
	argues  bool // the pattern has more than the name of a command
}

// newPowerShell compiles a pattern; nil stands for every command.
func newPowerShell(pattern string) spec {
	if name, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = name + " *"
	}
	pattern = blanks(strings.ToLower(pattern))
	if pattern == "*" {
		return nil
	}
	p := powershell{newWildcard(pattern).words(), strings.ContainsAny(strings.TrimRight(pattern, " *"), " \t\n")}
	if name, rest := firstWord(pattern); cmdlets[name] != "" {
		p.pattern = append(p.pattern, newWildcard(cmdlets[name]+rest).words()...)
	}
	return p
}

// blanks replaces each run of white space by one blank, and trims the text.
func blanks(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p powershell) match(c Call) bool {
	command, ok := wire.Text(c.Input.Get("command"))
	if !ok || len(command) > maxCommand {
		return true
	}
	command = strings.ToLower(command)
	parts, clear := powershellParts(command)
	if !clear || hidden(command) || p.pattern.match(blanks(command)) {
		return true
	}
	for _, part := range parts {
		if p.matchPart(part) {
			return true
		}
	}
	return false
}

// hidden reports whether a command may run another command that is not visible in its text. It checks the
// text as written, and without quotes, backticks and the operators that join quoted texts.
func hidden(command string) bool {
	return dubious.MatchString(command) || dubious.MatchString(plainly.Replace(joins.ReplaceAllString(command, "")))
}

// dubious matches PowerShell in which this package may overlook commands, because it has no parser for PowerShell:
// comments in brackets and with quotes in them, here-strings, quotes, dashes and blanks beyond ASCII, arguments that
// are not parsed, names in braces, dot-sourcing and calls of expressions; names with variables or code points in them,
// also of methods; and commands that run text or make another name for a command. An item whose path is not plain text
// may be such a name.
var dubious = lazyregexp.New("<#|#>|#[^\n]*['\"`]|@['\"]|--%|\\$\\{" +
	`|[\x00-\x08\x0b\x0c\x0e-\x1f\x{85}\x{a0}\x{1680}\x{2000}-\x{200f}\x{2010}-\x{201f}\x{2028}-\x{202f}\x{205f}\x{3000}\x{feff}]` +
	`|(?:^|[;|&\n\r(){}=])\s*\.[\s'"$(]|(?:^|[^&])&\s*[$(@\[]` +
	"|\\S`\r?\n|" + `(?:^|[;|&\n\r(){}=])\s*[*\d]?>` +
	"|`u\\{|&\\s*\"[^\"]*[$`]" +
	`|\b(?:iex|invoke-expression|invoke-command|icm|set-alias|new-alias|sal|nal|import-alias|ipal|add-type)\b` +
	`|\b(?:new-psdrive|ndr|mount|add-history|invoke-history|ihy)\b` +
	`|\.\s*['"]?invoke\b|::\s*['"]?create\b|\b(?:alias|function):` +
	`|\b(?:executioncontext|scriptblock|invokescript|invokereturnasis|invokewithcontext|newscriptblock|expandstring)\b` +
	`|(?:[^.]\.|::)(?:\(|\$[\w:]+\s*\(|"[^"]*\$)|\|\s*(?:%|foreach|foreach-object)\s*(?:-\w+\s+)*[$("]` +
	`|\b(?:set-item|si)\b[^;|\n]*[$(]|\b(?:new-item|ni)\b[^;|\n]*[$(][^;|\n]*\s-v|\b(?:new-item|ni)\b[^;|\n]*\s-v[^;|\n]*[$(]` +
	`|\|\s*(?:new-item|ni)\b[^;|\n]*[$(]|\b(?:set-content|sc|add-content|ac)\s+(?:-\w+\s+)*\(`)

// matchPart compares one command with the pattern in several forms: as written, without quotes and backticks,
// without redirections, and with the cmdlet in place of an alias or of a name with a module.
func (p powershell) matchPart(cut powershellPart) bool {
	part := leading.ReplaceAllString(strings.TrimSpace(cut.text), "")
	if sourced.MatchString(part) {
		return true
	}
	plain := plainly.Replace(part)
	for _, text := range [...]string{part, plain, redirections.ReplaceAllString(plain, " ")} {
		text = blanks(text)
		if p.pattern.match(text) {
			return true
		}
		name, rest := firstWord(text)
		name = programs.ReplaceAllString(name[strings.LastIndexByte(name, '\\')+1:], "")
		if full := cmdlets[name]; full != "" {
			name = full
		}
		if bare.MatchString(name) && p.pattern.match("get-"+name+rest) { // PowerShell tries Get-NAME for a name that it does not find
			return true
		}
		if p.pattern.match(name+rest) || p.argues && p.couldMatch(name+rest) {
			return true
		}
		if cut.goesOn && p.argues && name != "" && p.pattern.overlap(wildcard{name + rest + " ", ""}) {
			return true
		}
	}
	return false
}

// couldMatch reports whether a variable, an expression or a file pattern could turn the text into a command that the
// pattern matches. A text that begins with a variable, an expression or a file pattern is not a command.
func (p powershell) couldMatch(text string) bool {
	i := strings.IndexAny(text, "$@*?[~")
	return i > 0 && p.pattern.overlap(wildcard{text[:i], ""})
}

var (
	joins        = lazyregexp.New(`['"]\s*\+\s*['"]`)
	sourced      = lazyregexp.New(`^\.[\s'"$]`)
	leading      = lazyregexp.New(`^(?:(?:return|throw|exit|trap)\s+|\$[\w:]+\s+in\s+|:\w+\s+|[-+!,]\s*)+`)
	plainly      = strings.NewReplacer("`\r\n", " ", "`\n", " ", "`", "", `"`, "", `'`, "")
	bare         = lazyregexp.New(`^\w+$`)
	programs     = lazyregexp.New(`\.(?:exe|cmd|bat|com)$`)
	redirections = lazyregexp.New(`[*\d]?>>?(?:&\d)?|<`)
)

func firstWord(text string) (name, rest string) {
	if i := strings.IndexByte(text, ' '); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// cmdlets maps the aliases of PowerShell that guards probably use to their cmdlets.
var cmdlets = map[string]string{
	"rm": "remove-item", "del": "remove-item", "erase": "remove-item", "rd": "remove-item", "ri": "remove-item", "rmdir": "remove-item",
	"cp": "copy-item", "copy": "copy-item", "cpi": "copy-item", "mv": "move-item", "move": "move-item", "mi": "move-item", "ren": "rename-item", "rni": "rename-item",
	"ni": "new-item", "si": "set-item", "clc": "clear-content", "cli": "clear-item", "sc": "set-content", "ac": "add-content", "sp": "set-itemproperty", "rp": "remove-itemproperty",
	"cat": "get-content", "gc": "get-content", "type": "get-content", "ls": "get-childitem", "dir": "get-childitem", "gci": "get-childitem", "gi": "get-item",
	"iwr": "invoke-webrequest", "wget": "invoke-webrequest", "curl": "invoke-webrequest", "irm": "invoke-restmethod", "ii": "invoke-item",
	"saps": "start-process", "start": "start-process", "kill": "stop-process", "spps": "stop-process", "sasv": "start-service", "spsv": "stop-service",
	"cd": "set-location", "chdir": "set-location", "sl": "set-location", "echo": "write-output", "write": "write-output", "tee": "tee-object", "sajb": "start-job",
}

// powershellPart is a command, or a part of a command between brackets or after an equals sign.
type powershellPart struct {
	text   string
	goesOn bool
}

// powershellParts cuts a command at the characters that separate or enclose commands, or assign their output.
// clear reports whether all quotes are closed and no string contains a command.
func powershellParts(command string) (parts []powershellPart, clear bool) {
	var quote byte
	start := 0
	cut := func(i int) {
		parts = append(parts, powershellPart{command[start:i], strings.IndexByte("({=", command[i]) >= 0})
		start = i + 1
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '`' && quote != '\'':
			i++ // the escaped character
		case c == quote:
			quote = 0
		case quote == '"' && strings.HasPrefix(command[i:], "$("):
			return nil, false
		case quote != 0:
		case c == '"', c == '\'':
			quote = c
		case c == '&' && i > 0 && command[i-1] == '>': // 2>&1
		case strings.IndexByte(";|&\n\r(){}=", c) >= 0:
			cut(i)
		}
	}
	return append(parts, powershellPart{text: command[start:]}), quote == 0
}
