// Package command is the command line of snaphook: it fires hook events, runs
// the hooks that a project's settings select, and shows which would run and
// why others would not.
package command

import (
	"context"
	"fmt"
	"io"

	"charm.land/fang/v2"
)

// Main does what the arguments of the process say, and returns the exit status.
func Main() int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	f := &flags{}
	version, errs := fang.WithVersion(thisVersion().Version), fang.WithErrorHandler(showError)
	if err := fang.Execute(ctx, newRoot(f), version, errs); err != nil {
		return max(statusOf(err), f.status) // what a hook refused stays refused
	}
	return f.status
}

// The exit statuses besides 0.
const (
	failed  = 1 // snaphook could not do it, or check found something
	refused = 2 // a hook blocked, or wants the agent to stop
)

// showError says what went wrong, in the words of the error: no capital
// letters or full stops are added, since many begin with a file.
func showError(w io.Writer, styles fang.Styles, err error) {
	fmt.Fprintln(
		w,
		styles.ErrorHeader.UnsetMargins().UnsetPadding().UnsetTransform().SetString("snaphook:").String(),
		visible(err.Error()),
	)
}
