package bench

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Neither memory nor goroutines nor descriptors grow with the number of fires.
func TestFiresLeaveNothingBehind(t *testing.T) {
	goHook := session(t, off)
	llxprt.BeforeTool.On(goHook, "reader", func(_ context.Context, c llxprt.BeforeToolInput) (o hook.Output[llxprt.BeforeToolOutput], err error) {
		o.Message = c.Name
		return o, nil
	})
	for _, kind := range []struct {
		name  string
		ses   *pipeline.Session
		fires int
	}{
		{"100,000 fires of a hook in Go", goHook, 100_000},
		{"2,000 fires of a command", session(t, commands("", "exit 0")), 2_000},
	} {
		t.Run(kind.name, func(t *testing.T) {
			fire(t, kind.ses, kind.fires/20) // fills caches and pools before the measurement
			before := usage()
			fire(t, kind.ses, kind.fires)
			after := usage()
			if grown := after.heap - before.heap; grown > 1<<20 {
				t.Errorf("the heap has grown by %d bytes, want less than 1 MiB", grown)
			}
			if after.goroutines > before.goroutines+2 {
				t.Errorf("%d goroutines, before there were %d", after.goroutines, before.goroutines)
			}
			if after.descriptors > before.descriptors+2 {
				t.Errorf("%d descriptors, before there were %d", after.descriptors, before.descriptors)
			}
		})
	}
}

func fire(t *testing.T, ses *pipeline.Session, n int) {
	t.Helper()
	for range n {
		if res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "write_file", Input: arguments}); err != nil || !res.OK() {
			t.Fatal(err, res.Errs())
		}
	}
}

type use struct {
	heap                    int64
	goroutines, descriptors int
}

func usage() use {
	u := use{heap: heap(), goroutines: runtime.NumGoroutine()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil { // on systems without /proc the count stays 0
		u.descriptors = len(entries)
	}
	return u
}
