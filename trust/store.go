package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"
	"github.com/google/renameio/v2/maybe"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// The values of [Decision.State].
const (
	Granted = "granted"
	Revoked = "revoked"
)

// Decision is a user's decision about a directory.
type Decision struct {
	State   string            `json:"state"`   // Granted or Revoked
	Digests map[string]string `json:"digests"` // digests of the covered files, by dialect; see [Covered]

	// Guards are the hooks that could block when trust was granted, by dialect. If a guard is removed later, its events
	// are blocked. Decisions that older versions have stored have no guards.
	Guards map[string][]hook.Guard `json:"guards,omitempty"`
	Time   time.Time               `json:"time"`
}

// Decisions maps absolute directories without symbolic links to a user's decisions.
type Decisions map[string]Decision

// State compares a decision with the current digests, by dialect. A dialect that the decision does
// not mention has an empty digest.
func (all Decisions) State(dir string, digests map[string]string) State {
	d, decided := all[dir]
	switch {
	case !decided:
		return Unknown
	case d.State == Revoked:
		return Untrusted
	}
	for dialect, digest := range digests {
		if d.Digests[dialect] != digest {
			return Changed
		}
	}
	return Trusted
}

// Guards returns the guards with which trust in a directory was granted, by dialect; none if trust was not granted.
// Pass this method in the Config of an engine. If a guard has been removed since, the engine blocks the guard's events
// until trust is granted again:
//
//	sys := pipeline.NewSystem(pipeline.Config{Wrap: covered.Wrap, Granted: decisions.Guards})
func (all Decisions) Guards(dir string) map[string][]hook.Guard {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if d := all[dir]; d.State == Granted {
		return d.Guards
	}
	return nil
}

// Store is a file of decisions. It may be used from many goroutines, and
// processes, at once.
type Store string

// DefaultStore returns the store of the user that runs the process: snaphook/trust.json in the
// configuration directory.
func DefaultStore() (Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the directory of the trust store: %w; set one of these variables to a directory of yours", err)
	}
	return Store(filepath.Join(dir, "snaphook", "trust.json")), nil
}

// maxStore limits the size of a store: some 100 000 decisions.
const maxStore = 64 << 20

// Read reads the decisions; a store that does not exist has none. A malformed store, or one that is not a regular file,
// is an error, because trust must not be guessed.
func (s Store) Read(ctx context.Context) (Decisions, error) {
	text, err := bounded.ReadFile(ctx, string(s), maxStore)
	if errors.Is(err, fs.ErrNotExist) {
		return Decisions{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the trust store: %w", err)
	}
	var all Decisions
	err = json.Unmarshal(text, &all, json.RejectUnknownMembers(true))
	if err == nil {
		err = all.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the trust store %s cannot be used: %w; repair or delete it", string(s), err)
	}
	return all, nil
}

func (all Decisions) check() error {
	if all == nil {
		return errors.New("it is not a JSON object")
	}
	for dir, d := range all {
		if !filepath.IsAbs(dir) || d.State != Granted && d.State != Revoked {
			return fmt.Errorf("the entry %q has to be an absolute directory whose state is granted or revoked", dir)
		}
		if d.Digests == nil {
			return fmt.Errorf("the entry %q has no digests, so nobody knows which hooks were trusted; delete it", dir)
		}
	}
	return nil
}

// patience limits the wait for another process that holds the store.
const patience = 10 * time.Second

// Decide stores a decision about dir; other processes may write at the same time. Dialects that d does not mention keep
// the digests of an older decision of the same State. It waits up to ten seconds for another process.
func (s Store) Decide(ctx context.Context, dir string, d Decision) error {
	file := string(s)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("the trust store: %w", err)
	}
	lock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	all, err := s.Read(ctx)
	if err != nil {
		return err
	}
	if old, ok := all[dir]; ok && old.State == d.State {
		digests := maps.Clone(old.Digests)
		maps.Copy(digests, d.Digests)
		guards := maps.Clone(old.Guards)
		for dialect := range d.Digests {
			delete(guards, dialect) // the newer decision replaces the older guards of its dialects
		}
		if guards == nil {
			guards = map[string][]hook.Guard{}
		}
		maps.Copy(guards, d.Guards)
		d.Digests, d.Guards = digests, guards
	}
	all[dir] = d
	text, err := json.Marshal(all, json.Deterministic(true), jsontext.WithIndent("  "))
	if err == nil {
		err = maybe.WriteFile(file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("the trust store %s: %w", file, err)
	}
	return nil
}

// lock locks the store by a file beside it. A lock file that is not regular, such as a pipe, is an error, because
// opening it could block.
func (s Store) lock(ctx context.Context) (*flock.Flock, error) {
	name := string(s) + ".lock"
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the trust store cannot be locked: %s is not a regular file; delete it", name)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Opening for writing does not block, even if a pipe has replaced the file meanwhile.
	lock := flock.New(name, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("the trust store %s is locked by another process: %w", string(s), err)
	}
	return lock, nil
}
