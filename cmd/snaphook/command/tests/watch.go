package tests

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
)

// settled is the time for which a project has to be unchanged before it is tested again: editors
// write a file in several steps.
const settled = 200 * time.Millisecond

// watch runs the fixtures, and again after each change of the project, until it is interrupted.
// The exit status is the last run's.
func (t *tester) watch(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	own := "" // files that a run writes itself
	if t.flags.junit != "" {
		var err error
		if own, err = filepath.Abs(t.flags.junit); err != nil {
			return err
		}
	}
	var err error
	tell := colorprofile.NewWriter(cmd.ErrOrStderr(), os.Environ())
	for {
		changes, failed := fixture.Watch(ctx, t.project, own)
		if failed != nil {
			return failed
		}
		if err = t.once(cmd, args); err != nil && ctx.Err() == nil {
			fmt.Fprintln(tell, cli.Odd.Render("snaphook:"), cli.Visible(err.Error()))
		}
		if ctx.Err() == nil {
			fmt.Fprintln(tell, cli.Faint.Render("waiting for a change; an interrupt ends the program"))
		}
		if changes.Wait(ctx, settled) != nil {
			if errors.Is(err, cli.ErrInterrupted) {
				err = nil
			}
			return err
		}
	}
}
