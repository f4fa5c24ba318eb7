package tracepage

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/snaphook-go/snaphook/internal/tail"
	"github.com/snaphook-go/snaphook/record"
)

// maxTold limits the unreadable lines of a record that are logged.
const maxTold = 20

// recordFollower reads a record to its end, and then as it grows.
type recordFollower struct {
	page *Page
	name string
	file *os.File // nil: the file does not exist yet
	told int
}

func (f *recordFollower) close() {
	if f.file != nil {
		_ = f.file.Close() // an error does not matter after reading
	}
}

// run reads the rotated parts of the record, the oldest first, and then the record as it grows.
func (f *recordFollower) run() {
	for _, old := range tail.Rotated(f.name, f.file) {
		f.lines(contextReader{f.page.ctx, old})
		_ = old.Close() // an error does not matter after reading
	}
	r := tail.New(f.page.ctx, f.name, f.file)
	f.lines(r)
	_ = r.Close() // an error does not matter after reading
}

func (f *recordFollower) lines(r io.Reader) {
	for _, l := range record.Lines(r, f.bad) {
		f.page.Add(l)
	}
}

func (f *recordFollower) bad(number int, why error) {
	if f.told++; f.told <= maxTold && f.page.ctx.Err() == nil {
		f.page.cfg.Log.Warn("a line of a record cannot be read",
			slog.String("file", f.name), slog.Int("line", number), slog.String("error", why.Error()))
	}
}

// contextReader is a reader that returns EOF when its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (e contextReader) Read(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, io.EOF
	}
	return e.Reader.Read(b)
}
