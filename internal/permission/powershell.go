package permission

import (
	"strings"

	"github.com/snaphook-go/snaphook/wire"
)

// powershell is the spec of a rule for PowerShell commands.
type powershell struct{ pattern wildcards }

// newPowerShell compiles a pattern; nil stands for every command.
func newPowerShell(pattern string) spec {
	if name, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern = name + " *"
	}
	pattern = blanks(strings.ToLower(pattern))
	if pattern == "*" {
		return nil
	}
	return powershell{newWildcard(pattern).words()}
}

// blanks gives text with one blank for each run of white space, none around.
func blanks(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p powershell) match(c Call) bool {
	command, ok := wire.Text(c.Input.Get("command"))
	if !ok {
		return true
	}
	command = strings.ToLower(command)
	parts, closed := powershellParts(command)
	if !closed || p.pattern.match(blanks(command)) {
		return true
	}
	for _, part := range parts {
		if p.pattern.match(blanks(part)) {
			return true
		}
	}
	return false
}

// powershellParts cuts a command at what separates or encloses commands, and
// at $( in double quotes. It reports whether all quotes are closed.
func powershellParts(command string) (parts []string, closed bool) {
	var quote byte
	start := 0
	cut := func(i int) {
		parts = append(parts, command[start:i])
		start = i + 1
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '`' && quote != '\'':
			i++ // it escapes what follows
		case c == quote:
			quote = 0
		case quote == '"' && strings.HasPrefix(command[i:], "$("):
			i++
			cut(i)
		case quote != 0:
		case c == '"', c == '\'':
			quote = c
		case strings.IndexByte(";|&\n(){}", c) >= 0:
			cut(i)
		}
	}
	return append(parts, command[start:]), quote == 0
}
