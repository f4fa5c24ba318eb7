package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
)

// Stale is the age at which the state of an unused session is removed.
const Stale = 7 * 24 * time.Hour

// each is the interval between two searches of a home for stale sessions.
const each = 24 * time.Hour

// Home returns the directory of the states of the user's sessions: in XDG_STATE_HOME, or else in ~/.local/state, or
// else in the system's directory for temporary files.
func Home() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "snaphook", "sessions")
	}
	if home, err := environ.Home(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "snaphook", "sessions")
	}
	return filepath.Join(os.TempDir(), "snaphook-state-"+strconv.Itoa(os.Getuid()))
}

// Of returns the state of a session in a project's directory. A resumed session has the same state.
func Of(home, project, id string) Dir {
	sum := sha256.Sum256([]byte(project + "\x00" + id))
	return Dir(filepath.Join(home, session+hex.EncodeToString(sum[:16])))
}

// Sweep removes the state of sessions that have not been used for the time Stale, and returns the number of removed
// states. It does nothing if another Sweep of home is running, or has run in the last 24 hours.
func Sweep(home string) (removed int, err error) {
	if err := own(home); err != nil {
		return 0, err
	}
	mark, err := bounded.OpenLock(filepath.Join(home, "swept"), 0o600)
	if err != nil {
		return 0, err
	}
	defer mark.Close()
	if !tryLock(mark) {
		return 0, nil
	}
	info, err := mark.Stat()
	if err != nil || info.Size() > 0 && time.Since(info.ModTime()) < each {
		return 0, err
	}
	if _, err := mark.WriteAt([]byte("1"), 0); err != nil {
		return 0, err
	}
	entries, err := os.ReadDir(home)
	for _, entry := range entries {
		switch name := filepath.Join(home, entry.Name()); {
		case strings.HasPrefix(entry.Name(), gone): // left by a sweep that was killed
			_ = os.RemoveAll(name)
		case strings.HasPrefix(entry.Name(), session) && stale(name) && remove(name):
			removed++
		}
	}
	return removed, err
}

// gone is the prefix of a directory that is being removed.
const gone = "gone-"

// remove removes a stale session, unless it has been used in the meantime: it locks the session and its sources, and
// then renames the whole directory.
func remove(dir string) bool {
	locks, free := tryLocks(dir)
	release := func() {
		for _, lock := range locks {
			lock.Close()
		}
	}
	defer release()
	if !free || !stale(dir) {
		return false
	}
	if runtime.GOOS == "windows" { // Windows cannot rename a directory with open files
		release()
	}
	away := filepath.Join(filepath.Dir(dir), gone+filepath.Base(dir))
	return os.Rename(dir, away) == nil && os.RemoveAll(away) == nil
}

// tryLocks locks a session and then its existing sources. free reports whether no one else held a lock.
func tryLocks(dir string) (locks []*os.File, free bool) {
	take := func(dir string) bool {
		lock, err := bounded.OpenLock(filepath.Join(dir, lockName), 0)
		if err != nil {
			return true
		}
		locks = append(locks, lock)
		return tryLock(lock)
	}
	if !take(dir) {
		return locks, false
	}
	for _, dir := range sources(dir) {
		if !take(dir) {
			return locks, false
		}
	}
	return locks, true
}

// sources returns the directories of the sources below a session's directory.
func sources(dir string) (dirs []string) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be read cannot be removed either
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), source) {
			dirs = append(dirs, filepath.Join(dir, entry.Name()))
		}
	}
	return dirs
}

// stale reports whether a session's state, including its sources, is unused. Every write changes the modification time
// of its directory.
func stale(dir string) bool {
	return unchanged(dir) && !slices.ContainsFunc(sources(dir), func(dir string) bool { return !unchanged(dir) })
}

// unchanged reports whether a directory has not changed for the time Stale.
func unchanged(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && time.Since(info.ModTime()) > Stale
}
