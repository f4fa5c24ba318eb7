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

// each is the interval at which a home is searched for stale sessions.
const each = 24 * time.Hour

// Home returns the directory below which the states of the user's sessions are: in XDG_STATE_HOME,
// else ~/.local/state, else the system's directory for temporary files.
func Home() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "snaphook", "sessions")
	}
	if home, err := environ.Home(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "snaphook", "sessions")
	}
	return filepath.Join(os.TempDir(), "snaphook-state-"+strconv.Itoa(os.Getuid()))
}

// Of returns the state of a session of a project's directory: the same state whenever the session
// is resumed.
func Of(home, project, id string) Dir {
	sum := sha256.Sum256([]byte(project + "\x00" + id))
	return Dir(filepath.Join(home, session+hex.EncodeToString(sum[:16])))
}

// Sweep removes the state of sessions that nothing has used for the time Stale, unless that was
// done today, or another process does it. It returns the number of removed states.
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

// remove removes a stale session, unless it has been used meanwhile: it takes the locks of the
// session and of its sources, and then renames the whole directory in one step.
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

// tryLocks takes the locks of a session, first, and of its existing sources, and reports whether
// all of them were free.
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

// stale reports whether a session's state, with those of its sources, is unused. Every write of a
// value changes its directory.
func stale(dir string) bool {
	return unchanged(dir) && !slices.ContainsFunc(sources(dir), func(dir string) bool { return !unchanged(dir) })
}

// unchanged reports whether a directory has not changed for long.
func unchanged(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && time.Since(info.ModTime()) > Stale
}
