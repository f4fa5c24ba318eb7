package command

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// An example is cut at the edge of the terminal, and what is cut cannot be copied. Words
// with hyphens, as flags are, would be broken at them.
func TestHelpFitsATerminalOf80Columns(t *testing.T) {
	const columns = 72 // what the frame leaves
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%s --help has a line of %d columns, want %d at most: %s", cmd.CommandPath(), n, columns, line)
			}
		}
		if cmd.HasSubCommands() {
			for _, sub := range cmd.Commands() {
				look(sub)
			}
		} else if cmd.Example == "" {
			t.Errorf("%s --help has no example", cmd.CommandPath())
		}
	}
	look(newRoot(&flags{}))
}

func TestHelpIsBrokenAtBlanksAlone(t *testing.T) {
	text := "one two-three four\n\n  a list  stays as it is\nfive"
	if got, want := cli.InColumns(text, 9), "one\ntwo-three\nfour\n\n  a list  stays as it is\nfive"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	words := strings.Fields(moduleHelp)
	if got := strings.Fields(cli.InColumns(moduleHelp, 20)); !slices.Equal(got, words) {
		t.Errorf("got the words %q, want %q", got, words)
	}
}
