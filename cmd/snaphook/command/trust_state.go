package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// trust is the relation of a person to a project directory.
type trust string

// The relations.
const (
	granted trust = "trusted"
	revoked trust = "untrusted"
	unknown trust = "unknown" // nobody has decided
	changed trust = "changed" // granted, but for other hooks or scripts than there are now
)

// status is what trust rests on.
type status struct {
	Dir     string            `json:"dir"` // absolute, without symbolic links
	State   trust             `json:"state"`
	Since   *time.Time        `json:"time"`    // of the decision
	Digests map[string]string `json:"digests"` // by dialect
	Hooks   []trustHook       `json:"hooks"`   // all that the project brings
	Reaches []string          `json:"reaches"` // what its settings do beyond these, in words

	store string
}

// trustHook is a hook with everything that trust in it covers.
type trustHook struct {
	Event string `json:"event"`
	planned
	Scripts []script `json:"scripts"`
}

// standing reads the settings and the store, and compares.
func standing(ctx context.Context, all ...*sources) (st status, err error) {
	st.Digests = map[string]string{}
	for _, src := range all {
		if st.Dir, err = filepath.EvalSymlinks(src.dir); err != nil {
			return st, err
		}
		if err := st.add(ctx, src); err != nil {
			return st, err
		}
	}
	if st.store, err = storeFile(); err != nil {
		return st, err
	}
	decisions, err := readStore(st.store)
	if err != nil {
		return st, err
	}
	st.judge(decisions)
	return st, nil
}

// add adds the hooks that the project has for one dialect.
func (st *status) add(ctx context.Context, src *sources) error {
	loaded, err := src.load(ctx, pipeline.Place{Dir: src.dir})
	if err != nil {
		return err
	}
	if err := unreadable(loaded.Problems); err != nil {
		return err
	}
	hooks, err := trustHooks(ctx, st.Dir, projectHooks(loaded))
	if err != nil {
		return err
	}
	st.Hooks = append(st.Hooks, hooks...)
	reaching := src.reaching()
	if len(reaching) > 0 {
		alone, err := src.load(ctx, pipeline.Place{Dir: src.dir, Undecided: true})
		if err != nil {
			return err
		}
		st.Reaches = append(st.Reaches, differences(alone.Hooks, loaded.Hooks)...)
	}
	for _, setting := range reaching {
		if !strings.HasPrefix(setting, "hooks: ") {
			st.Reaches = append(st.Reaches, "sets for the hooks of all levels "+setting)
		}
	}
	st.Digests[src.dialect.trustName()], err = digest(hooks, reaching)
	return err
}

// differences says in words what the settings of the project do to hooks of
// others: which run without them, and not with them, and the other way round.
func differences(without, with []*hook.Hook) (words []string) {
	trusted := lo.KeyBy(with, func(h *hook.Hook) string { return h.Dialect + "/" + h.ID })
	for _, h := range without {
		other := trusted[h.Dialect+"/"+h.ID]
		if isProjects(h.Source) || other == nil || (h.Skip == "") == (other.Skip == "") {
			continue
		}
		verb := lo.Ternary(h.Skip == "", "switches off", "switches on")
		words = append(words, fmt.Sprintf("%s the %s's hook %s of %s.%s", verb, h.Source, oneLine(h.Label()), h.Dialect, h.Event))
	}
	return words
}

// judge compares with what was decided. What a decision was not about is fine
// as long as it is nothing.
func (st *status) judge(all records) {
	r, decided := all[st.Dir]
	if !decided {
		st.State = unknown
		return
	}
	st.Since, st.State = &r.Time, granted
	for dialect, digest := range st.Digests {
		if r.Digests[dialect] != digest {
			st.State = changed
		}
	}
	if r.State == isRevoked {
		st.State = revoked
	}
}

func trustHooks(ctx context.Context, dir string, hooks []*hook.Hook) (all []trustHook, err error) {
	for _, h := range hooks {
		scripts, err := hookScripts(ctx, dir, h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Position, err)
		}
		all = append(all, trustHook{Event: h.Dialect + "." + h.Event, planned: describe(h), Scripts: scripts})
	}
	return all, nil
}

// digest covers what the hooks are and what they run, and the settings with
// which the project reaches beyond them. Where a hook stands does not count. It
// is empty if there is nothing to cover.
func digest(hooks []trustHook, reaching []string) (string, error) {
	if len(hooks)+len(reaching) == 0 {
		return "", nil
	}
	covered := lo.Map(hooks, func(h trustHook, _ int) trustHook {
		h.ID, h.File = "", nil
		return h
	})
	text, err := json.Marshal(struct {
		Hooks    []trustHook
		Reaching []string
	}{covered, reaching}, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("the digest of the hooks: %w", err)
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// reaching gives the settings of the project itself with which it touches more
// than its own hooks.
func (src *sources) reaching() (found []string) {
	for _, layer := range src.layers {
		if !isProjects(layer.Source) {
			continue
		}
		root, _, err := layer.Read()
		if err != nil {
			continue // the load has said so
		}
		for _, path := range src.dialect.reaching {
			v := lo.Reduce(path, func(v settings.Value, name string, _ int) settings.Value { return v.Get(name) }, root)
			if v.Exists() {
				found = append(found, strings.Join(path, ".")+": "+compact(v))
			}
		}
	}
	return found
}

// compact is a value without the white space around its parts.
func compact(v settings.Value) string {
	text := slices.Clone(v.JSON())
	_ = text.Compact() // what has been read is JSON
	return string(text)
}
