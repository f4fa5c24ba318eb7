package xcsh

import (
	"context"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"

	"github.com/snaphook-go/snaphook/hook"
)

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

// Commands lists the commands of all modules in order. In the hook runtime a name can occur more than once (X5). In the
// extension runtime the last command of a name is listed at the position of the first, and commands with a reserved
// name are left out.
func (m *Modules) Commands(reserved ...string) []Command {
	var all []Command
	for _, mod := range m.list() {
		mod.mu.Lock()
		all = append(all, mod.commands...)
		mod.mu.Unlock()
	}
	if !m.cfg.Extensions {
		return all
	}
	return distinct(slices.DeleteFunc(all, func(c Command) bool { return slices.Contains(reserved, c.Name) }))
}

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

// Command finds a command by name. If several modules have a command of that name, Command returns the first module's
// in the hook runtime, and the last module's in the extension runtime.
func (m *Modules) Command(name string) (c Command, ok bool) {
	all := m.Commands()
	if i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name }); i >= 0 {
		return all[i], true
	}
	return Command{}, false
}

// Slash runs the command that the user's text "/name args" names. handled reports whether there is such a command. args
// is everything after the first space. A command that fails or panics is reported to the listeners, and still handled.
func (m *Modules) Slash(ctx context.Context, input string) (handled bool) {
	input, is := strings.CutPrefix(input, "/")
	name, args, _ := strings.Cut(input, " ")
	c, found := m.Command(name)
	if !is || !found {
		return false
	}
	if err := m.RunCommand(ctx, &c, args); err != nil {
		m.Report(HookError{Path: "command:" + name, Event: "command", Message: err.Error(), Stack: m.stack(err)})
	}
	return true
}

// RunCommand runs a command with a new context. It returns a panic as an error.
func (m *Modules) RunCommand(ctx context.Context, c *Command, args string) (err error) {
	if c.Run == nil {
		return nil
	}
	caught := panics.Try(func() { err = c.Run(ctx, args, m.CommandContext()) })
	if caught != nil {
		return &hook.PanicError{Value: caught.Value, Stack: caught.Stack}
	}
	return err
}

// Renderer finds the renderer for messages of a type, from the first module that has one.
func (m *Modules) Renderer(customType string) (r Renderer, ok bool) {
	for _, mod := range m.list() {
		mod.mu.Lock()
		r, ok = mod.renderers[customType]
		mod.mu.Unlock()
		if ok {
			return r, true
		}
	}
	return nil, false
}
