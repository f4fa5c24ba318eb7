package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
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
	Dir    string      `json:"dir"` // absolute, without symbolic links
	State  trust       `json:"state"`
	Since  *time.Time  `json:"time"` // of the decision
	Digest string      `json:"digest"`
	Hooks  []trustHook `json:"hooks"` // all that the project brings

	store string
}

// trustHook is a hook with everything that trust in it covers.
type trustHook struct {
	Event string `json:"event"`
	planned
	Scripts []script `json:"scripts"`
}

// standing reads the settings and the store, and compares.
func standing(ctx context.Context, src *sources) (st status, err error) {
	loaded, err := src.load(ctx, pipeline.Place{Dir: src.dir})
	if err != nil {
		return st, err
	}
	if err := unreadable(loaded.Problems); err != nil {
		return st, err
	}
	if st.Dir, err = filepath.EvalSymlinks(src.dir); err != nil {
		return st, err
	}
	if st.Hooks, err = trustHooks(st.Dir, projectHooks(loaded)); err != nil {
		return st, err
	}
	if st.Digest, err = digest(st.Hooks, src.reaching()); err != nil {
		return st, err
	}
	if st.store, err = storeFile(); err != nil {
		return st, err
	}
	all, err := readStore(st.store)
	if err != nil {
		return st, err
	}
	st.judge(all)
	return st, nil
}

func (st *status) judge(all records) {
	r, decided := all[st.Dir]
	switch {
	case !decided:
		st.State = unknown
		return
	case r.State == isRevoked:
		st.State = revoked
	case r.Digest == st.Digest:
		st.State = granted
	default:
		st.State = changed
	}
	st.Since = &r.Time
}

func trustHooks(dir string, hooks []*hook.Hook) (all []trustHook, err error) {
	for _, h := range hooks {
		scripts, err := scriptsOf(dir, h.Command)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Position, err)
		}
		all = append(all, trustHook{Event: h.Dialect + "." + h.Event, planned: describe(h), Scripts: scripts})
	}
	return all, nil
}

// digest covers what the hooks are and what they run, and the settings with
// which the project reaches beyond them. Where a hook stands does not count.
func digest(hooks []trustHook, reaching []string) (string, error) {
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
		if layer.Source != hook.Project {
			continue
		}
		root, _, err := layer.Read()
		if err != nil {
			continue // the load has said so
		}
		for _, path := range src.dialect.reaching {
			v := lo.Reduce(path, func(v settings.Value, name string, _ int) settings.Value { return v.Get(name) }, root)
			if v.Exists() {
				found = append(found, strings.Join(path, ".")+": "+string(v.JSON()))
			}
		}
	}
	return found
}
