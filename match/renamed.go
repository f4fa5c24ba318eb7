package match

import (
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Renamed holds groups of names with the same meaning, such as all names that a tool has had.
type Renamed [][]string

// Of returns all names of subject, including itself; nil if it has only one. It does not allocate.
func (r Renamed) Of(subject string) []string {
	for _, names := range r {
		if slices.Contains(names, subject) {
			return names
		}
	}
	return nil
}

// Matcher returns a matcher that accepts a subject if m accepts any of the subject's names. A matcher with an old name
// then matches a call with the new name, and a matcher with the new name matches a call with the old name. If m is nil,
// which accepts everything, Matcher returns nil.
func (r Renamed) Matcher(m hook.Matcher) hook.Matcher {
	if m == nil {
		return nil
	}
	return renamedMatcher{m, r}
}

type renamedMatcher struct {
	hook.Matcher
	names Renamed
}

// Match reports whether any name of subject matches.
func (r renamedMatcher) Match(subject string) bool {
	return r.Matcher.Match(subject) || slices.ContainsFunc(r.names.Of(subject), r.Matcher.Match)
}

// Quick reports whether the wrapped matcher is fast.
func (r renamedMatcher) Quick() bool {
	q, ok := r.Matcher.(interface{ Quick() bool })
	return ok && q.Quick()
}
