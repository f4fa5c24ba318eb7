package run

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/deep"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// mostStack is the most stack that reading one script may use. Outside this test the runtime ends the process at four
// times mostStack.
const mostStack = 256 << 20

func TestNoScriptIsNestedTooDeepToBeRead(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack))
	refused, lengths := 0, []int{2 << 10, 1 << 20}
	if testkit.Whole() {
		lengths = []int{8 << 10, 16 << 10, 24 << 10, bounded.MaxShell - 100, 1 << 20}
	}
	for _, length := range lengths {
		for script := range deep.Shell(length) {
			readScript(t, script)
			if CheckScript(script) != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("no script was refused: the lengths do not reach the limits")
	}
}

func readScript(t *testing.T, script string) {
	t.Helper()
	script += " $DIR"
	quoted := QuoteVars(script, "DIR", "{DIR}")
	argv, ok := Direct(script, map[string]string{"DIR": "/"})
	if CheckScript(script) != nil && (ok || quoted != script) {
		t.Errorf("%.40q… (%d bytes) is refused, and read all the same: %.40q…, %.3q", script, len(script), quoted, argv)
	}
}

func TestAScriptBeyondTheLimitsIsRefusedInWords(t *testing.T) {
	for script, want := range map[string]string{
		strings.Repeat("(", 150_000):        "it has more than 131072 bytes; put the text into a script file, and run the file",
		strings.Repeat("(", 8193):           "it has more than 8192 brackets; put the text into a script file, and run the file",
		"echo " + strings.Repeat("x", 9000): "",
		strings.Repeat("$(", 8192):          "",
	} {
		err := CheckScript(script)
		if limit := new(bounded.Error); (want == "") != (err == nil) || err != nil && (err.Error() != want || !errors.As(err, &limit)) {
			t.Errorf("%.20q…: got %v, want %q", script, err, want)
		}
	}
}

func FuzzNesting(f *testing.F) {
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack))
	f.Add([]byte{0, 0}, uint16(9000))
	f.Add([]byte{1, 4, 10}, uint16(40000))
	f.Add([]byte{2, 21, 3, 40}, uint16(65535))
	f.Fuzz(func(t *testing.T, picks []byte, length uint16) {
		readScript(t, deep.ShellOf(picks, 2*int(length)))
	})
}
