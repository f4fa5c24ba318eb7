package run

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raceEnabled reports that sync.Pool drops elements on purpose.
var raceEnabled bool
