package command

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// A fire with a large input uses the memory of a fire with a small input plus a small multiple of the input.
func TestALargeInputTakesASmallMultipleOfMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector keeps memory of its own for each byte")
	}
	size := lo.Ternary(testkit.Whole(), 64<<20, 16<<20)
	dir := t.TempDir()
	for _, folder := range []string{".llxprt", ".claude"} {
		testkit.WriteFile(t, filepath.Join(dir, folder, "settings.json"), `{"tools": {"enableHooks": true}, "hooks": {`+
			`"BeforeTool": [{"hooks": [{"type": "command", "command": "cat > /dev/null; grep VmHWM /proc/$PPID/status > peak"}]}],`+
			`"PostToolUse": [{"hooks": [{"type": "command", "command": "wc -c >&2; grep VmHWM /proc/$PPID/status > peak; exit 2"}]}]}}`, 0o644)
	}
	text := bytes.Repeat([]byte(`a line of \"text\"\n`), size/19)
	for _, test := range []struct{ event, head, tail string }{
		{"llxprt.BeforeTool", `{"tool_name":"write_file","tool_input":{"content":"`, `"}}`},
		{"claude.PostToolUse", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{},"tool_response":{"content":"`, `"}}`},
	} {
		for _, args := range [][]string{nil, {"--json"}} {
			base := peak(t, dir, []byte(test.head+test.tail), append([]string{test.event}, args...)...)
			most := peak(t, dir, append(append([]byte(test.head), text...), test.tail...), append([]string{test.event}, args...)...)
			t.Logf("%s %v: %d MiB without, %d MiB with %d MiB of text", test.event, args, base>>20, most>>20, len(text)>>20)
			if most-base > 4*int64(len(text)) {
				t.Errorf("%s %v takes %d MiB for an input of %d MiB; it was 7.5 times the input, and is 2.5", test.event, args, (most-base)>>20, len(text)>>20)
			}
		}
	}
}

// peak returns the maximum memory, in bytes, that a fire has used when its hook ends. The hook reads
// the number from the kernel: the figure for an ended process includes its parent's memory.
func peak(t *testing.T, dir string, input []byte, args ...string) (most int64) {
	t.Helper()
	cmd := exec.Command("snaphook", append([]string{"fire", "--trusted", "--dir", dir}, args...)...) // testscript.Main put snaphook on PATH
	cmd.Env, cmd.Stdin = append(os.Environ(), "HOME="+dir), bytes.NewReader(input)
	if said, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != cli.Refused {
		t.Fatalf("%v: %.500s", err, said)
	}
	file := filepath.Join(dir, "peak")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text), "VmHWM: %d kB", &most); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	return most << 10
}
