//go:build unix && !solaris && !aix

package record_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/record"
)

// A hook can hold or replace the lock that protects the renaming of a full file. The record then continues in the full
// file: no line is lost, and none takes long.
func TestWhatAHookDoesToTheLockOfARecordLosesNoLine(t *testing.T) {
	var held *os.File // released before the goroutines are counted, since one of them waits for the lock
	for name, take := range map[string]func(lock string) error{
		"held": func(lock string) (err error) {
			if held, err = os.OpenFile(lock, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
				return err
			}
			return unix.Flock(int(held.Fd()), unix.LOCK_EX)
		},
		"a pipe":             func(lock string) error { return unix.Mkfifo(lock, 0o600) },
		"a link to a device": func(lock string) error { return os.Symlink("/dev/zero", lock) },
		"a directory":        func(lock string) error { return os.Mkdir(lock, 0o700) },
		"not readable":       func(lock string) error { return os.WriteFile(lock, nil, 0) },
	} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := take(path + ".lock"); err != nil {
			t.Fatal(err)
		}
		r, err := record.Open(path, record.Config{Log: quiet, MaxSize: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		const fires = 200
		began := time.Now()
		fast(t, r, fires)
		r.Close(time.Minute)
		took := time.Since(began)
		_ = held.Close() // an error if held is nil or was closed before
		lost, err := r.Lost()
		if name == "not readable" && os.Getuid() == 0 {
			continue // root can read the lock, and renames the record
		}
		text, readErr := os.ReadFile(path)
		if lines := bytes.Count(text, []byte("\n")); lost != 0 || err != nil || readErr != nil || lines < fires || took > bounded.MaxLock/2 {
			t.Errorf("%s: %d lines, %d lost, after %v: %v, %v; want all %d at once", name, lines, lost, took, err, readErr, fires)
		}
	}
}

// If a hook replaces a record's file by a device or a pipe, the record does not write there: its lines would vanish
// unnoticed. They count as lost.
func TestARecordDoesNotGoOnInADevice(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a device": func(path string) error { return os.Symlink("/dev/null", path) },
		"a pipe":   func(path string) error { return unix.Mkfifo(path, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		err := record.Reopens(path, func() error { return errors.Join(os.Remove(path), put(path)) })
		if wrong, is := errors.AsType[*fs.PathError](err); !is || wrong.Path != path {
			t.Errorf("%s: %v; want an error that names the path", name, err)
		}
	}
}
