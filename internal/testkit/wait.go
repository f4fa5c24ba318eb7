package testkit

import (
	"testing"
	"time"
)

// Sleep is time.Sleep for helpers of tests in synctest bubbles, where time is fake. It panics outside of a bubble:
// nothing waits on the real clock.
func Sleep(d time.Duration) {
	if d > 0 && time.Now().Year() != 2000 { // the fake clock of a bubble starts at the beginning of 2000
		panic("testkit.Sleep outside of a synctest bubble")
	}
	time.Sleep(d)
}

// Eventually waits until holds returns true, and fails the test after a minute. awaited describes the awaited state.
// Eventually is for changes that nothing signals, such as those in another program; see [WaitForEnd] for the end of a
// process.
func Eventually(t testing.TB, awaited string, holds func() bool) {
	t.Helper()
	pause := time.Millisecond
	for due := time.Now().Add(time.Minute); !holds(); time.Sleep(pause) {
		if time.Now().After(due) {
			t.Fatal("not within a minute:", awaited)
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}
