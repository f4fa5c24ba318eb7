package run

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raceEnabled says that sync.Pool forgets on purpose.
var raceEnabled bool
