package run

import (
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/processor"
)

// stretch extends the time limit of a process by the time in which the process and its descendants waited for
// a processor. The kernel tells the waits only of living processes, and not that one waits for another which waits for
// a processor; therefore stretch also estimates the time from the load of the machine.
type stretch struct {
	most    time.Duration // limit for the sum of all extensions; 0: no extension
	granted time.Duration
	living  processor.Times // times of the processes, summed over all looks
	lookAt  time.Time       // when the next look before the limit is due; zero: never
	seen    time.Time       // when the last look was, or the start
	last    processor.Times // the times at the last look
	pending time.Duration   // how long the wait that was under way at the last look had taken; 0: none was
	shared  time.Duration   // the time of waiting by the load of the machine at each look
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
	s.lookAt, s.seen = time.Time{}, now
	if processor.Known && s.most > 0 {
		s.lookAt = now.Add(limit / 2)
	}
}

// look counts the times of the processes at one look, and returns how long they and their descendants have waited. If
// they are ready to run, they are assumed to have waited for the time since the last look in which they did not run.
// load is the number of threads that are ready to run on the machine, for each processor.
func (s *stretch) look(now time.Time, t processor.Times, load float64) (waited time.Duration) {
	s.living.Ran += t.Ran
	s.living.Waited += t.Waited
	passed := now.Sub(s.seen)
	ran := t.Ran + t.Ended - s.last.Ran - s.last.Ended
	if load > 1 && (t.Ready || ran < 0 || float64(ran)*load >= computing*float64(passed)) {
		s.shared += time.Duration(float64(passed) * (1 - 1/load))
	}
	rest := max(passed-ran-max(t.Waited-s.last.Waited, 0), 0)
	switch {
	case !t.Ready, t.Ran == 0, ran < 0: // the kernel keeps no times, or a descendant has ended whose times are lost
		s.pending = 0
	case s.last.Ready && ran == 0: // they still wait
		s.pending += rest
	default:
		s.pending = rest
	}
	s.seen, s.last = now, t
	return max(t.Waiting(s.living)+s.pending, s.shared)
}

// computing is a fraction of the processor time that a process could have had between two looks, beside the other
// threads of the machine. A process that used less of it, and is not ready to run, sleeps or waits for a network; the
// load of the machine then extends its limit by nothing.
const computing = 0.1

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
