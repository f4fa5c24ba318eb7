package faults

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// heapBound is the most that a flood may make the engine allocate: the kept part of each stream,
// as much again while a buffer grows, and a margin. memoryBound is the most that it may add to
// the memory of the process.
const (
	heapBound   = 2*(run.MaxStdout+run.MaxStderr) + 1<<20
	memoryBound = 2 * heapBound
)

const flood = "head -c 200000000 /dev/zero"

// A hook that prints 200 MB costs only the part that is kept. The hook fails, because its answer is incomplete; an exit
// status that refuses still refuses.
func TestAFloodCostsWhatIsKeptOfIt(t *testing.T) {
	if !alone(t) {
		return
	}
	leavesNothing(t)
	tooLarge := want{err: fmt.Sprintf("longer than the %d bytes that are kept", run.MaxStdout)}
	for _, test := range []struct {
		name, script   string
		stdout, stderr int // bytes kept of each stream
		want           want
	}{
		{"on standard output", flood, run.MaxStdout, 0, tooLarge},
		{"on standard error", flood + " >&2", 0, run.MaxStderr, want{}},
		{"on both", flood + " | tee /dev/stderr", run.MaxStdout, run.MaxStderr, tooLarge},
		{"on both, refused", flood + " | tee /dev/stderr; echo no >&2; exit 2", run.MaxStdout, run.MaxStderr, want{blocked: true, exit: 2}},
		{"on standard output, failed", flood + "; echo broken >&2; exit 1", run.MaxStdout, 7, want{err: "exit status 1", exit: 1, message: "Warning: broken"}},
		{"of JSON that is never closed", `printf '{"decision":"allow","reason":"'; ` + flood + ` | tr '\0' x`, run.MaxStdout, 0, tooLarge},
		{"after a denial", `echo '{"decision":"deny","reason":"no"}'; ` + flood, run.MaxStdout, 0, tooLarge},
	} {
		t.Run(strings.ReplaceAll(test.name, ",", ""), func(t *testing.T) {
			eachForm(t, test.script, setup{}, func(t *testing.T, w *world) {
				w.alive(t)
				before := memory(t)
				res := w.fire(t)
				after := memory(t)
				w.check(t, res, test.want)
				if r := res.Reports[0].Reply; r == nil || len(r.Stdout) != test.stdout || len(r.Stderr) != test.stderr || (r.Truncated&hook.Stdout != 0) != (test.stdout > 1<<20) {
					t.Errorf("%d and %d bytes are kept, truncated %b; want %+v", len(r.Stdout), len(r.Stderr), r.Truncated, test)
				}
				heap, peak := after.allocated-before.allocated, after.peak-before.resident
				t.Logf("%d KiB allocated, %d KiB more memory at most", heap>>10, peak>>10)
				reason := int64(4 * len(res.Reason)) // the reason is made from the bytes, and reported twice
				if heap > heapBound+reason || !raced && peak > memoryBound+reason {
					t.Errorf("%d bytes allocated, want at most %d; %d more in memory, want %d", heap, heapBound, peak, memoryBound)
				}
				w.alive(t)
			})
		})
	}
}

type use struct{ allocated, live, resident, peak int64 }

// memory returns the memory in use, and the peak since the last call.
func memory(t *testing.T) (u use) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	u.peak = kibibytes(text, "VmHWM:")
	runtime.GC() // a sync.Pool keeps unused buffers for one more collection
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // forgets the peak, if the kernel can
	text, _ = os.ReadFile("/proc/self/status")
	u.resident = kibibytes(text, "VmRSS:")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.allocated, u.live = int64(m.TotalAlloc), int64(m.HeapAlloc)
	return u
}

func kibibytes(status []byte, name string) (n int64) {
	_, rest, _ := bytes.Cut(status, []byte(name))
	_, _ = fmt.Sscan(string(rest), &n)
	return n << 10
}
