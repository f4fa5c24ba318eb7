// Package processor reads the time that processes spend on a processor, and waiting for one.
package processor

import "time"

// Times are the times of a process and its descendants since they began.
type Times struct {
	Ran    time.Duration // on a processor
	Waited time.Duration // ready to run, while no processor was free
	Ended  time.Duration // processor time of descendants that have ended; counted in ticks of 10 ms

	// Ready is true if a thread of one of the processes is ready to run, or runs. Waited does not contain the
	// time for which a thread is waiting now: the kernel adds it when the thread gets a processor.
	Ready bool
}

// Waiting returns the time of waiting. For descendants that have ended the kernel keeps only the processor time;
// Waiting estimates their waiting by the ratio of waiting to running in living: t itself, or a sum of earlier times of
// the same family.
func (t Times) Waiting(living Times) time.Duration {
	if living.Ran <= 0 {
		return t.Waited
	}
	return t.Waited + time.Duration(float64(t.Ended)*float64(living.Waited)/float64(living.Ran))
}
