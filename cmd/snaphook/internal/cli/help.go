package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// PrepareHelp makes a command and its verbs print the help that [HelpText] returns. The usage of a flag has the name of
// its value between backquotes: PrepareHelp moves this name to an annotation, because completions show the usage too.
func PrepareHelp(cmd *cobra.Command) {
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_ = Say(cmd, HelpText(cmd, terminalWidth(cmd)))
	})
	name := func(f *pflag.Flag) {
		if _, named := f.Annotations[valueName]; named || f.Value.Type() == "bool" {
			return
		}
		var value string
		value, f.Usage = pflag.UnquoteUsage(f)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[valueName] = []string{value}
	}
	cmd.Flags().VisitAll(name)
	cmd.PersistentFlags().VisitAll(name)
	for _, verb := range cmd.Commands() {
		PrepareHelp(verb)
	}
}

const valueName = "value name"

// The widths of help, in columns.
const (
	leastWidth = 40
	plainWidth = 80  // outside of a terminal
	mostWidth  = 100 // longer lines are hard to read
	textColumn = 26
)

// terminalWidth returns the columns of the terminal that the command writes to.
func terminalWidth(cmd *cobra.Command) int {
	out, ok := cmd.OutOrStdout().(*os.File)
	if !ok {
		return plainWidth
	}
	columns, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return plainWidth
	}
	return min(max(columns, leastWidth), mostWidth)
}

// HelpText returns the help of a command in lines of at most width columns: its text, usage,
// examples, verbs, and flags with the names of their values. Commands in examples are not broken.
func HelpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	b.WriteString(InColumns(text, width) + "\n")
	section := func(title string) { b.WriteString("\n" + Strong.Render(title) + "\n") }

	section("USAGE")
	b.WriteString("  " + cmd.UseLine() + "\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND --help\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		section("EXAMPLES")
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSuffix(line, "\n")
			comment, ok := strings.CutPrefix(line, "# ")
			if !ok {
				b.WriteString("  " + line + "\n")
				continue
			}
			for part := range strings.SplitSeq(InColumns(comment, width-len("  # ")), "\n") {
				b.WriteString("  " + Faint.Render("# "+part) + "\n")
			}
		}
	}
	if cmd.HasAvailableSubCommands() {
		section("COMMANDS")
		for _, verb := range cmd.Commands() {
			if verb.IsAvailableCommand() || verb.Name() == "help" {
				b.WriteString(entry(verb.Name(), verb.Short, width))
			}
		}
	}
	section("FLAGS")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			b.WriteString(entry(flagName(f), flagText(f), width))
		}
	})
	return b.String()
}

// flagName returns a flag with its short form and the name of its value.
func flagName(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if values := f.Annotations[valueName]; len(values) > 0 {
		name += " " + values[0]
	}
	return name
}

// flagText returns the usage of a flag, with its default.
func flagText(f *pflag.Flag) string {
	if slices.Contains([]string{"", "false", "0", "[]"}, f.DefValue) {
		return f.Usage
	}
	return f.Usage + " (default " + f.DefValue + ")"
}

var named = lipgloss.NewStyle().Foreground(lipgloss.Cyan)

// entry returns the lines of a name and its text, side by side where the name is short.
func entry(name, text string, width int) string {
	lines := strings.Split(InColumns(text, width-textColumn), "\n")
	indent := strings.Repeat(" ", textColumn)
	head := "  " + named.Render(name)
	if gap := textColumn - 2 - utf8.RuneCountInString(name); gap >= 2 {
		head += strings.Repeat(" ", gap) + lines[0]
		lines = lines[1:]
	}
	return strings.Join(append([]string{head}, indented(lines, indent)...), "\n") + "\n"
}

func indented(lines []string, by string) (all []string) {
	for _, line := range lines {
		all = append(all, by+line)
	}
	return all
}

// InColumns breaks lines at blanks, and not at the hyphens of flags. It keeps a line that begins with
// a blank, which is part of a list.
func InColumns(text string, most int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, " ") {
			continue
		}
		var b strings.Builder
		free := 0
		for _, word := range strings.Fields(line) {
			switch n := utf8.RuneCountInString(word); {
			case b.Len() == 0:
				free = most - n
			case n < free:
				b.WriteByte(' ')
				free -= n + 1
			default:
				b.WriteByte('\n')
				free = most - n
			}
			b.WriteString(word)
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}
