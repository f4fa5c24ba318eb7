package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aead.dev/minisign"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/snaphook-go/snaphook/pipeline"
)

// Loads returns the readers of the settings of a policy in a directory, for the dialects that the program
// knows. They read no settings from elsewhere.
type Loads func(dir string) []pipeline.Load

// LinkedLoads returns the loads of every linked dialect. The loads return only hooks whose settings lie in dir, and no
// hooks of the user or the machine.
func LinkedLoads(dir string) []pipeline.Load {
	var loads []pipeline.Load
	for _, load := range pipeline.LinkedSettings() {
		loads = append(loads, Within(dir, load))
	}
	return loads
}

// Within returns a Load that keeps the hooks of load whose settings lie in a directory.
func Within(dir string, load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		hooks := loaded.Hooks[:0:0]
		for _, h := range loaded.Hooks {
			if isBelow(dir, h.Position.File) {
				hooks = append(hooks, h)
			}
		}
		loaded.Hooks = hooks
		return loaded, err
	}
}

func isBelow(dir, name string) bool {
	if !filepath.IsAbs(name) {
		if there, err := filepath.Abs(name); err == nil {
			name = there
		}
	}
	below, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(below)
}

// PushOptions hold functions that only the program can supply.
type PushOptions struct {
	Loads Loads // nil means [LinkedLoads]

	// Check reports mistakes in the hooks of the directory, such as a broken script. If Check is nil, there is no such
	// check.
	Check func(ctx context.Context, dir string) error
}

// Pushed is a policy that has been pushed.
type Pushed struct {
	Revision uint64   `json:"revision"`
	Events   []string `json:"events"`
	Files    int      `json:"files"`
	Bytes    int      `json:"bytes"`
	Digest   string   `json:"digest"`
}

// Push packs a directory into a bundle, signs it with key and stores it in the object store snaphook-policy,
// as the next revision. It refuses a directory with a mistake in its settings, without hooks, or with more
// than [MaxBundle] bytes. Simultaneous pushes get different revisions.
func Push(ctx context.Context, nc *nats.Conn, dir string, key minisign.PrivateKey, opts PushOptions) (*Pushed, error) {
	dir, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	files, err := collect(dir)
	if err != nil {
		return nil, fmt.Errorf("the policy: %w", err)
	}
	events, err := eventsOf(ctx, dir, opts.Loads)
	if err != nil {
		return nil, err
	}
	if opts.Check != nil {
		if err := opts.Check(ctx, dir); err != nil {
			return nil, err
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	store, err := js.ObjectStore(ctx, PolicyBucket)
	if err != nil {
		return nil, bucketError("object store", PolicyBucket, err)
	}
	revision, err := nextRevision(ctx, js)
	if err != nil {
		return nil, err
	}
	text, err := pack(Manifest{V: 1, Revision: revision, Events: events}, files)
	if err != nil {
		return nil, err
	}
	comment := fmt.Sprintf("snaphook policy revision %d", revision)
	signature := minisign.SignWithComments(key, text, comment, comment)
	_, err = store.Put(ctx, jetstream.ObjectMeta{
		Name: objectName(revision), Description: comment,
		Metadata: map[string]string{"minisig": string(signature), "revision": strconv.FormatUint(revision, 10)},
	}, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the policy is not pushed: %w", err)
	}
	forget(ctx, store, revision)
	return &Pushed{Revision: revision, Events: events, Files: len(files), Bytes: len(text), Digest: digest(text)}, nil
}

// keepRevisions is the number of revisions that the server keeps.
const keepRevisions = 4

// objectName returns the name of the object of a revision. Each revision has its own object: if two pushes run at the
// same time, the push of the older revision may end last.
func objectName(revision uint64) string { return policyObject + "." + strconv.FormatUint(revision, 10) }

// objectRevision returns the revision in an object's name, or 0 if the name has none.
func objectRevision(name string) uint64 {
	digits, is := strings.CutPrefix(name, policyObject+".")
	revision, err := strconv.ParseUint(digits, 10, 64)
	if !is || err != nil {
		return 0
	}
	return revision
}

// forget removes old revisions. A failure is harmless: the newest valid revision is put in force.
func forget(ctx context.Context, store jetstream.ObjectStore, last uint64) {
	all, err := store.List(ctx)
	if err != nil {
		return
	}
	for _, info := range all {
		if revision := objectRevision(info.Name); revision > 0 && revision+keepRevisions <= last {
			_ = store.Delete(ctx, info.Name)
		}
	}
}

// nextRevision reserves the next revision for this push.
func nextRevision(ctx context.Context, js jetstream.JetStream) (uint64, error) {
	keys, err := js.KeyValue(ctx, PolicyBucket)
	if err != nil {
		return 0, bucketError("bucket", PolicyBucket, err)
	}
	for range 16 {
		entry, err := keys.Get(ctx, revisionKey)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			if _, err = keys.Create(ctx, revisionKey, []byte("1")); err == nil {
				return 1, nil
			}
			if errors.Is(err, jetstream.ErrKeyExists) {
				continue
			}
		}
		if err != nil {
			return 0, fmt.Errorf("the revision of the policy: %w", err)
		}
		last, err := strconv.ParseUint(string(entry.Value()), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the revision of the policy is %.50q in the bucket %s; put a number there", entry.Value(), PolicyBucket)
		}
		_, err = keys.Update(ctx, revisionKey, []byte(strconv.FormatUint(last+1, 10)), entry.Revision())
		if err == nil {
			return last + 1, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) { // ErrKeyExists means that another push was faster
			return 0, fmt.Errorf("the revision of the policy: %w", err)
		}
	}
	return 0, errors.New("somebody else pushed a policy at the same time; push again")
}

// eventsOf returns the events for which a directory has hooks.
func eventsOf(ctx context.Context, dir string, loads Loads) (events []string, err error) {
	if loads == nil {
		loads = LinkedLoads
	}
	var wrong []string
	for _, load := range loads(dir) {
		loaded, err := load(ctx, pipeline.Workspace{Dir: dir})
		if err != nil {
			return nil, fmt.Errorf("the settings of the policy: %w", err)
		}
		for _, p := range loaded.Problems {
			if p.Fatal || isBelow(dir, p.Position.File) {
				wrong = append(wrong, p.String())
			}
		}
		for _, h := range loaded.Hooks {
			if h.Unusable != "" {
				wrong = append(wrong, h.Position.String()+": "+h.Unusable)
			}
			events = append(events, h.Dialect+"."+h.Event)
		}
	}
	slices.Sort(events)
	slices.Sort(wrong)
	switch events = slices.Compact(events); {
	case len(wrong) > 0:
		return nil, fmt.Errorf("the policy is not pushed:\n%s", strings.Join(slices.Compact(wrong), "\n"))
	case len(events) == 0:
		return nil, fmt.Errorf("%s has no hooks: a policy without hooks would guard nothing; name the directory of a project "+
			"with settings, such as .claude/settings.json", dir)
	}
	if text, err := overlayText(dir); err != nil {
		return nil, err
	} else if text != nil {
		if _, err := overlay(filepath.Join(dir, overlayName), text); err != nil {
			return nil, fmt.Errorf("the overlay of the policy: %w", err)
		}
	}
	return events, nil
}

func bucketError(kind, name string, err error) error {
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("the server has no %s %s; start a worker once with snaphook serve --prepare and the credentials of "+
			"an administrator, or with --embedded", kind, name)
	}
	return fmt.Errorf("the %s %s: %w", kind, name, err)
}

// realDir returns the absolute path of a directory with its links resolved.
func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("the policy: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the policy: %s is not a directory; name the directory with its settings and scripts", dir)
	}
	return dir, nil
}
