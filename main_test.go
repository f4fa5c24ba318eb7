package snaphook_test

import (
	"testing"

	"go.uber.org/goleak"
)

// regexp2's clock goroutine ends by itself some time after the last match.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
