package bounded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The errors of files that are not read.
var (
	ErrDirectory  = errors.New("it is a directory; a file is wanted")
	ErrNotRegular = errors.New("it is not a regular file")
)

// A SizeError reports a file that is larger than the limit.
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

// Open opens a regular file for reading. A pipe, a device and a socket are [ErrNotRegular], and so are the kernel's own
// files, which may have no end: the call never waits for a writer. A directory is [ErrDirectory]. Links are followed.
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
	if info, err = f.Stat(); err == nil { // another file may have taken the name since the first check
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

// Append opens a file to append to, and makes one with perm if it does not exist. It does not wait for a pipe's reader:
// Append fails if the pipe has none. Close ends a write that waits for a reader.
func Append(name string, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noWait, perm)
}

// OpenLock opens a regular file to be locked. If the file does not exist, OpenLock creates it with perm,
// unless perm is 0. A link, a pipe or a device is an error at once: a hook may have put it there.
func OpenLock(name string, perm fs.FileMode) (*os.File, error) {
	flags := os.O_RDWR | noWait | noFollow
	if perm != 0 {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flags, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f, nil
}

// MaxLock is the longest that [Lock] waits.
const MaxLock = 5 * time.Second

// ErrLocked is wrapped by the error of a lock that another holder did not release in time.
var ErrLocked = errors.New("it is locked by another process; end that process, or remove the file")

// Lock locks a file with try, which takes the lock only if it is free, or else with wait, which blocks until it has the
// lock. Lock returns an error after MaxLock or when ctx ends. Calls of one process for one name wait in turn, and only
// one of them blocks in the system. If that call is abandoned, it closes the file once it gets the lock. After an error
// the caller must not use the file.
func Lock(ctx context.Context, f *os.File, try func(*os.File) bool, wait func(*os.File) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, MaxLock, fmt.Errorf("after %v: %w", MaxLock, ErrLocked))
	defer cancel()
	t := takeTurn(f.Name())
	select {
	case t.held <- struct{}{}:
	case <-ctx.Done():
		t.leave()
		return errors.Join(&fs.PathError{Op: "lock", Path: f.Name(), Err: context.Cause(ctx)}, f.Close())
	}
	if try(f) {
		<-t.held
		t.leave()
		return nil
	}
	locked := make(chan error)
	go func() {
		err := wait(f)
		<-t.held
		t.leave()
		select {
		case locked <- err:
		case <-ctx.Done():
			_ = f.Close() // closing releases the lock
		}
	}()
	select {
	case err := <-locked:
		if err != nil {
			return errors.Join(&fs.PathError{Op: "lock", Path: f.Name(), Err: err}, f.Close())
		}
		return nil
	case <-ctx.Done():
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: context.Cause(ctx)}
	}
}

// nameLock orders the calls that wait for the lock of one name.
type nameLock struct {
	name string
	held chan struct{}
	used int // number of calls that hold a reference; guarded by turns.mu
}

var turns = struct {
	sync.Mutex
	byName map[string]*nameLock
}{byName: map[string]*nameLock{}}

func takeTurn(name string) *nameLock {
	turns.Lock()
	defer turns.Unlock()
	t := turns.byName[name]
	if t == nil {
		t = &nameLock{name: name, held: make(chan struct{}, 1)}
		turns.byName[name] = t
	}
	t.used++
	return t
}

func (t *nameLock) leave() {
	turns.Lock()
	defer turns.Unlock()
	if t.used--; t.used == 0 {
		delete(turns.byName, t.name)
	}
}

// WriteNew removes any file or link of that name, without opening or following it, and writes a new file.
func WriteNew(name string, text []byte, perm fs.FileMode) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// OpenDir opens a directory; anything else is an error at once.
func OpenDir(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("it is not a directory")}
	}
	if err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDONLY|noWait, 0)
}

// SameFile reports whether two paths name one file or directory, in any spelling: through links,
// with .. or a slash at the end. The empty path is the current directory; for missing files it
// compares the paths.
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

// ReadFile reads a regular file of at most limit bytes; see [Open]. A larger one is a [*SizeError]; if its
// reported size exceeds the limit, nothing is read. Reading stops when ctx ends.
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

// Copy passes the bytes of r to a function, chunk by chunk, until ctx ends. More than limit bytes are a
// [*SizeError].
func Copy(ctx context.Context, r io.Reader, limit int64, to func([]byte)) error {
	stop := context.AfterFunc(ctx, func() {
		if f, is := r.(interface{ SetReadDeadline(time.Time) error }); is {
			_ = f.SetReadDeadline(time.Now()) // the deadline has an effect on pipes only: regular files never wait
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
