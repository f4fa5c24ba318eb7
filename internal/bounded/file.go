package bounded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// The reasons for which a file is not read.
var (
	ErrDirectory  = errors.New("it is a directory; a file is wanted")
	ErrNotRegular = errors.New("it is not a regular file")
)

// A SizeError says that a file is larger than it may be.
type SizeError struct{ Limit int64 }

func (e *SizeError) Error() string { return fmt.Sprintf("it is larger than %s", size(e.Limit)) }

func size(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Open opens a regular file for reading. A pipe, a device, a socket and the
// kernel's own files, which may have no end, are [ErrNotRegular]: none of them
// is opened, and the call never waits for a writer. Links are followed.
func Open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(info); err != nil {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil { // another file may have taken its place
		err = regular(info)
	}
	if err == nil && isKernels(f) {
		err = ErrNotRegular
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, info, nil
}

// Append opens a file to append to, and makes one with perm if there is none. It does not
// wait for the reader of a pipe: without one it fails. A write to a pipe that is not read
// ends when the file is closed.
func Append(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noWait, perm)
}

// SameFile reports whether two paths name one file or directory, however they
// are spelled: by way of links, with .. or a slash at the end. The empty path is
// the current directory; of what is not there the paths are compared.
func SameFile(a, b string) bool {
	one, err := os.Stat(filepath.Clean(a))
	two, err2 := os.Stat(filepath.Clean(b))
	if err == nil && err2 == nil {
		return os.SameFile(one, two)
	}
	a, err = filepath.Abs(a)
	b, err2 = filepath.Abs(b)
	return err == nil && err2 == nil && a == b
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return ErrDirectory
	case !info.Mode().IsRegular():
		return ErrNotRegular
	}
	return nil
}

// ReadFile reads a regular file of at most limit bytes; see [Open]. A larger one
// is a [*SizeError], and nothing of it is read if its size says so. When ctx
// ends, so does the reading.
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	f, info, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: &SizeError{limit}}
	}
	text := make([]byte, 0, info.Size()+1)
	err = Copy(ctx, f, limit, func(part []byte) { text = append(text, part...) })
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, nil
}

// Copy returns what r has to a function, part by part, until ctx ends. More than
// limit bytes are a [*SizeError].
func Copy(ctx context.Context, r io.Reader, limit int64, to func([]byte)) error {
	stop := context.AfterFunc(ctx, func() {
		if f, is := r.(interface{ SetReadDeadline(time.Time) error }); is {
			_ = f.SetReadDeadline(time.Now()) // where it counts; most files never wait
		}
	})
	defer stop()
	buffer := make([]byte, min(limit+1, 64<<10))
	for done := int64(0); ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := r.Read(buffer)
		if done += int64(n); done > limit {
			return &SizeError{limit}
		}
		to(buffer[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
