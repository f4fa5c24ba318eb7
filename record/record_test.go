package record_test

import (
	"bytes"
	"context"
	"encoding/json" //nolint:depguard // a reader that shares no code with the writer
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("RECORD_CHILD"); path != "" {
		child(path)
		return
	}
	goleak.VerifyTestMain(m)
}

var dialect = &pipeline.Dialect{Name: "test", Rules: pipeline.Rules{Exits: hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny}, Timeout: time.Minute}}

// call is the input of the event.
type call struct {
	Tool  string         `json:"tool_name"`
	Input map[string]any `json:"tool_input,omitzero"`
	ID    string         `json:"tool_use_id,omitzero"`
	Agent string         `json:"agent_id,omitzero"`
}

type nothing struct{}

var event = pipeline.Declare(dialect, pipeline.Spec[call, nothing]{
	Name: "Call", Can: pipeline.CanBlock, Subject: func(c *call) *string { return &c.Tool }, SubjectName: "tool",
})

var quiet = slog.New(slog.DiscardHandler)

// session returns a session with the hooks; o, if not nil, observes its fires.
func session(t testing.TB, o pipeline.Observer, hooks ...*hook.Hook) *pipeline.Session {
	t.Helper()
	load := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: hooks}, nil
	}
	return hooktest.Session(t, hooktest.Configure(func(cfg *pipeline.Config, s *pipeline.SessionConfig) {
		cfg.Load, s.ID, s.Dir = []pipeline.Load{load}, "s-1", t.TempDir()
		if o != nil {
			cfg.Observe = []pipeline.Observer{o}
		}
	}))
}

// runs is a hook outside the process.
type runs hook.Reply

func (r runs) Run(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply(r), nil }

func command(text string, r hook.Runner) *hook.Hook {
	return &hook.Hook{Identity: hook.Identity{ID: "project/Call/" + text, Dialect: "test", Event: "Call", Type: "command", Command: text, Source: hook.Project, Position: hook.Position{File: "settings.json", Line: 4, Column: 9}}, Runner: r}
}

// lines returns the lines of a record after some fires.
func lines(t *testing.T, cfg record.Config, hooks []*hook.Hook, fires ...call) (all []map[string]any) {
	t.Helper()
	var text bytes.Buffer
	cfg.Log = quiet
	r := record.New(&text, cfg)
	s := session(t, r, hooks...)
	for _, c := range fires {
		if _, err := event.Fire(t.Context(), s, &c); err != nil {
			t.Fatal(err)
		}
	}
	r.Close(time.Minute)
	for line := range strings.Lines(text.String()) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, one)
	}
	if len(all) != len(fires) {
		t.Fatalf("%d lines for %d fires:\n%s", len(all), len(fires), text.String())
	}
	return all
}

// show returns a value as JSON with sorted members.
func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestALineSaysWhatEveryHookDid(t *testing.T) {
	other := command("other", runs{})
	other.Matcher, other.Pattern = match.Exact("Read"), "Read"
	one := lines(t, record.Config{}, []*hook.Hook{
		other, command("denies", runs{Exit: 2, Stderr: []byte("no")}), command("fails", runs{Exit: 1}), command("allows", runs{Stdout: []byte(`{"decision":"approve"}`)}),
	}, call{Tool: "Bash", Input: map[string]any{"command": "ls"}, ID: "toolu_1"})[0]
	for name, want := range map[string]string{
		"v": `1`, "event": `"test.Call"`, "session": `"s-1"`, "subject": `"Bash"`, "parent": `null`, "decision": `"deny"`, "stop": `false`, "rewritten": `false`,
		"failed_open": `1`, "conflicts": `[]`, "would": `null`,
		"input": `{"tool_input":{"command":"string"},"tool_name":"string","tool_use_id":"string"}`, "refs": `{"tool_use_id":"toolu_1"}`,
	} {
		if got := show(one[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if len(one["id"].(string)) != 26 || len(one["trace"].(string)) != 32 || len(one["span"].(string)) != 16 {
		t.Errorf("id %v, trace %v, span %v", one["id"], one["trace"], one["span"])
	}
	if at, err := time.Parse(time.RFC3339Nano, one["time"].(string)); err != nil || !strings.HasSuffix(one["time"].(string), "Z") || !strings.Contains(one["time"].(string), ".") || time.Since(at) > time.Hour {
		t.Errorf("time %v", one["time"])
	}
	var got []string
	for _, h := range one["hooks"].([]any) {
		h := h.(map[string]any)
		got = append(got, fmt.Sprint(h["command"], " ", h["ran"], " ", h["why"], " ", h["outcome"], " ", h["exit"], " ", h["decision"], " ", h["class"], " ", h["file"], " ", h["mode"], " ", h["ms"] != nil))
	}
	want := []string{
		"other false matcher <nil> <nil> <nil> <nil> settings.json:4:9 enforce false",
		"denies true <nil> blocking 2 deny <nil> settings.json:4:9 enforce true",
		"fails true <nil> non_blocking_error 1 <nil> exit settings.json:4:9 enforce true",
		"allows true <nil> success 0 allow <nil> settings.json:4:9 enforce true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if why := one["hooks"].([]any)[0].(map[string]any)["detail"]; why != `matcher "Read" does not match "Bash"` {
		t.Errorf("detail %v", why)
	}
}

func TestHowMuchOfTheInputIsKept(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"
	in := call{Tool: "Bash", Input: map[string]any{"a": []any{1, nil, true, "x"}}, Agent: "a1"}
	secret := call{Tool: "Bash", Input: map[string]any{"a": "use " + token}}
	long := call{Tool: "Bash", Input: map[string]any{"a": strings.Repeat("é", 5000)}, ID: "late"}
	tests := map[string]struct {
		cfg  record.Config
		in   call
		want string
	}{
		"keys":    {record.Config{}, in, `{"agent_id":"string","tool_input":{"a":["number","null","boolean","string"]},"tool_name":"string"} {"agent_id":"a1"}`},
		"nothing": {record.Config{Input: record.None}, in, `null {"agent_id":"a1"}`},
		"all":     {record.Config{Input: record.Full}, in, `{"agent_id":"a1","tool_input":{"a":[1,null,true,"x"]},"tool_name":"Bash"} {"agent_id":"a1"}`},
		"secrets": {record.Config{Input: record.Full}, secret, `{"tool_input":{"a":"use [redacted]"},"tool_name":"Bash"} null`},
		"long":    {record.Config{Input: record.Full, MaxInput: 64}, long, `{"tool_input":{"a":"éééé…"},"tool_name":"Bash","tool_use_id":"…"} {"tool_use_id":"late"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			one := lines(t, test.cfg, []*hook.Hook{command("hook", runs{})}, test.in)[0]
			got := show(one["input"]) + " " + show(one["refs"])
			if name == "long" {
				if got = show(one["input"]); len(got) > 140 || !strings.HasSuffix(got, `"tool_use_id":"…"}`) || show(one["refs"]) != `{"tool_use_id":"late"}` {
					t.Errorf("got %s %s", got, show(one["refs"]))
				}
				return
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestALineHasNoSecret(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789"
	h := command("guard.sh "+token, runs{Exit: 2, Stderr: []byte("because of " + token)})
	h.Name = token
	fails := command("fails", runs{Exit: 1, Stdout: []byte(token), Stderr: []byte(token)})
	text := show(lines(t, record.Config{Input: record.Full}, []*hook.Hook{h, fails}, call{Tool: token, ID: token})[0])
	if strings.Contains(text, token[:20]) || strings.Count(text, "[redacted]") < 6 {
		t.Errorf("the line is %s", text)
	}
}

func TestALineKnowsItsPlaceInATrace(t *testing.T) {
	var text bytes.Buffer
	r := record.New(&text, record.Config{Log: quiet})
	s := session(t, r, command("hook", runs{}))
	ctx := hook.WithTrace(t.Context(), hook.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
	if _, err := event.Fire(ctx, s, &call{Tool: "Bash"}); err != nil {
		t.Fatal(err)
	}
	r.Close(time.Minute)
	for _, l := range record.Lines(&text, nil) {
		if l.Trace != "4bf92f3577b34da6a3ce929d0e0e4736" || l.Parent != "00f067aa0ba902b7" || l.Span == l.Parent || len(l.Span) != 16 {
			t.Errorf("trace %s, span %s, parent %s", l.Trace, l.Span, l.Parent)
		}
		return
	}
	t.Error("there is no line")
}

// full is a writer whose disk has no free space.
type full struct{ written int }

func (f *full) Write([]byte) (int, error) {
	f.written++
	return 0, errors.New("no space left on device")
}

// stuck is a sink that blocks until the test releases it.
type stuck chan struct{}

func (s stuck) Write(b []byte) (int, error) { <-s; return len(b), nil }

func TestABrokenSinkIsCountedAndSaidOnce(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	var f full
	r := record.New(&f, record.Config{Log: slog.New(slog.NewTextHandler(writer{&mu, &log}, nil))})
	s := session(t, r, command("denies", runs{Exit: 2}))
	for range 20 {
		if res, err := event.Fire(t.Context(), s, &call{Tool: "Bash"}); err != nil || !res.Blocked() {
			t.Fatalf("the answer is %+v, %v", res, err)
		}
	}
	r.Close(time.Minute)
	if n, err := r.Lost(); n != 20 || err == nil || f.written != 20 {
		t.Errorf("%d lost (%v) of %d, want 20", n, err, f.written)
	}
	testkit.Eventually(t, "the log has one line, with the reason", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Count(log.String(), "\n") == 1 && strings.Contains(log.String(), "no space left")
	})
}

type writer struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (w writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(b)
}

func TestASinkThatHangsHoldsUpNoFire(t *testing.T) {
	hangs := make(stuck)
	r := record.New(hangs, record.Config{Log: quiet})
	s := session(t, r, command("denies", runs{Exit: 2}))
	quickest := time.Hour
	for range 3000 { // more than the queue holds
		start := time.Now()
		if res, err := event.Fire(t.Context(), s, &call{Tool: "Bash"}); err != nil || !res.Blocked() {
			t.Fatalf("the answer is %+v, %v", res, err)
		}
		quickest = min(quickest, time.Since(start))
	}
	if quickest > 2*time.Millisecond {
		t.Errorf("the quickest fire took %v", quickest)
	}
	if n, _ := r.Lost(); n < 1900 || n >= 3000 {
		t.Errorf("%d lines were dropped", n)
	}
	r.Close(time.Millisecond)
	if n, _ := r.Lost(); n != 3000 {
		t.Errorf("%d of 3000 lines count as lost", n)
	}
	close(hangs)
	event.Fire(t.Context(), s, &call{Tool: "Bash"})
	if n, _ := r.Lost(); n != 3001 {
		t.Errorf("after the end %d lines are lost, want 3001", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	silent := func(context.Context, call) (hook.Output[nothing], error) { return hook.Output[nothing]{}, nil }
	for _, name := range []string{"without", "with"} {
		b.Run(name, func(b *testing.B) {
			var o pipeline.Observer
			if name == "with" {
				r, err := record.Open(filepath.Join(b.TempDir(), "r.jsonl"), record.Config{Log: quiet})
				if err != nil {
					b.Fatal(err)
				}
				defer r.Close(time.Minute)
				o = r
			}
			s := session(b, o)
			event.On(s, "own", silent)
			b.ReportAllocs()
			for b.Loop() {
				event.Fire(context.Background(), s, &call{Tool: "Bash", ID: "toolu_1"})
			}
		})
	}
}
