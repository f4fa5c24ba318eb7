package records

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/tail"
)

// recordFile is one file of a record.
type recordFile struct {
	io.ReadCloser
	name string
}

// openParts opens a record with the files that were rotated away from it, the oldest first. With follow it opens
// only the file at path.
func openParts(cmd *cobra.Command, path string, follow bool) ([]recordFile, error) {
	newest, err := OpenHistory(cmd, path, follow)
	if err != nil {
		return nil, err
	}
	var parts []recordFile
	if file, ok := cli.FileOf(newest); ok {
		for _, old := range tail.Rotated(path, file) {
			parts = append(parts, recordFile{&cli.Interruptible{Ctx: cmd.Context(), In: old}, old.Name()})
		}
	}
	return append(parts, recordFile{newest, path}), nil
}

func closeParts(parts []recordFile) {
	for _, p := range parts {
		_ = p.Close() // the file was only read: no data can be lost
	}
}
