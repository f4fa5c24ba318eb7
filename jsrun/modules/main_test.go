package modules_test

import (
	"testing"

	"go.uber.org/goleak"
)

// raceEnabled makes limits wider: with the race detector the engine is many times slower.
var raceEnabled bool

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
