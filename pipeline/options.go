package pipeline

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Option changes how On registers a hook.
type Option func(*hook.Hook, *Info)

// Match runs the hook only for subjects that match a pattern, in the syntax of the event's
// settings. An event without a subject ignores it.
func Match(pattern string) Option {
	return func(h *hook.Hook, e *Info) {
		if e.Subject == "" {
			return
		}
		h.Pattern, h.Matcher = pattern, nil
		if compile := e.Rules.Match; compile != nil {
			h.Matcher, _ = compile(pattern)
		} else if pattern != "" {
			h.Matcher = exactly(pattern)
		}
		h.Matcher = e.Rules.renamed(h.Matcher)
	}
}

// MatchWith runs the hook only for subjects that m matches. An event without a
// subject ignores it.
func MatchWith(m hook.Matcher) Option {
	return func(h *hook.Hook, e *Info) {
		if e.Subject != "" {
			h.Matcher = e.Rules.renamed(m)
		}
	}
}

// Timeout limits the run time of the hook; 0 means the event's timeout, negative no limit.
func Timeout(d time.Duration) Option { return func(h *hook.Hook, _ *Info) { h.Timeout = d } }

// FailClosed makes the hook block when it fails, as if the event's Rules said so.
func FailClosed() Option { return func(h *hook.Hook, _ *Info) { h.FailClosed = true } }

// UserProvided marks a callback that the program passes on for its users. It is subject to the
// settings, such as trust and policies. Without it a hook is the program's own, and always runs.
func UserProvided() Option { return func(h *hook.Hook, _ *Info) { h.UserProvided = true } }

// exactly is the matcher for dialects without a pattern syntax: it compares for equality.
type exactly string

// Match reports whether subject equals e.
func (e exactly) Match(subject string) bool { return subject == string(e) }
