package run

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// stretch extends the time limit of a process by the time in which the process and its descendants waited for
// a processor.
type stretch struct {
	most    time.Duration // limit for the sum of all extensions; 0: no extension
	granted time.Duration
	living  processor.Times // times of the processes, summed over all looks
	lookAt  time.Time       // when the next look before the limit is due; zero: never
}

// newStretch returns the stretch of a job whose limit may grow to factor times itself.
func newStretch(limit time.Duration, factor float64) stretch {
	if factor == 0 {
		factor = hook.DefaultStretch
	}
	return stretch{most: time.Duration(float64(limit) * (max(factor, 1) - 1))}
}

// looksIn is the number of equal parts of a limit. In the second half of the limit, the processes are looked at after
// each part, because a look sees only the child that lives at that time, and short-lived children wait for a processor
// for different times.
const looksIn = 8

// start sets the time of the first look, half of the limit after the start.
func (s *stretch) start(now time.Time, limit time.Duration) {
	s.lookAt = time.Time{}
	if processor.Known && s.most > 0 {
		s.lookAt = now.Add(limit / 2)
	}
}

// look counts the times of the processes at one look, and returns how long they and their descendants have waited.
func (s *stretch) look(t processor.Times) (waited time.Duration) {
	s.living.Ran += t.Ran
	s.living.Waited += t.Waited
	return t.Waiting(s.living)
}

// leastExtension is the smallest extension that is worth another wait.
const leastExtension = time.Millisecond

// extend returns the further extension of the limit of a process. waited is the time for which the process has waited
// since its start. extend returns 0 if the process used its time, or if the extensions have reached their limit.
func (s *stretch) extend(waited time.Duration) (more time.Duration) {
	more = min(waited, s.most) - s.granted
	if more < leastExtension {
		return 0
	}
	s.granted += more
	return more
}
