package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"
)

// sharedRecord is a record file to which many processes append. The system appends each line atomically at the current
// end of the file; only rotation needs a lock.
type sharedRecord struct {
	path string
	max  int64 // limit in bytes; 0: no rotation

	regular bool // neither a pipe nor a device
	keep    int
	f       *os.File
	torn    bool      // the last line is incomplete
	seen    time.Time // when path was last known to be the name of f
	room    int64     // bytes to write before the size is checked again

	ctx  context.Context // ends when the file is no longer needed
	stop context.CancelFunc
}

// Defaults of rotation.
const (
	defaultSize = 64 << 20
	defaultKeep = 8
)

// glance limits the time for which lines are still written to a file that another program has renamed.
const glance = time.Second

// A full file that cannot be renamed grows by growth before the next attempt. If another process holds the lock of the
// record for lockWait, the file grows by a 16th of growth, or by a 64th of its limit if that is more.
const (
	lockWait = 200 * time.Millisecond
	growth   = 1 << 20
)

// errNotFile is the error if the name of a record that was a file now refers to something else.
var errNotFile = errors.New("it was replaced by something that is not a file")

func openFile(path string, cfg Config) (*sharedRecord, error) {
	f := &sharedRecord{path: path, max: cfg.MaxSize, keep: cfg.Keep}
	f.ctx, f.stop = context.WithCancel(context.Background())
	if f.max == 0 {
		f.max = defaultSize
	}
	if f.keep <= 0 {
		f.keep = defaultKeep
	}
	if err := f.open(); err != nil {
		return nil, err
	}
	info, err := f.f.Stat()
	f.regular = err == nil && info.Mode().IsRegular()
	if !f.regular || f.max < 0 {
		f.max = 0
	}
	return f, nil
}

func (f *sharedRecord) open() error {
	opened, err := openShared(f.path)
	if err != nil {
		return fmt.Errorf("the record: %w", err)
	}
	if info, err := opened.Stat(); f.regular && (err != nil || !info.Mode().IsRegular()) {
		_ = opened.Close() // nothing was written
		return fmt.Errorf("the record: %w", cmp.Or(err, error(&fs.PathError{Op: "open", Path: f.path, Err: errNotFile})))
	}
	if f.f != nil {
		_ = f.f.Close() // every line has been written
	}
	f.f, f.seen, f.torn, f.room = opened, time.Now(), isTorn(opened), 0
	return nil
}

// isTorn reports whether the last line of a file is incomplete, because its writer was killed or the disk was
// full.
func isTorn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Write appends one line.
func (f *sharedRecord) Write(line []byte) (int, error) {
	if err := f.follow(); err != nil {
		return 0, err
	}
	if f.torn { // without a line end the new line would be joined to the incomplete one, and lost too
		if _, err := f.f.Write([]byte("\n")); err != nil {
			return 0, err
		}
		f.torn = false
	}
	n, err := f.f.Write(line)
	f.torn = n > 0 && n < len(line)
	if f.room -= int64(n); err == nil && f.max > 0 && f.room <= 0 {
		f.rotate()
	}
	return n, err
}

// follow reopens the file if it has been renamed or removed. If no new file can be created, lines are still written to
// a renamed file; in a removed file they would be lost unnoticed.
func (f *sharedRecord) follow() error {
	if !f.regular {
		return nil
	}
	now := time.Now()
	if now.Sub(f.seen) < glance {
		return nil
	}
	if f.isCurrent() {
		f.seen = now
		return nil
	}
	err := f.open()
	if err != nil && isRemoved(f.f) {
		return err // the next line tries again
	}
	f.seen = now
	return nil
}

func (f *sharedRecord) isCurrent() bool {
	ours, err := f.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(f.path)
	return err == nil && os.SameFile(ours, there)
}

// rotate renames a full file. If another process has renamed it in the meantime, rotate continues with the new file. A
// file that cannot be renamed grows.
func (f *sharedRecord) rotate() {
	info, err := f.f.Stat()
	if err != nil {
		f.room = f.max / 64
		return
	}
	if size := info.Size(); size < f.max {
		f.room = min(f.max-size, f.max/64) // other processes write too
		return
	}
	ctx, cancel := context.WithTimeout(f.ctx, lockWait)
	defer cancel()
	lock, err := acquire(ctx, f.path+".lock")
	if err != nil {
		f.room = max(f.max/64, growth/16) // another process is renaming the files, or there is no usable lock
		return
	}
	defer lock.release()
	f.room = growth // the file grows by this much if it cannot be renamed now
	if f.isCurrent() && f.shift() != nil {
		return
	}
	_ = f.open()
}

// shift renames the files of a record, the oldest first.
func (f *sharedRecord) shift() error {
	for i := f.keep; i > 0; i-- {
		from := f.path
		if i > 1 {
			from += "." + strconv.Itoa(i-1)
		}
		if err := os.Rename(from, f.path+"."+strconv.Itoa(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (f *sharedRecord) Close() error {
	f.stop()
	return f.f.Close()
}

// interrupt ends a Write that is blocked: by the lock for rotation, or by a pipe without a reader, which interrupt
// closes. A regular file stays open, because a Write may still use it.
func (f *sharedRecord) interrupt() {
	f.stop()
	if !f.regular {
		_ = f.f.Close() // an error does not matter, because no line is written any more
	}
}
