package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
	"github.com/snaphook-go/snaphook/fleet"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

// stateVar is the variable that holds the directory of a hook's state or, in a fleet, the name of the state.
const stateVar = "SNAPHOOK_STATE"

// newState returns the verb state.
func newState(g *cli.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state",
		Short: "Keep values between the hooks of a session",
		Long: "Reads and writes small texts that the hooks of one session share, in the directory that " + stateVar + " names; snaphook sets this variable for every hook. " +
			"The hooks of each source, such as the user or the project, have their own keys. " +
			"Hooks may write at the same time; no write is lost. All keys and values of a source may take 1 MiB together, in a fleet 512 KiB.\n\n" +
			"Exit status: 0 done; 1 the key has no value, or its value is not OLD; 2 snaphook failed.",
		Example: `# Count the calls of a session, in a hook
n=$(snaphook state incr calls)
# Do something once in a session
snaphook state get warned > /dev/null || {
  snaphook state set warned yes; echo "Mind the budget." >&2; }`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd = cli.TwoIfUnusable(cmd)
	type action = func(cmd *cobra.Command, d hook.State, args []string) error
	add := func(use, short, example string, least, most int, run action) {
		verb := &cobra.Command{
			Use: use, Short: short, Example: example, DisableFlagParsing: most > 1, // a value may be -1
			Args: func(cmd *cobra.Command, args []string) error {
				if !wantsHelp(cmd, args) && (len(args) < least || len(args) > most) {
					return fmt.Errorf("state %s: %s; write snaphook state %s", cmd.Name(), wordsGiven(args), use)
				}
				return nil
			},
			RunE: func(cmd *cobra.Command, args []string) error {
				if wantsHelp(cmd, args) {
					return cmd.Help()
				}
				return withState(g, cmd, args, run)
			},
		}
		cmd.AddCommand(cli.TwoIfUnusable(verb))
	}
	add("get KEY", "Print a value", "snaphook state get warned", 1, 1, func(cmd *cobra.Command, d hook.State, args []string) error {
		return stateGet(g, cmd, d, args)
	})
	add(
		"set KEY VALUE",
		"Give a key a value",
		"snaphook state set warned yes",
		2,
		2,
		func(cmd *cobra.Command, d hook.State, args []string) error {
			return d.Set(cmd.Context(), args[0], args[1])
		},
	)
	add(
		"incr KEY [N]",
		"Add N to a number, or 1 without N, and print the sum",
		"snaphook state incr calls",
		1,
		2,
		stateIncr,
	)
	add(
		"cas KEY OLD NEW",
		"Give a key the value NEW if it has the value OLD",
		"snaphook state cas phase plan build",
		3,
		3,
		func(cmd *cobra.Command, d hook.State, args []string) error {
			return stateCAS(cmd.Context(), g, d, args)
		},
	)
	add(
		"delete KEY",
		"Remove a key",
		"snaphook state delete warned",
		1,
		1,
		func(cmd *cobra.Command, d hook.State, args []string) error {
			return d.Delete(cmd.Context(), args[0])
		},
	)
	return cmd
}

// wantsHelp reports whether help is requested from a verb that reads flags as values: the flag is
// the only argument.
func wantsHelp(cmd *cobra.Command, args []string) bool {
	return cmd.DisableFlagParsing && len(args) == 1 && (args[0] == "--help" || args[0] == "-h")
}

// wordsGiven says, for an error, how many arguments the verb got.
func wordsGiven(args []string) string {
	switch len(args) {
	case 0:
		return "KEY is missing"
	case 1:
		return "1 word came"
	}
	return fmt.Sprintf("%d words came", len(args))
}

// withState runs a verb on the hook's state, which is in a directory or in a fleet. A failure has exit status 2,
// because status 1 is an answer.
func withState(
	g *cli.Global,
	cmd *cobra.Command,
	args []string,
	run func(*cobra.Command, hook.State, []string) error,
) error {
	dir := os.Getenv(stateVar)
	err := errors.New(stateVar + " is not set: snaphook sets it for hooks; outside of a hook, set it to a directory")
	switch {
	case fleet.IsStateName(dir):
		var values hook.State
		var done func()
		if values, done, err = fleet.StateNamed(cmd.Context(), dir, os.Getenv(records.CredsVariable)); err == nil {
			err = run(cmd, values, args)
			done()
		}
	case dir != "":
		err = run(cmd, state.Dir(dir), args)
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "snaphook: state %s: %v\n", cmd.Name(), err)
		g.Status = cli.Refused
	}
	return nil
}

// stateGet prints a value; the exit status is 1 if the key has none.
func stateGet(g *cli.Global, cmd *cobra.Command, d hook.State, args []string) error {
	value, ok, err := d.Get(cmd.Context(), args[0])
	switch {
	case err != nil:
		return err
	case !ok:
		g.Status = cli.Failed
		return nil
	}
	return cli.Say(cmd, value+"\n")
}

func stateIncr(cmd *cobra.Command, d hook.State, args []string) error {
	by := int64(1)
	if len(args) > 1 {
		n, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number; write a number such as 1 or -1", args[1])
		}
		by = n
	}
	sum, err := d.Incr(cmd.Context(), args[0], by)
	if err != nil {
		return err
	}
	return cli.Say(cmd, strconv.FormatInt(sum, 10)+"\n")
}

// stateCAS swaps a value; the exit status is 1 if the old value differs.
func stateCAS(ctx context.Context, g *cli.Global, d hook.State, args []string) error {
	swapped, err := d.CompareAndSwap(ctx, args[0], args[1], args[2])
	if err == nil && !swapped {
		g.Status = cli.Failed
	}
	return err
}
