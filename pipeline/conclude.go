package pipeline

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
)

// canonical returns the same text for values that are equal.
func canonical(value jsontext.Value) string {
	v := value.Clone()
	if v.Canonicalize(
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.CanonicalizeRawInts(false),
	) != nil {
		return string(value)
	}
	return string(v)
}

// unanswered reports whether a hook failed, and no overlay sets an action for its failure.
func unanswered[Out any](r *hook.Report[Out]) bool {
	return r.Err != nil && !errors.Is(r.Err, hook.ErrNotNeeded) && !decidesAbout(r.Hook, hook.ClassOf(r.Err))
}

func wantsRecheck(h *hook.Hook) bool {
	return h.Policy != nil && h.Policy.Recheck && h.Policy.Mode != hook.Off
}

// conflicts returns the members of the input that several hooks set to different values.
func conflicts[Out any](e *core[Out], reports []hook.Report[Out]) []hook.Conflict {
	type rewrite struct {
		hooks  []*hook.Hook
		values []string
	}
	rewrites := map[string]*rewrite{}
	var names []string
	for i := range reports {
		r := &reports[i]
		if !r.Answered {
			continue
		}
		// Merge removes repeated names.
		for name, value := range e.spec.Rewrites(&r.Output).Unique().Members() {
			w := rewrites[name]
			if w == nil {
				w = &rewrite{}
				rewrites[name] = w
				names = append(names, name)
			}
			w.hooks = append(w.hooks, r.Hook)
			w.values = append(w.values, canonical(value))
		}
	}
	return lo.FilterMap(names, func(name string, _ int) (hook.Conflict, bool) {
		w := rewrites[name]
		return hook.Conflict{Key: name, Hooks: w.hooks}, len(lo.Uniq(w.values)) > 1
	})
}
