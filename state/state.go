package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Most is the limit of the total size of keys and values in one Dir, in bytes. Each source of hooks has a Dir, and so
// does the program.
const Most = 1 << 20

// mostKey limits the length of a key as fileName escapes it, in bytes: file systems limit names to 255.
const mostKey = 255 - len(prefix)

// ErrFull is the error of a value for which there is no space left. It is wrapped in an error that names the limit.
var ErrFull = errors.New("the state of the hooks of one source is full; delete values that are not needed")

// Dir is the state in a directory. The directory is created with the first value, for its owner only; another user's
// directory is rejected. A Dir may be used from many goroutines and processes at once. An operation costs a lock and a
// small file. It waits for another process's lock until ctx ends, and at most five seconds; a link, a pipe or a device
// in place of a file is an error at once.
type Dir string

// ForSource returns the state of the hooks of one source, such as "project": a subdirectory of the session's directory,
// with its own keys, lock and limit. The first value creates the subdirectory. The subdirectory is removed together
// with the session's state, which counts as old only if all its sources are old. An empty name means the program
// itself, whose state is d.
func (d Dir) ForSource(name string) Dir {
	if name == "" {
		return d
	}
	return Dir(filepath.Join(string(d), source+fileName(name)))
}

// session returns the directory of the session if d belongs to a source.
func (d Dir) session() (in Dir, ok bool) {
	in = Dir(filepath.Dir(string(d)))
	return in, strings.HasPrefix(filepath.Base(string(d)), source) && in.ofSession()
}

// ofSession reports whether d is a directory named by [Of].
func (d Dir) ofSession() bool { return strings.HasPrefix(filepath.Base(string(d)), session) }

// Get returns the value of a key; ok is false if it has none.
func (d Dir) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	if !d.exists() {
		return "", false, check(key)
	}
	err = d.locked(ctx, func() error {
		value, ok, err = d.read(ctx, key)
		return err
	})
	return value, ok, err
}

// Set sets the value of a key.
func (d Dir) Set(ctx context.Context, key, value string) error {
	return d.locked(ctx, func() error { return d.write(key, value) })
}

// CompareAndSwap sets a key to new if its value is old, and reports whether it did. A key without a value is not set.
func (d Dir) CompareAndSwap(ctx context.Context, key, old, new string) (swapped bool, err error) {
	err = d.locked(ctx, func() error {
		value, ok, err := d.read(ctx, key)
		if err != nil || !ok || value != old {
			return err
		}
		swapped = true
		return d.write(key, new)
	})
	return swapped && err == nil, err
}

// Incr adds by to the number that is the value of a key, and returns the sum. A key without a value counts as 0.
func (d Dir) Incr(ctx context.Context, key string, by int64) (sum int64, err error) {
	err = d.locked(ctx, func() error {
		value, ok, err := d.read(ctx, key)
		if err != nil {
			return err
		}
		if ok {
			if sum, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64); err != nil {
				return fmt.Errorf("the value of %q is %.40q, which is not a whole number; set the value to a whole number first", key, value)
			}
		}
		if by > 0 && sum > sum+by || by < 0 && sum < sum+by {
			return fmt.Errorf("the value of %q would be beyond 64 bits", key)
		}
		sum += by
		return d.write(key, strconv.FormatInt(sum, 10))
	})
	if err != nil {
		return 0, err
	}
	return sum, nil
}

// Delete removes a key. A key without a value is not an error.
func (d Dir) Delete(ctx context.Context, key string) error {
	if !d.exists() {
		return check(key)
	}
	return d.locked(ctx, func() error {
		if err := check(key); err != nil {
			return err
		}
		if err := os.Remove(d.file(key)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Remove removes the whole state; for a session's state, also the states of its sources.
func (d Dir) Remove() error { return os.RemoveAll(string(d)) }

func (d Dir) exists() bool {
	_, err := os.Lstat(string(d))
	return !errors.Is(err, fs.ErrNotExist)
}

const (
	session  = "s-"  // prefix of a session's directory below Home
	source   = "by-" // prefix of a source's directory below a session's
	prefix   = "k-"  // prefix of the files with values
	lockName = "lock"
	newName  = "new" // a new value, before it is renamed
)

func check(key string) error {
	switch {
	case key == "":
		return errors.New("a key cannot be empty")
	case len(fileName(key)) > mostKey:
		return fmt.Errorf("the key %.40q… is too long: its file's name has %d bytes, and %d are the limit; use a shorter key",
			key, len(prefix+fileName(key)), len(prefix)+mostKey)
	}
	return nil
}

func (d Dir) file(key string) string {
	return filepath.Join(string(d), prefix+fileName(key))
}

// plainNames means that the file system ignores case, or dots at the end, when it compares names.
const plainNames = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// fileName escapes a name for use as a file name. Different names have different files.
func fileName(name string) string {
	if !plainNames {
		return strings.ReplaceAll(url.PathEscape(name), ":", "%3A")
	}
	var out strings.Builder
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' || c == '.' || c == ':' {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteString(url.PathEscape(name[i : i+1]))
		}
	}
	return out.String()
}

// locked creates the directory if necessary, and calls do with the directory locked.
func (d Dir) locked(ctx context.Context, do func() error) error {
	if d == "" {
		return errors.New("the state has no directory")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.ofSession() && !d.exists() {
		_, _ = Sweep(filepath.Dir(string(d))) // cleans up when a session begins; an error has no effect
	}
	for range mostTries {
		lock, err := d.lock(ctx)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case d.holds(lock):
			defer lock.Close() // closing releases the lock
			return do()
		}
		lock.Close()
	}
	return fmt.Errorf("another process removes %s each time it is created", d)
}

// mostTries limits how often the directory is created again after another process has removed it.
const mostTries = 100

// make creates the directory, or checks that an existing one belongs to the user. A source's directory is created under
// the session's lock, which a sweep holds too: a sweep cannot remove a directory that is created after the sweep has
// listed the sources.
func (d Dir) make(ctx context.Context) error {
	in, ok := d.session()
	if !ok {
		return own(string(d))
	}
	if !d.exists() {
		return in.locked(ctx, func() error { return own(string(d)) })
	}
	if err := owned(string(in)); err != nil {
		return err
	}
	return owned(string(d))
}

// lock creates the directory, and waits for its lock like [bounded.Lock].
func (d Dir) lock(ctx context.Context) (lock *os.File, err error) {
	if err := d.make(ctx); err != nil {
		return nil, err
	}
	lock, err = bounded.OpenLock(filepath.Join(string(d), lockName), 0o600)
	if err != nil {
		return nil, err
	}
	if err := bounded.Lock(ctx, lock, tryLock, lockFile); err != nil {
		return nil, err
	}
	return lock, nil
}

// holds reports whether the locked file is still in the directory, which may have been removed during the wait.
func (d Dir) holds(lock *os.File) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(filepath.Join(string(d), lockName))
	return err == nil && os.SameFile(held, there)
}

func (d Dir) read(ctx context.Context, key string) (value string, ok bool, err error) {
	if err := check(key); err != nil {
		return "", false, err
	}
	text, err := bounded.ReadFile(ctx, d.file(key), Most)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(text), err == nil, err
}

// write replaces a value atomically, by a rename.
func (d Dir) write(key, value string) error {
	if err := check(key); err != nil {
		return err
	}
	if err := d.fits(key, value); err != nil {
		return err
	}
	fresh := filepath.Join(string(d), newName)
	if err := bounded.WriteNew(fresh, []byte(value), 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, d.file(key))
}

// fits returns an error if there is no space for the new value of the key.
func (d Dir) fits(key, value string) error {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	sum, own := int64(len(key)+len(value)), filepath.Base(d.file(key))
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || entry.Name() == own {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		sum += int64(len(entry.Name())-len(prefix)) + info.Size()
	}
	if sum > Most {
		return fmt.Errorf("%w: the limit is 1 MiB", ErrFull)
	}
	return nil
}
