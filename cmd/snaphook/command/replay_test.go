package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// pastFires is a reader of a record with a given number of fires. During the reads it measures the memory of the
// process.
type pastFires struct {
	left, made int
	rest       []byte
	live       []uint64 // bytes of the heap, after each tenth of the record
}

func (p *pastFires) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.left == 0 {
			return 0, io.EOF
		}
		tool := "Bash"
		if p.made%1000 == 0 {
			tool = "Write" // the tool that the hook matches
		}
		p.rest = fmt.Appendf(nil, `{"v":1,"id":"f-%d","time":"2026-01-02T03:04:05Z","event":"claude.PreToolUse","session":"s","decision":"",`+
			`"input":{"session_id":"s","tool_use_id":"call-%[1]d","tool_name":%q,"tool_input":{"command":%q}},"hooks":[]}`+"\n",
			p.made, tool, strings.Repeat("x", p.made%2000))
		p.left, p.made = p.left-1, p.made+1
		if p.made%(replayedFires/10) == 0 {
			var mem runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&mem)
			p.live = append(p.live, mem.HeapAlloc)
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// replayedFires is the number of fires in the record. Without SNAPHOOK_TIMES it is smaller, because 100 000 fires take
// half a minute.
var replayedFires = lo.Ternary(testkit.Whole(), 100_000, 10_000)

// TestAReplayStreams replays a record that is larger than the memory that the replay may use:
// memory does not grow with the record.
func TestAReplayStreams(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	const settings = `{"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "exit 2"}]}]}}`
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	record := &pastFires{left: replayedFires}
	var out, said bytes.Buffer
	f := &cli.Global{}
	root := newRoot(f)
	root.SetArgs([]string{"replay", "-", "--dir", dir, "--trusted"})
	root.SetIn(record)
	root.SetOut(&out)
	root.SetErr(&said)
	root.SilenceUsage, root.SilenceErrors = true, true
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	changed := replayedFires / 1000
	want := fmt.Sprintf("%d of %d differ", changed, replayedFires)
	if last := lines[len(lines)-1]; last != want || len(lines) != changed+1 || f.Status != cli.Failed {
		t.Errorf("status %d, %d lines, the last is %q; want status %d and %q", f.Status, len(lines), last, cli.Failed, want)
	}
	if first := lines[0]; !strings.HasPrefix(first, "-:1: claude.PreToolUse Write: decision none → deny") {
		t.Errorf("the first line is %q", first)
	}
	first, last := record.live[1], record.live[len(record.live)-1]
	if grown := int64(last) - int64(first); grown > 8<<20 {
		t.Errorf("after %d fires %d KiB are in use, after %d %d KiB: the replay keeps what it has read",
			replayedFires/5, first>>10, replayedFires, last>>10)
	}
	t.Logf("bytes in use, after every tenth: %v", record.live)
}
