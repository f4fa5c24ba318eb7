package jsrun

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raceEnabled makes loops shorter and limits wider: with the race detector the engine is many times
// slower.
var raceEnabled bool
