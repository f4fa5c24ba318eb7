//go:build !race

package bench

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
)

// This file is not built with the race detector, which slows the engine down, but not the processes that the engine
// starts.

// The benchmark's figures for a hook agree with the time that starting the hook takes without the
// engine, in the same rounds.
func TestFiguresAgreeWithAnIndependentMeasurement(t *testing.T) {
	testkit.Timed(t)
	dir := project(t)
	bash := starts("bash", "guard.sh")
	program := starts("/bin/true")
	var mu sync.Mutex
	var own []float64
	inside := inGo(func() {
		start := time.Now()
		time.Sleep(2 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		own = append(own, milliseconds(time.Since(start)))
	})
	hooks := []*hook.Hook{bash, program, inside}
	if python := python3(); python != "" {
		hooks = append(hooks, starts(python, "guard.py"))
	}
	left := map[string]bool{}
	for _, h := range hooks {
		left[h.ID] = true
	}
	for try := 1; len(left) > 0; try++ {
		those := lo.Filter(hooks, func(h *hook.Hook, _ int) bool { return left[h.ID] })
		other := map[string][]float64{}
		b := benchOf(dir, 15, those...)
		b.Between = func() {
			for _, h := range those {
				if c, ok := hook.RunnerAs[*run.Command](h.Runner); ok {
					other[h.ID] = append(other[h.ID], byHand(t, dir, c.Argv))
				}
			}
		}
		own = nil
		result, err := b.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other["go"] = own
		for _, h := range result.Hooks {
			want := rank(other[h.ID], 0.5)
			t.Logf("try %d: %s takes %.3f ms, by hand %.3f ms", try, h.ID, h.Cold.P50, want)
			if off := math.Abs(h.Cold.P50/want - 1); off <= 0.10 {
				delete(left, h.ID)
			} else if try == tries {
				t.Errorf("%s takes %.3f ms, measured by hand %.3f ms; want 10 %% at most between them", h.ID, h.Cold.P50, want)
				delete(left, h.ID)
			}
		}
	}
}

// byHand starts a program with as little work as the standard library needs.
func byHand(t *testing.T, dir string, argv []string) (ms float64) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		t.Fatal(err)
	}
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, print, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	start := time.Now()
	_, err = feed.WriteString(call)
	feed.Close()
	p, startErr := os.StartProcess(path, argv, &os.ProcAttr{Dir: dir, Files: []*os.File{in, print, print}})
	print.Close()
	if err = errors.Join(err, startErr); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	_, readErr := said.ReadFrom(out)
	_, waitErr := p.Wait()
	took := time.Since(start)
	if err := errors.Join(readErr, waitErr); err != nil {
		t.Fatal(err)
	}
	return milliseconds(took)
}
