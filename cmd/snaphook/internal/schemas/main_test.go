// Package schemas_test compares the JSON schemas of docs with the program: with the files that it reads and the lines
// that it writes. The library that reads schemas takes milliseconds to start; no other test program of the command line
// links it, since those start for each command that they run.
package schemas_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
