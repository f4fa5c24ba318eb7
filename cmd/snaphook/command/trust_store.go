package command

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
)

// record is what a person decided on a project directory.
type record struct {
	State   string            `json:"state"`   // granted or revoked
	Digests map[string]string `json:"digests"` // of what was looked at, by dialect; see digest
	Time    time.Time         `json:"time"`
}

// over keeps from an older decision of the same kind what the newer one was not
// about.
func (r record) over(old record) record {
	if old.State != r.State {
		return r
	}
	digests := maps.Clone(old.Digests)
	maps.Copy(digests, r.Digests)
	r.Digests = digests
	return r
}

// The states of a record.
const (
	isGranted = "granted"
	isRevoked = "revoked"
)

// records are all decisions, by absolute directory without symbolic links.
type records map[string]record

// storeFile is where the decisions are kept.
func storeFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the place of the trust store: %w; set one of them to a directory of yours", err)
	}
	return filepath.Join(dir, "snaphook", "trust.json"), nil
}

// readStore reads the decisions. A store that makes no sense is an error:
// what it says of trust is not for guessing.
func readStore(file string) (records, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return records{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the trust store: %w", err)
	}
	var all records
	err = json.Unmarshal(text, &all, json.RejectUnknownMembers(true))
	if err == nil {
		err = all.check()
	}
	if err != nil {
		return nil, fmt.Errorf("the trust store %s cannot be used: %w; repair or delete it", file, err)
	}
	return all, nil
}

// isRevokedFor reports whether a decision against dir is on record. Where trust
// has no say, neither has a store that cannot be read.
func isRevokedFor(dir string) bool {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	file, err := storeFile()
	if err != nil {
		return false
	}
	all, err := readStore(file)
	return err == nil && all[path].State == isRevoked
}

func (all records) check() error {
	if all == nil {
		return errors.New("it is not a JSON object")
	}
	for dir, r := range all {
		if !filepath.IsAbs(dir) || r.State != isGranted && r.State != isRevoked {
			return fmt.Errorf("the entry %q is not one of an absolute directory that is granted or revoked", dir)
		}
		if r.Digests == nil {
			return fmt.Errorf("the entry %q does not say what was looked at: it has no digests", dir)
		}
	}
	return nil
}

// lockPatience is how long another snaphook may hold the store.
const lockPatience = 10 * time.Second

// decide keeps a decision on dir, whatever other processes write meanwhile.
func decide(ctx context.Context, file, dir string, r record) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("the trust store: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock := flock.New(file+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("the trust store %s is locked by another process: %w", file, err)
	}
	defer lock.Close()
	all, err := readStore(file)
	if err != nil {
		return err
	}
	if old, ok := all[dir]; ok {
		r = r.over(old)
	}
	all[dir] = r
	text, err := json.Marshal(all, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("the trust store %s: %w", file, err)
	}
	if err := maybe.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("the trust store %s: %w", file, err)
	}
	return nil
}
