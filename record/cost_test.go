//go:build !race

package record_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

func silent(context.Context, call) (hook.Output[nothing], error) { return hook.Output[nothing]{}, nil }

func opened(t *testing.T) *record.Recorder {
	t.Helper()
	r, err := record.Open(filepath.Join(t.TempDir(), "r.jsonl"), record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(time.Minute) })
	return r
}

func TestWhatAFireWithARecordAllocates(t *testing.T) {
	r := opened(t)
	var allocs [2]float64
	for i, o := range []pipeline.Observer{nil, r} {
		s := session(t, o)
		event.On(s, "own", silent)
		allocs[i] = testing.AllocsPerRun(200, func() { event.Fire(context.Background(), s, &call{Tool: "Bash", ID: "toolu_1"}) })
	}
	if more := allocs[1] - allocs[0]; more > 10 {
		t.Errorf("a record costs %.0f allocations, want at most 10", more)
	}
	idle := session(t, r)
	if n := testing.AllocsPerRun(200, func() { event.Fire(context.Background(), idle, &call{Tool: "Bash"}) }); n != 0 {
		t.Errorf("an idle fire costs %.0f allocations", n)
	}
}

// A record makes a fire with one Go hook slower by at most four times the time of an append to a file (6 µs if an
// append takes 1.5 µs), and by at most eight times on a busy machine. The test takes the quickest of many short rounds,
// because other work of the machine makes rounds slower, never quicker.
func TestWhatAFireWithARecordTakes(t *testing.T) {
	testkit.Timed(t)
	const most = 8 // 3 to 4 on an idle machine
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "plain"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	without, with := session(t, nil), session(t, opened(t))
	event.On(without, "own", silent)
	event.On(with, "own", silent)
	text := make([]byte, 900)
	steps := [...]func(){
		func() { event.Fire(context.Background(), without, &call{Tool: "Bash", ID: "toolu_1"}) },
		func() { event.Fire(context.Background(), with, &call{Tool: "Bash", ID: "toolu_1"}) },
		func() { file.Write(text) },
	}
	quickest := [len(steps)]time.Duration{time.Hour, time.Hour, time.Hour}
	ratio := 0.0
	for round := range 3000 {
		for i, step := range steps {
			start := time.Now()
			for range 50 {
				step()
			}
			quickest[i] = min(quickest[i], time.Since(start)/50)
		}
		ratio = float64(quickest[1]-quickest[0]) / float64(quickest[2])
		if round >= 200 && ratio <= most {
			break
		}
	}
	t.Logf("%v without and %v with a record, %v for a line: %.1f", quickest[0], quickest[1], quickest[2], ratio)
	if ratio > most {
		t.Errorf("a record costs %.1f times what its line costs, want at most %d", ratio, most)
	}
}
