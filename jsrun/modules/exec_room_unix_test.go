//go:build unix

package modules_test

import (
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// Sixteen programs at the same time, with more output than a module may hold, stay within the limit. No program ends
// before all have written, because its end would release its share.
func TestTheOutputOfAllProgramsIsBounded(t *testing.T) {
	if raceEnabled {
		t.Skip("with the race detector the engine takes half a minute for so much text; package run has a test of the bound")
	}
	dir := t.TempDir()
	written, gate := testkit.Pipe(t, dir, "written"), testkit.Pipe(t, dir, "gate")
	go func() {
		if _, err := io.ReadFull(written, make([]byte, 16)); err == nil {
			gate.WriteString(strings.Repeat("\n", 16)) // each program reads one line
		}
	}()
	h := opened(t, xcsh.Config{}, &modules.Loader{Exec: (*xcsh.API).Exec, Options: jsrun.Options{CPU: time.Minute}})
	runtime.GC()
	before, most := heapInUse(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, heapInUse())
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	told(t, h, `
		const writes = (n, then) => ["-c", "yes | head -c " + n + then];
		const waits = "; echo > written; read line < gate", opt = { cwd: `+strconv.Quote(dir)+` };
		const all = Array.from({ length: 16 }, () => pi.exec("sh", writes(9000000, waits), opt).then(r => [r.stdout.length, r.truncated, r.code]));
		const results = await Promise.all(all);
		const kept = results.reduce((n, [length]) => n + length, 0);
		say(kept <= `+"33 * 1024 * 1024 + 16 * 65536"+`, kept >= 8 * 1024 * 1024, results.every(([length, truncated, code]) => truncated && code === 0));
		const again = await pi.exec("sh", writes(7000000, ""));
		say(again.stdout.length, again.truncated);`,
		`DEBUG: true true true`, `DEBUG: 7000000 undefined`)
	close(stop)
	<-stopped
	grown := (int64(most) - int64(before)) >> 20
	t.Logf("the heap has grown by %d MiB", grown)
	if grown > 400 {
		t.Errorf("the heap has grown by %d MiB, want about 110", grown)
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func TestAModuleThatIsClosedWaitsForNoResult(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{Exec: (*xcsh.API).Exec})
	told(t, h, `for (let i = 0; i < 8; i++) pi.exec("head", ["-c", "2000000", "/dev/zero"]);
		const c = new AbortController();
		const late = pi.exec("sh", ["-c", "head -c 2000000 /dev/zero; exec sleep 60"], { signal: c.signal });
		setTimeout(() => c.abort(), 50);
		say((await late).killed);`, strings.TrimSpace(`DEBUG: true`))
}
