package claude

import "strings"

// kinds is a set of hook types.
type kinds uint8

const (
	commands kinds = 1 << iota
	requests
	tools
	prompts
	agents
	added // a type of [Settings.Types]

	outside = commands | requests | tools | added
	all     = outside | prompts | agents
)

var kindNames = [...]string{"command", "http", "mcp_tool", "prompt", "agent"}

// kindOf returns the set of one type; empty if there is no such type.
func kindOf(name string) kinds {
	for i, known := range kindNames {
		if name == known {
			return 1 << i
		}
	}
	return 0
}

func (k kinds) names() (names []string) {
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (k kinds) String() string { return strings.Join(k.names(), ", ") }
