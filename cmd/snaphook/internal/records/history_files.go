package records

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/tail"
)

// part is one file of a record.
type part struct {
	io.ReadCloser
	name string
}

// openParts opens a record with the files that were rotated away from it, the oldest first. With follow it opens
// FILE alone.
func openParts(cmd *cobra.Command, path string, follow bool) ([]part, error) {
	newest, err := OpenHistory(cmd, path, follow)
	if err != nil {
		return nil, err
	}
	var parts []part
	if file, ok := cli.FileOf(newest); ok {
		for _, old := range tail.Rotated(path, file) {
			parts = append(parts, part{&cli.Interruptible{Ctx: cmd.Context(), In: old}, old.Name()})
		}
	}
	return append(parts, part{newest, path}), nil
}

func closeParts(parts []part) {
	for _, p := range parts {
		_ = p.Close() // it was only read
	}
}
