package run

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// stretch extends the time limit of a process by the time in which the process and its descendants waited for
// a processor.
type stretch struct {
	most    time.Duration // the limit of all extensions together; 0: none
	granted time.Duration
}

// newStretch returns the stretch of a job whose limit may grow to factor times itself.
func newStretch(limit time.Duration, factor float64) stretch {
	if factor == 0 {
		factor = hook.DefaultStretch
	}
	return stretch{most: time.Duration(float64(limit) * (max(factor, 1) - 1))}
}

// leastExtension is the smallest extension that is worth another wait.
const leastExtension = time.Millisecond

// extend returns the further extension of the limit of a process that has waited for this long since its start.
// It returns 0 if the process did not wait, but used its time.
func (s *stretch) extend(waited time.Duration) (more time.Duration) {
	more = min(waited, s.most) - s.granted
	if more < leastExtension {
		return 0
	}
	s.granted += more
	return more
}
