package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// These are the exit statuses other than 0.
const (
	Failed  = 1 // snaphook failed, or a verb such as check found something
	Refused = 2 // a hook blocked or stops the agent, or the input of a verb is invalid (see badInput)
)

// badInput is an error that ends the program with status 2 because its input is invalid. It is for verbs whose status 1
// means that something was found.
type badInput struct{ error }

// Unwrap returns the error that badInput wraps.
func (u badInput) Unwrap() error { return u.error }

// StatusOf returns the exit status for an error.
func StatusOf(err error) int {
	if u := (badInput{}); errors.As(err, &u) {
		return Refused
	}
	return Failed
}

// TwoIfUnusable makes every error of a verb end the program with status 2, including errors of its
// flags and arguments.
func TwoIfUnusable(cmd *cobra.Command) *cobra.Command {
	args, run := cmd.Args, cmd.RunE
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return asUnusable(ExplainFlagError(cmd, err)) })
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		if args == nil {
			return nil
		}
		return asUnusable(args(cmd, given))
	}
	cmd.RunE = func(cmd *cobra.Command, given []string) error { return asUnusable(run(cmd, given)) }
	return cmd
}

func asUnusable(err error) error {
	if err == nil {
		return nil
	}
	return badInput{err}
}
