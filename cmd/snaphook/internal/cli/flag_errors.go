package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/snaphook-go/snaphook/settings"
)

// ExplainFlagError returns an error that names the mistake in a flag, and the nearest names.
func ExplainFlagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) && errors.Is(err, strconv.ErrSyntax) {
		return fmt.Errorf("--%s %s: write a number; see %s --help",
			invalid.GetFlag().Name, invalid.GetValue(), cmd.CommandPath())
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf(
		"%w%s; see %s --help",
		err,
		DidYouMean("--", unknown.GetSpecifiedName(), names),
		cmd.CommandPath(),
	)
}

// DidYouMean returns a question with the names that are similar to a misspelt one, each after the prefix; empty if no
// name is similar.
func DidYouMean(prefix, wrote string, names []string) string {
	near := lo.Map(settings.Near(wrote, names), func(name string, _ int) string { return prefix + name })
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

// NoArguments returns an error for arguments, for verbs that have flags alone.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf(
			"%s takes no arguments, not %q; the directory is given with --dir",
			cmd.CommandPath(),
			args[0],
		)
	}
	return nil
}
