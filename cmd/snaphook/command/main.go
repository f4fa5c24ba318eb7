// Package command is the command line of snaphook: it fires hook events, runs
// the hooks that a project's settings select, and shows which hooks would run
// and why other hooks would not.
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
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
)

// Main runs the command line of the process, and returns the exit status.
func Main() int {
	systems.TakeKey()
	ctx, stop := untilSignal(context.Background())
	defer stop()
	global := &cli.Global{}
	log.SetFlags(0) // libraryLog writes to the engine's log, which adds the time
	log.SetOutput(libraryLog{global, os.Stderr})
	version, errs := fang.WithVersion(thisVersion().Version), fang.WithErrorHandler(showError)
	if err := fang.Execute(ctx, newRoot(global), version, errs); err != nil {
		return max(cli.StatusOf(err), global.Status) // a hook's refusal keeps its exit status
	}
	return global.Status
}

// showError prints an error without changing its capitals or adding a full stop, because many
// errors begin with a file's name.
func showError(w io.Writer, styles fang.Styles, err error) {
	fmt.Fprintln(
		w,
		styles.ErrorHeader.UnsetMargins().UnsetPadding().UnsetTransform().SetString("snaphook:").String(),
		cli.Visible(err.Error()),
	)
}

// libraryLog is the writer of package log. Libraries such as net/http log messages with bytes that a server chose:
// libraryLog quotes the messages, and prints them only in the log of --verbose.
type libraryLog struct {
	global *cli.Global
	to     io.Writer
}

// Write logs a line.
func (l libraryLog) Write(line []byte) (int, error) {
	project.EngineLog(l.global, l.to).Info("a library logged", slog.String("text", strings.TrimRight(string(line), "\n")))
	return len(line), nil
}
