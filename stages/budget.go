package stages

import (
	"context"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// Quick is a matcher that may say of itself that it never takes long, such as a
// list of names. Any other is not asked when the time of a plan is over.
type Quick interface{ Quick() bool }

// budget is the time that is left to the matchers of one plan.
type budget struct {
	ctx  context.Context
	left time.Duration
	late bool // a matcher was not asked, or took what was left
}

// match asks a matcher, if there is time, and takes off what it took.
func (b *budget) match(m hook.Matcher, subject string) bool {
	if q, ok := m.(Quick); ok && q.Quick() {
		return m.Match(subject)
	}
	if b.left <= 0 || b.ctx.Err() != nil {
		b.late = true
		return true
	}
	start := time.Now()
	matched := m.Match(subject)
	if b.left -= time.Since(start); b.left <= 0 {
		b.late = true
	}
	return matched
}
