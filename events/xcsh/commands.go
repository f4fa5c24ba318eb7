package xcsh

import "context"

// Command is a slash command.
type Command struct {
	Name        string // without the slash
	Description string // shown in lists; may be empty

	// Run runs the command. args is the user's text after the name, unchanged.
	Run func(ctx context.Context, args string, cc *CommandContext) error

	module string
}

// Module is the path of the module that has registered the command.
func (c *Command) Module() string { return c.module }

// Renderer shows a custom message as lines of text for the terminal.
type Renderer func(m CustomMessage, expanded bool, theme Theme) string

// distinct keeps the last command of each name, at the position of the first.
func distinct(all []Command) []Command {
	at := map[string]int{}
	var kept []Command
	for _, c := range all {
		if i, there := at[c.Name]; there {
			kept[i] = c
			continue
		}
		at[c.Name] = len(kept)
		kept = append(kept, c)
	}
	return kept
}
