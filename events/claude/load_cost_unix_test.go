//go:build unix

package claude_test

import (
	"log/slog"
	"math"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// processorTime returns the processor time of this process, which does not depend on the load of
// the machine.
func processorTime(t *testing.T) time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestTheTimeToLoadSettingsIsInProportionToTheirLength(t *testing.T) {
	testkit.Timed(t)
	for name, c := range largeSettings {
		t.Run(name, func(t *testing.T) {
			took := func(size int) (best time.Duration) {
				best = math.MaxInt64
				text := sized(c.part, c.around, size)
				for range 3 {
					start := processorTime(t)
					plannedSession(t, text, slog.New(slog.DiscardHandler))
					best = min(best, processorTime(t)-start)
				}
				return best
			}
			small, large := took(1<<18), took(1<<20-100)
			if t.Logf("256 KiB in %v, 1 MiB in %v", small, large); large > 10*small {
				t.Errorf("four times the settings took %.1f times as long, want about 4", float64(large)/float64(small))
			}
		})
	}
}
