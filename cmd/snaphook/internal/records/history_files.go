package records

import (
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
)

// part is one file of a record.
type part struct {
	io.ReadCloser
	name string
}

// maxFiles limits the files of one record that are read: no rotation keeps more.
const maxFiles = 1000

// openParts opens a record with the files that were rotated away from it, FILE.1 and so on, the
// oldest first. With follow it opens FILE alone.
func openParts(cmd *cobra.Command, path string, follow bool) ([]part, error) {
	newest, err := OpenHistory(cmd, path, follow)
	if err != nil {
		return nil, err
	}
	parts := []part{{newest, path}}
	file, ok := cli.FileOf(newest)
	if !ok {
		return parts, nil
	}
	for before := file; len(parts) < maxFiles; {
		name := path + "." + strconv.Itoa(len(parts))
		f, _, err := bounded.Open(name)
		if err != nil {
			break
		}
		if sameFile(before, f) { // the file was rotated meanwhile
			_ = f.Close()
			closeParts(parts)
			return openParts(cmd, path, follow)
		}
		parts, before = append(parts, part{&cli.Interruptible{Ctx: cmd.Context(), In: f}, name}), f
	}
	slices.Reverse(parts)
	return parts, nil
}

func sameFile(a, b *os.File) bool {
	one, err := a.Stat()
	two, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(one, two)
}

func closeParts(parts []part) {
	for _, p := range parts {
		_ = p.Close() // it was only read
	}
}
