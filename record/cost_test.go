//go:build !race

package record_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

func TestWhatAFireWithARecordCosts(t *testing.T) {
	silent := func(context.Context, call) (hook.Output[nothing], error) { return hook.Output[nothing]{}, nil }
	r, err := record.Open(filepath.Join(t.TempDir(), "r.jsonl"), record.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(time.Minute)
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
