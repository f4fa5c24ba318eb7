package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	rec "github.com/snaphook-go/snaphook/record"
)

// erratic is a hook with a different result each time.
type erratic struct {
	n    atomic.Int64 // atomic: runs in the background overlap
	ways []testkit.Fixed
}

func (e *erratic) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	n := int(e.n.Add(1))
	time.Sleep(time.Duration(n*7919%50) * 10 * time.Microsecond)
	return e.ways[n%len(e.ways)].Run(ctx, c)
}

// recorded fires events in a session with hooks, and returns the record's file.
func recorded(t *testing.T, fires int, hooks ...*hook.Hook) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	r, err := rec.Open(path, rec.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	load := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: hooks}, nil
	}
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{load}, Observe: []pipeline.Observer{r}, Log: slog.New(slog.DiscardHandler)})
	defer sys.Close()
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range fires {
		input := fmt.Appendf(nil, `{"tool_name":%q,"tool_use_id":"t%d","tool_input":{}}`, []string{"Bash", "Write", "Read"}[i%3], i)
		if _, err := claude.PreToolUse.FireJSON(t.Context(), ses, input); err != nil {
			t.Fatal(err)
		}
	}
	if err := ses.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// ran runs a verb with its output on stdout, and fails t on an error.
func ran(t *testing.T, stdin io.Reader, stdout io.Writer, args ...string) {
	t.Helper()
	root := newRoot(&cli.Global{})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(io.Discard)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
}

// The figures of stats for a file equal the figures of a second implementation, which reads JSON as
// maps, keeps every value, and sorts.
func TestStatsOfAFileAreThoseOfAnotherProgram(t *testing.T) {
	deny := testkit.Fixed{Reply: hook.Reply{Exit: 2, Stderr: []byte("no")}}
	fails, late, fine := testkit.Fixed{Reply: hook.Reply{Exit: 1}}, testkit.Fixed{Err: &hook.TimeoutError{After: time.Second}}, testkit.Fixed{}
	var hooks []*hook.Hook
	for name, ways := range map[string][]testkit.Fixed{"denies": {deny, fine}, "fails": {fails, fine, late, deny}, "never": {fine}, "later": {fine, fails}} {
		h := &hook.Hook{Identity: hook.Identity{ID: "project/" + name, Dialect: "claude", Event: "PreToolUse", Type: "command", Command: name, Source: hook.Project}, Runner: &erratic{ways: ways}}
		switch name {
		case "never":
			h.Skip, h.SkipDetail, h.Pattern = hook.Disabled, "switched off", "Wrtie"
		case "later":
			h.Background = hook.Async
		}
		hooks = append(hooks, h)
	}
	path := recorded(t, 700, hooks...)
	var out bytes.Buffer
	ran(t, nil, &out, "stats", path, "--json")
	var got struct {
		Fires, Unreadable int
		Hooks             []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	fires, want := countFires(t, path)
	if got.Fires != fires || fires != 700 || got.Unreadable != 0 || len(got.Hooks) != len(want) || len(want) != 4 {
		t.Fatalf("%d fires, %d unreadable, %d hooks; want %d, 0, %d", got.Fires, got.Unreadable, len(got.Hooks), fires, len(want))
	}
	for _, h := range got.Hooks {
		w := want[h["id"].(string)]
		for _, name := range []string{"looked", "ran", "blocked", "failed", "failedOpen"} {
			if h[name] != w.counts[name] {
				t.Errorf("%s: %s is %v, want %v", h["id"], name, h[name], w.counts[name])
			}
		}
		for name, all := range map[string][]float64{"runMs": w.run, "queuedMs": w.queued} {
			closeTo(t, h["id"].(string)+" "+name, h[name].(map[string]any), all)
		}
		if ends, is := w.counts["ended"], h["background"]; is == nil && ends != 0 || is != nil && (is.(map[string]any)["ended"] != ends || is.(map[string]any)["failed"] != w.counts["endedFailed"]) {
			t.Errorf("%s: background is %v, want %v ends, %v failed", h["id"], is, ends, w.counts["endedFailed"])
		}
	}
	if got.Hooks[0]["nearest"] == nil && got.Hooks[1]["nearest"] == nil && got.Hooks[2]["nearest"] == nil && got.Hooks[3]["nearest"] == nil {
		t.Error("the hook that never ran has no nearest subject")
	}
}

type judged struct {
	counts      map[string]float64
	run, queued []float64
}

func countFires(t *testing.T, path string) (fires int, by map[string]*judged) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	by = map[string]*judged{}
	for line := range strings.Lines(string(text)) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		isFire := l["late"] == nil
		if isFire {
			fires++
		}
		for _, one := range l["hooks"].([]any) {
			h := one.(map[string]any)
			j := by[h["id"].(string)]
			if j == nil {
				j = &judged{counts: map[string]float64{}}
				by[h["id"].(string)] = j
			}
			if b, ok := h["background"].(map[string]any); ok {
				j.counts["ended"]++
				if b["outcome"] != "success" {
					j.counts["endedFailed"]++
				}
			}
			if isFire {
				j.add(h)
			}
		}
	}
	return fires, by
}

func (j *judged) add(h map[string]any) {
	count := func(name string, yes bool) {
		if yes {
			j.counts[name]++
		}
	}
	count("looked", true)
	count("ran", h["ran"] == true)
	count("blocked", h["decision"] == "deny")
	count("failed", h["outcome"] == "non_blocking_error" || h["outcome"] == "cancelled")
	count("failedOpen", h["failed_open"] == true)
	if ms, ok := h["ms"].(float64); ok {
		j.run = append(j.run, ms)
	}
	if ms, ok := h["queued_ms"].(float64); ok {
		j.queued = append(j.queued, ms)
	}
}

// closeTo compares percentiles with the nearest ranks of all values.
func closeTo(t *testing.T, what string, got map[string]any, all []float64) {
	t.Helper()
	if len(all) == 0 {
		if !reflect.DeepEqual(got, map[string]any{"p50": nil, "p95": nil, "p99": nil, "max": nil}) {
			t.Errorf("%s is %v of nothing", what, got)
		}
		return
	}
	slices.Sort(all)
	for name, part := range map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1} {
		want := all[int(math.Ceil(part*float64(len(all))-1e-9))-1]
		if is, ok := got[name].(float64); !ok || math.Abs(is-want) > want/100 {
			t.Errorf("%s: %s is %v, want %v", what, name, got[name], want)
		}
	}
}

// sized is a record of a given number of bytes: valid lines of many hooks and sessions, with one unreadable line in
// each hundred.
type sized struct {
	left int64
	rest []byte
	n    int
}

func (s *sized) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		if s.left <= 0 {
			return 0, io.EOF
		}
		s.n++
		s.rest = fmt.Appendf(nil, `{"v":1,"id":"%d","time":"2026-01-31T12:00:00.5Z","event":"claude.PreToolUse","session":"s-%d","subject":"tool%d","input":{"x":%q},"decision":null,"ms":1,"hooks":[{"id":"h%d","matcher":"tool","ran":true,"outcome":"success","ms":%d}]}`+"\n",
			s.n, s.n%5000, s.n, strings.Repeat("x", 8<<10), s.n, s.n%100)
		if s.n%100 == 0 {
			s.rest = append(s.rest[:len(s.rest)/2], '\n')
		}
		s.left -= int64(len(s.rest))
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Every verb can read a record that is larger than the memory: log and stats keep one line at a time
// in memory, and trace the newest lines.
func TestALargeRecordIsReadInBoundedMemoryByEveryVerb(t *testing.T) {
	if raceDetector {
		t.Skip("it reads half a gigabyte, which takes a minute with the race detector")
	}
	tests := []struct {
		verb       string
		size, most int64
	}{
		{"log", 64 << 20, 32 << 20},
		{"stats", 64 << 20, 48 << 20},
		{"trace", 400 << 20, 800 << 20}, // trace keeps 256 MiB of fires
	}
	if !testkit.Whole() {
		tests = tests[:2] // trace takes ten seconds
	}
	for _, test := range tests {
		t.Run(test.verb, func(t *testing.T) {
			// runtime.GC frees the garbage of earlier tests, and lowers the heap size at which the collector starts
			// next.
			runtime.GC()
			var mem runtime.MemStats
			highest := uint64(0)
			done, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					select {
					case <-done:
						return
					case <-time.After(50 * time.Millisecond):
						runtime.ReadMemStats(&mem)
						highest = max(highest, mem.HeapAlloc)
					}
				}
			}()
			ran(t, &sized{left: test.size}, io.Discard, test.verb, "-")
			close(done)
			<-stopped
			if t.Logf("%s has used %d MiB", test.verb, highest>>20); highest > uint64(test.most) {
				t.Errorf("%s has used %d MiB, want at most %d", test.verb, highest>>20, test.most>>20)
			}
		})
	}
}
