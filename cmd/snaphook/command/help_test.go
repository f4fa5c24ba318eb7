package command

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
)

// Help fits into 80 columns: a longer example is hard to read. Every verb has an example.
func TestHelpFitsATerminalOf80Columns(t *testing.T) {
	const columns = 80
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		for line := range strings.Lines(ansi.Strip(cli.HelpText(cmd, columns))) {
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
	look(newRoot(&cli.Global{}))
}

// In a narrow terminal the comments of examples are broken too.
func TestHelpOfExplainFitsATerminalOf60Columns(t *testing.T) {
	const columns = 60
	text := ansi.Strip(cli.HelpText(fire.NewExplain(&cli.Global{}), columns))
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("explain --help has a line of %d columns, want %d at most: %s", n, columns, line)
		}
	}
	if want := "\n  # The last fire of a session, and one by the id that log\n  # --json shows\n"; !strings.Contains(text, want) {
		t.Errorf("explain --help lacks the lines %q:\n%s", want, text)
	}
}

// Programs rely on docs/cli.md: each verb stands in one of its headings.
func TestEveryVerbStandsInAHeadingOfItsPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := strings.Join(regexp.MustCompile(`(?m)^## .*`).FindAllString(string(page), -1), "\n")
	for _, cmd := range newRoot(&cli.Global{}).Commands() {
		if !regexp.MustCompile("`" + cmd.Name() + `\b`).MatchString(headings) {
			t.Errorf("docs/cli.md has no heading with the verb %s", cmd.Name())
		}
	}
}

func TestHelpNamesTheValueOfEachFlag(t *testing.T) {
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		text := ansi.Strip(cli.HelpText(cmd, 80))
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Value.Type() == "bool" {
				return
			}
			line := regexp.MustCompile(`(?m)^  (?:-\w, )?--` + f.Name + ` ([A-Z][A-Z.=@]*|\[\S+)(?:\s|$)`)
			if !line.MatchString(text) || strings.Contains(f.Usage, "`") {
				t.Errorf("%s --help shows no name for the value of --%s; its usage is %q", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRoot(&cli.Global{}))
}

func TestHelpIsBrokenAtBlanksAlone(t *testing.T) {
	text := "one two-three four\n\n  a list  stays as it is\nfive"
	if got, want := cli.InColumns(text, 9), "one\ntwo-three\nfour\n\n  a list  stays as it is\nfive"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	words := strings.Fields(project.ModuleHelp)
	if got := strings.Fields(cli.InColumns(project.ModuleHelp, 20)); !slices.Equal(got, words) {
		t.Errorf("got the words %q, want %q", got, words)
	}
}
