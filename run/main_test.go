package run

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(standsIn) != "" {
		os.Exit(standIn())
	}
	goleak.VerifyTestMain(m)
}

// raceEnabled reports whether the race detector is on, under which sync.Pool drops elements on purpose.
var raceEnabled bool
