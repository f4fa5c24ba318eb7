package tracepage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/record"
)

// glance is how often a file is looked at that is followed.
const glance = 200 * time.Millisecond

// maxFiles bounds the files that were rotated away from one record.
const maxFiles = 1000

// maxTold bounds the lines of a record that are logged because they cannot be read.
const maxTold = 20

// follower reads a record, and goes on with what is written to it.
type follower struct {
	page *Page
	name string
	file *os.File // nil: it is not there yet
	told int
}

// open opens a record. One that is not there, in a directory that is, is waited for.
func (p *Page) open(name string) (*follower, error) {
	f := &follower{page: p, name: name}
	file, _, err := bounded.Open(name)
	switch {
	case err == nil:
		f.file = file
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", name, err)
	default:
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return f, nil
}

func (f *follower) close() {
	if f.file != nil {
		_ = f.file.Close() // it was only read
	}
}

// run reads the older parts of the record, the oldest first, then the record as it grows.
func (f *follower) run() {
	defer f.close()
	for _, old := range f.older() {
		f.lines(old)
		_ = old.Close() // it was only read
	}
	f.lines(f)
}

// older opens the files that were rotated away from the record, the oldest first.
func (f *follower) older() (files []*os.File) {
	for i := 1; i < maxFiles && f.file != nil; i++ {
		file, info, err := bounded.Open(f.name + "." + strconv.Itoa(i))
		if err != nil {
			break
		}
		if own, err := f.file.Stat(); err == nil && os.SameFile(own, info) { // it was rotated while we looked
			_ = file.Close()
			continue
		}
		files = append([]*os.File{file}, files...)
	}
	return files
}

func (f *follower) lines(r io.Reader) {
	for _, l := range record.Lines(ending{f.page.ctx, r}, f.bad) {
		f.page.Add(l)
	}
}

func (f *follower) bad(number int, why error) {
	if f.told++; f.told <= maxTold && f.page.ctx.Err() == nil {
		f.page.cfg.Log.Warn("a line of a record cannot be read",
			slog.String("file", f.name), slog.Int("line", number), slog.String("error", why.Error()))
	}
}

// ending is a reader that ends with its context.
type ending struct {
	ctx context.Context
	io.Reader
}

func (e ending) Read(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, io.EOF
	}
	return e.Reader.Read(b)
}

// Read returns the next bytes of the record; it waits for them until the page is closed.
func (f *follower) Read(b []byte) (int, error) {
	for {
		if f.file != nil {
			n, err := f.file.Read(b)
			if n > 0 || err != nil && !errors.Is(err, io.EOF) {
				return n, err
			}
		}
		timer := time.NewTimer(glance)
		select {
		case <-f.page.ctx.Done():
			timer.Stop()
			return 0, io.EOF
		case <-timer.C:
		}
		f.move()
	}
}

// move goes on with the file that has taken the place of a finished one, or from the beginning of one
// that was emptied.
func (f *follower) move() {
	there, err := os.Stat(f.name)
	if err != nil {
		return
	}
	if f.file != nil {
		ours, err := f.file.Stat()
		if err != nil {
			return
		}
		at, err := f.file.Seek(0, io.SeekCurrent)
		switch same := os.SameFile(ours, there); {
		case err != nil, same && there.Size() >= at:
			return
		case same:
			_, _ = f.file.Seek(0, io.SeekStart) // if not, nothing more is read
			return
		case ours.Size() > at: // first the rest of it
			return
		}
	}
	if next, _, err := bounded.Open(f.name); err == nil {
		f.close() // it has been read
		f.file = next
	}
}
