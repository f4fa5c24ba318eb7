package match

import (
	"slices"

	"github.com/snaphook-go/snaphook/hook"
)

// Renamed holds groups of names with the same meaning: the names of a tool in all releases.
type Renamed [][]string

// Of returns the names of subject, itself among them; nil if it has no others. It does not
// allocate.
func (r Renamed) Of(subject string) []string {
	for _, names := range r {
		if slices.Contains(names, subject) {
			return names
		}
	}
	return nil
}

// Matcher returns a matcher that accepts a subject if m accepts any of its names: a matcher with an
// old name matches a call with the new one, and the other way around. Nil stays nil, which accepts
// everything.
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

// Quick reports whether the matcher below never takes long.
func (r renamedMatcher) Quick() bool {
	q, ok := r.Matcher.(interface{ Quick() bool })
	return ok && q.Quick()
}
