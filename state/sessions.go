package state

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
)

// Stale is how long a session's state stays that nothing uses.
const Stale = 7 * 24 * time.Hour

// each is how often a home is looked through for stale ones.
const each = 24 * time.Hour

// Home returns the directory below which the sessions of the user have theirs:
// in XDG_STATE_HOME, else ~/.local/state, else the system's directory for
// temporary files.
func Home() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "snaphook", "sessions")
	}
	if home, err := environ.Home(); err == nil && filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "snaphook", "sessions")
	}
	return filepath.Join(os.TempDir(), "snaphook-state-"+strconv.Itoa(os.Getuid()))
}

// Of returns the state of a session of a project's directory, the same whenever
// the session is taken up again.
func Of(home, project, id string) Dir {
	sum := sha256.Sum256([]byte(project + "\x00" + id))
	return Dir(filepath.Join(home, session+hex.EncodeToString(sum[:16])))
}

// Sweep removes the state of sessions that nothing has used for as long as
// Stale says, unless that was done today, or is under way. It returns how many
// it has removed.
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
		case strings.HasPrefix(entry.Name(), gone): // of a sweep that was killed
			_ = os.RemoveAll(name)
		case strings.HasPrefix(entry.Name(), session) && stale(name) && remove(name):
			removed++
		}
	}
	return removed, err
}

// gone begins the name of a directory that is being removed.
const gone = "gone-"

// remove removes a stale session, unless something has used it meanwhile: it
// takes its lock, and then the whole directory out of the way in one step.
func remove(dir string) bool {
	lock, err := bounded.OpenLock(filepath.Join(dir, lockName), 0)
	if err == nil {
		defer lock.Close()
		if !tryLock(lock) || !stale(dir) {
			return false
		}
		if runtime.GOOS == "windows" { // which moves nothing that is open
			lock.Close()
		}
	}
	away := filepath.Join(filepath.Dir(dir), gone+filepath.Base(dir))
	return os.Rename(dir, away) == nil && os.RemoveAll(away) == nil
}

// stale reports whether a session's state has not changed for long. A value
// that is put in its place changes its directory.
func stale(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && time.Since(info.ModTime()) > Stale
}
