package modules_test

import (
	"testing"

	"go.uber.org/goleak"
)

// raceEnabled makes limits wider: the engine is many times slower then.
var raceEnabled bool

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
