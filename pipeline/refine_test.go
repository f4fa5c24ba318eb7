package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// judged is an event whose Refine changes the output of its hooks: it obeys the reasons "drop" and
// "panic".
var judged = pipeline.Declare(lively, pipeline.Spec[call, edit]{
	Name: "Judged",
	Refine: func(s *pipeline.Session, in *call, r *hook.Report[edit]) {
		said := s.Value(keyA{}, func() any { return &host{} }).(*host)
		said.finished(pipeline.Finished{Hook: r.Hook, Err: r.Err, Wake: in.Tool})
		switch r.Output.Reason {
		case "drop":
			r.Output = output{}
		case "panic":
			r.Output = output{}
			panic("oh")
		}
	},
	Conclude: func(s *pipeline.Session, in *call, res *hook.Result[edit]) {
		if s.Setting(keyA{}) != nil {
			res.OverriddenBlock, res.Decision = "the settings say so", ""
		}
		if in.Tool == "panic" {
			res.Decision, res.Answered = "", false
			panic("oh")
		}
	},
})

func TestAnEventAdjustsEveryReport(t *testing.T) {
	failing := runner(func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, errors.New("broken") })
	away := of(judged, "away", prints(0, "{}"))
	away.Background = hook.Async
	_, s := open(t, pipeline.Config{Load: []pipeline.Load{loads(of(judged, "a", prints(0, "{}")), of(judged, "fails", failing), away)}}, pipeline.SessionConfig{})
	judged.On(s, "go", func(context.Context, call) (output, error) { return output{}, errors.New("broken") })
	if res := fire(t, judged, s, call{Tool: "write"}); len(res.Errs()) != 2 {
		t.Errorf("errors %v", res.Errs())
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	seen := map[string]int{}
	for _, f := range s.Value(keyA{}, nil).(*host).all {
		if seen[f.Hook.Label()]++; f.Wake != "write" || (f.Err != nil) != (f.Hook.Command == "fails" || f.Hook.Name == "go") {
			t.Errorf("%s: err %v, input %q", f.Hook.Label(), f.Err, f.Wake)
		}
	}
	if seen["a"] != 1 || seen["fails"] != 1 || seen["go"] != 1 || seen["away"] != 2 {
		t.Errorf("the event was asked %v; want once for each, and twice for the one in the background", seen)
	}
}

func TestWhatAnEventAdjustsIsMerged(t *testing.T) {
	for reason, blocks := range map[string]bool{"keep": true, "drop": false, "panic": true} {
		text := logged(t, slog.LevelInfo, func(log *slog.Logger) {
			_, s := start(t, pipeline.Config{Log: log})
			judged.On(s, "guard", func(context.Context, call) (output, error) { return output{Decision: hook.Deny, Reason: reason}, nil })
			if res := fire(t, judged, s, call{Tool: "write"}); res.Blocked() != blocks || !res.OK() {
				t.Errorf("%s: blocked %v, errors %v; want %v, and that nothing failed", reason, res.Blocked(), res.Errs(), blocks)
			}
		})
		if want := `level=ERROR msg="the event could not adjust an answer" event=lively.Judged session=s1 panic=oh`; strings.Contains(text, want) != (reason == "panic") || strings.Count(text, "\n") > 1 {
			t.Errorf("%s: the log is\n%s", reason, text)
		}
	}
}

func TestAnEventHasTheLastWordOnAResult(t *testing.T) {
	lifting := func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Values: map[any]any{keyA{}: true}}, nil
	}
	for name, test := range map[string]struct {
		tool   string
		load   []pipeline.Load
		blocks bool
		logged bool
	}{
		"it stands":            {tool: "write", blocks: true},
		"a block is lifted":    {tool: "write", load: []pipeline.Load{lifting}},
		"a panic costs a line": {tool: "panic", blocks: true, logged: true},
	} {
		text := logged(t, slog.LevelInfo, func(log *slog.Logger) {
			_, s := start(t, pipeline.Config{Log: log, Load: test.load})
			judged.On(s, "guard", deny)
			res := fire(t, judged, s, call{Tool: test.tool})
			fired := judged.Describe(call{}, res)
			if res.Blocked() != test.blocks || !res.Answered || (res.OverriddenBlock != "") != (test.load != nil) || fired.Blocked {
				t.Errorf("%s: blocked %v, lifted %q; want %v", name, res.Blocked(), res.OverriddenBlock, test.blocks)
			}
		})
		if strings.Contains(text, `msg="the event could not conclude" event=lively.Judged`) != test.logged {
			t.Errorf("%s: the log is\n%s", name, text)
		}
	}
}
