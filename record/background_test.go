package record_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

// naps is a hook that runs for a given time, and then ends in a given way.
type naps struct {
	time.Duration
	runs
}

func (n naps) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	testkit.Sleep(n.Duration)
	return n.runs.Run(ctx, c)
}

func inBackground(text string, r hook.Runner) *hook.Hook {
	h := command(text, r)
	h.Background = hook.Async
	return h
}

// ends describes the lines of a record in words, with the ends of background hooks.
func ends(t *testing.T, text *bytes.Buffer) string {
	t.Helper()
	var words []string
	ids := map[string]int{}
	for _, l := range record.Lines(strings.NewReader(text.String()), func(n int, err error) { t.Errorf("line %d: %v", n, err) }) {
		word := "fire"
		if l.Late != "" {
			word = fmt.Sprint("late of ", ids[l.Late])
			if l.Parent == "" || l.Decision != "" || string(l.Input) != "null" {
				t.Errorf("a late line is %+v", l)
			}
		}
		ids[l.ID] = len(ids) + 1
		for _, h := range l.Hooks {
			word += " " + h.Command + " " + h.Outcome
			if b := h.Background; b != nil {
				word += fmt.Sprint(" then ", b.Outcome, " after ", b.MS, "ms")
				if b.Exit != nil {
					word += fmt.Sprint(" with ", *b.Exit)
				}
			}
		}
		words = append(words, word)
	}
	return strings.Join(words, "\n")
}

func TestARecordHasTheEndsOfHooksInTheBackground(t *testing.T) {
	quick, slow := naps{0, runs{}}, naps{3 * time.Second, runs{Exit: 1, Stderr: []byte("bad")}}
	tests := map[string]struct {
		hold  bool
		hooks []*hook.Hook
		close time.Duration // time from the fire until the record is closed, before the hooks end
		want  string
	}{
		"a second line": {
			hooks: []*hook.Hook{command("own", runs{}), inBackground("slow", slow)},
			want:  "fire own success slow backgrounded\nlate of 1 slow backgrounded then non_blocking_error after 3000ms with 1",
		},
		"one for each hook, as they end": {
			hooks: []*hook.Hook{inBackground("slow", slow), inBackground("second", naps{time.Second, runs{}})},
			want: "fire slow backgrounded second backgrounded\nlate of 1 second backgrounded then success after 1000ms with 0\n" +
				"late of 1 slow backgrounded then non_blocking_error after 3000ms with 1",
		},
		"in the line of the fire, if it ends before": {
			hooks: []*hook.Hook{inBackground("quick", quick), command("own", naps{time.Second, runs{}})},
			want:  "fire quick backgrounded then success after 0ms with 0 own success",
		},
		"in a line that is held": {
			hold:  true,
			hooks: []*hook.Hook{command("own", runs{}), inBackground("slow", slow), inBackground("quick", quick)},
			want:  "fire own success slow backgrounded then non_blocking_error after 3000ms with 1 quick backgrounded then success after 0ms with 0",
		},
		"closing writes what is held": {
			hold:  true,
			hooks: []*hook.Hook{inBackground("slow", slow), inBackground("second", naps{time.Second, runs{}})},
			close: 2 * time.Second,
			want:  "fire slow backgrounded second backgrounded then success after 1000ms with 0",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var text bytes.Buffer
				r := record.New(&text, record.Config{Hold: test.hold, Log: quiet})
				s := session(t, r, test.hooks...)
				if _, err := event.Fire(t.Context(), s, &call{Tool: "Bash"}); err != nil {
					t.Fatal(err)
				}
				if test.close > 0 {
					time.Sleep(test.close)
				} else if err := s.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				r.Close(time.Minute)
				if got := ends(t, &text); got != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
			})
		})
	}
}

// Many fires run at once, and their background hooks end before or after them: the record has one line for each fire,
// and the end of each hook once.
func TestNoEndInTheBackgroundIsLost(t *testing.T) {
	for _, hold := range []bool{false, true} {
		var text bytes.Buffer
		r := record.New(&text, record.Config{Hold: hold, Log: slog.New(slog.DiscardHandler)})
		sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Observe: []pipeline.Observer{r}, Load: []pipeline.Load{
			func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
				return pipeline.Loaded{Hooks: []*hook.Hook{
					inBackground("quick", runs{}), command("own", runs{}), inBackground("slow", naps{100 * time.Microsecond, runs{}}),
				}}, nil
			},
		}})
		s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		const fires = 200
		done := make(chan error, fires)
		for range fires {
			go func() {
				_, err := event.Fire(context.Background(), s, &call{Tool: "Bash"})
				done <- err
			}()
		}
		for range fires {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		sys.Close()
		r.Close(time.Minute)
		lines, late, ends := 0, 0, 0
		for _, l := range record.Lines(&text, func(n int, err error) { t.Errorf("line %d: %v", n, err) }) {
			if l.Late != "" {
				late++
			} else {
				lines++
			}
			for _, h := range l.Hooks {
				if h.Background != nil {
					ends++
				}
			}
		}
		if lines != fires || ends != 2*fires || hold && late > 0 {
			t.Errorf("hold %v: %d fires, %d late lines, %d ends; want %d, and %d ends", hold, lines, late, ends, fires, 2*fires)
		}
	}
}
