package match

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The library's clock goroutine runs until a while after the last match.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
