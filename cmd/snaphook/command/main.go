// Package command is the command line of snaphook: it fires hook events, runs
// the hooks that a project's settings select, and shows which would run and
// why others would not.
package command

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"strings"

	"charm.land/fang/v2"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// Main does what the arguments of the process say, and returns the exit status.
func Main() int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	f := &flags{}
	log.SetFlags(0) // the lines get their time from the log of the verb
	log.SetOutput(libraryLog{f, os.Stderr})
	version, errs := fang.WithVersion(thisVersion().Version), fang.WithErrorHandler(showError)
	if err := fang.Execute(ctx, newRoot(f), version, errs); err != nil {
		return max(cli.StatusOf(err), f.Status) // what a hook refused stays refused
	}
	return f.Status
}

// showError says what went wrong, in the words of the error: no capital
// letters or full stops are added, since many begin with a file.
func showError(w io.Writer, styles fang.Styles, err error) {
	fmt.Fprintln(
		w,
		styles.ErrorHeader.UnsetMargins().UnsetPadding().UnsetTransform().SetString("snaphook:").String(),
		cli.Visible(err.Error()),
	)
}

// libraryLog is the writer of package log. Libraries such as net/http write there, with bytes that a
// server chose: they are in the log of --verbose, quoted, and nowhere else.
type libraryLog struct {
	flags *flags
	to    io.Writer
}

// Write logs a line.
func (l libraryLog) Write(line []byte) (int, error) {
	l.flags.logTo(l.to).Info("a library logged", slog.String("text", strings.TrimRight(string(line), "\n")))
	return len(line), nil
}
