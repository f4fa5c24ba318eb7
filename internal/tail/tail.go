// Package tail reads a file as it grows, and the files that take its place at a rotation.
package tail

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// glance is the interval between checks of a file without new bytes.
const glance = 100 * time.Millisecond

// maxFiles limits the rotated files that are opened: no rotation keeps more.
const maxFiles = 1000

// Reader reads a file from its beginning, then waits for additions, until its context ends. If another file takes the
// name, Reader reads the old file to its end and continues with the new file. If the file is emptied, Reader starts
// again at its beginning. It is for one goroutine.
type Reader struct {
	ctx  context.Context
	name string
	file *os.File // nil: the file does not exist yet
}

// New makes a Reader of the file with the given name. The Reader closes file. If file is nil, the Reader opens the file
// once it exists.
func New(ctx context.Context, name string, file *os.File) *Reader { return &Reader{ctx, name, file} }

// Read returns the next bytes; it waits for them. When the context has ended it returns [io.EOF].
func (r *Reader) Read(b []byte) (int, error) {
	for {
		if r.ctx.Err() != nil {
			return 0, io.EOF
		}
		if r.file != nil {
			n, err := r.file.Read(b)
			if n > 0 || err != nil && !errors.Is(err, io.EOF) {
				return n, err
			}
		}
		timer := time.NewTimer(glance)
		select {
		case <-r.ctx.Done():
			timer.Stop()
			return 0, io.EOF
		case <-timer.C:
		}
		r.move()
	}
}

// move continues with the file that the name now has.
func (r *Reader) move() {
	there, err := os.Stat(r.name)
	if err != nil {
		return
	}
	if r.file != nil {
		ours, err := r.file.Stat()
		if err != nil {
			return
		}
		at, err := r.file.Seek(0, io.SeekCurrent)
		switch same := os.SameFile(ours, there); {
		case err != nil, same && there.Size() >= at:
			return
		case same:
			_, _ = r.file.Seek(0, io.SeekStart) // if this fails, nothing more is read
			return
		case ours.Size() > at: // the old file has unread bytes
			return
		}
	}
	if next, _, err := bounded.Open(r.name); err == nil {
		_ = r.Close() // it has been read
		r.file = next
	}
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Rotated opens the rotated files of an open file, NAME.1 and so on, and returns the oldest first. Even after a
// rotation in the meantime, Rotated neither misses a file nor returns one twice.
func Rotated(name string, newest *os.File) (files []*os.File) {
	before := newest
	for i := 1; i < maxFiles && newest != nil; i++ {
		file, _, err := bounded.Open(name + "." + strconv.Itoa(i))
		if err != nil {
			break
		}
		if isSame(before, file) { // a rotation has renamed the previous file since it was opened
			_ = file.Close()
			continue
		}
		files, before = append(files, file), file
	}
	slices.Reverse(files)
	return files
}

func isSame(a, b *os.File) bool {
	one, err := a.Stat()
	two, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(one, two)
}
