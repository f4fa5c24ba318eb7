package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// moving is an event whose input has the directory in which the agent works.
var moving = pipeline.Declare(dialect, pipeline.Spec[call, edit]{
	Name:           "Moving",
	Subject:        func(c *call) *string { return &c.Tool },
	ConditionInput: func(c *call) hook.ConditionInput { return hook.ConditionInput{Tool: c.Tool, Input: c.Input} },
	Dir: func(c *call) string {
		if c.Tool == "cd" {
			return "/elsewhere"
		}
		return ""
	},
	Vars: func(s *pipeline.Session, c *call) []string { return shared[:1+len(c.Tool)%2] },
})

// shared is a slice of variables with spare capacity, to which the engine must not append.
var shared = append(make([]string, 0, 8), "ONE=1", "TWO=2")

func TestHooksRunWhereTheInputSays(t *testing.T) {
	var got hook.Call
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Moving", "reads", func(_ context.Context, c hook.Call) (hook.Reply, error) { got = c; return hook.Reply{}, nil }))}})
	for tool, want := range map[string]struct{ dir, payload, vars string }{
		"cd":    {"/elsewhere", `{"session_id":"s1","transcript_path":"/t.jsonl","hook_event_name":"Moving","tool":"cd","cwd":"/elsewhere"}`, "ONE=1"},
		"write": {"/tmp", `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/tmp","hook_event_name":"Moving","tool":"write"}`, "ONE=1 TWO=2"},
	} {
		in := call{Tool: tool}
		if tool == "cd" {
			in.Extra = []byte(`{"cwd":"/elsewhere"}`) // set by the input
		}
		fire(t, moving, s, in)
		if got.Dir != want.dir || string(got.Payload) != want.payload || !strings.HasPrefix(strings.Join(got.Env, " "), want.vars) {
			t.Errorf("%s: in %s with %q it read\n%s\nwant %s, %q and\n%s", tool, got.Dir, got.Env, got.Payload, want.dir, want.vars, want.payload)
		}
	}
}

func TestAPayloadEndsWithANewlineWhereTheDialectSaysSo(t *testing.T) {
	var payloads []string
	reads := runner(func(_ context.Context, c hook.Call) (hook.Reply, error) {
		payloads = append(payloads, string(c.Payload))
		return hook.Reply{}, nil
	})
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(of(toolDone, "a", reads), of(event, "a", reads))}})
	fire(t, toolDone, s, call{Tool: "write"})
	fire(t, event, s, call{Tool: "write"})
	if !strings.HasSuffix(payloads[0], "}\n") || strings.Count(payloads[0], "\n") != 1 || strings.Contains(payloads[1], "\n") {
		t.Errorf("payloads %q; want a newline behind the first alone", payloads)
	}
}

func TestHooksInGoRunLastWhereTheDialectSaysSo(t *testing.T) {
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(of(toolDone, "settings", prints(0, "")), of(event, "settings", prints(0, "")))}})
	for _, e := range []*pipeline.Event[call, edit]{toolDone, event} {
		e.On(s, "own", allow)
		e.On(sys, "host", allow)
	}
	if got := labels(fire(t, toolDone, s, call{Tool: "write"})); got != "[settings host own]" {
		t.Errorf("%s ran, want the host's last", got)
	}
	if got := labels(fire(t, event, s, call{Tool: "write"})); got != "[host own settings]" {
		t.Errorf("%s ran, want the host's first", got)
	}
	var listed []string
	for _, h := range s.Hooks() {
		listed = append(listed, h.Dialect+"/"+h.Label())
	}
	if got := strings.Join(listed, " "); got != "test/host test/own test/settings lively/settings lively/host lively/own" {
		t.Errorf("listed %s", got)
	}
}

var (
	lateFuncs = declare("LateFuncs", pipeline.Rules{LateFuncBlocks: true})
	lateAll   = declare("LateAll", pipeline.Rules{LateBlocks: true})
)

func TestWhatBlocksWhenItFails(t *testing.T) {
	fails := runner(func(context.Context, hook.Call) (hook.Reply, error) { return hook.Reply{}, errors.New("broken") })
	late := func(ctx context.Context, _ call) (output, error) { <-ctx.Done(); return output{}, ctx.Err() }
	broken := func(context.Context, call) (output, error) { return output{}, errors.New("broken") }
	for name, test := range map[string]struct {
		event  *pipeline.Event[call, edit]
		run    hook.Runner
		fn     hook.Func[call, edit]
		closed bool // set by the hook
		blocks bool
	}{
		"nothing, at most":            {event: event, run: runner(hangs)},
		"nor a function":              {event: event, fn: late},
		"a hook that says so":         {event: event, run: fails, closed: true, blocks: true},
		"also when it is late":        {event: event, run: runner(hangs), closed: true, blocks: true},
		"not when it has worked":      {event: event, run: prints(0, ""), closed: true},
		"also with a bad status":      {event: event, run: prints(1, ""), closed: true, blocks: true},
		"a late hook":                 {event: lateAll, run: runner(hangs), blocks: true},
		"a late function":             {event: lateAll, fn: late, blocks: true},
		"no other failure":            {event: lateAll, run: fails},
		"a late function alone":       {event: lateFuncs, fn: late, blocks: true},
		"no late hook then":           {event: lateFuncs, run: runner(hangs)},
		"and no other failure of one": {event: lateFuncs, fn: broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var hooks []*hook.Hook
				if test.run != nil {
					h := of(test.event, "hook", test.run)
					h.FailClosed = test.closed
					hooks = append(hooks, h)
				}
				sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}})
				if test.fn != nil {
					test.event.On(s, "hook", test.fn)
				}
				res := fire(t, test.event, s, call{Tool: "write"})
				reason := "The guard of " // without the command, which a model must not see
				if test.fn != nil {
					reason = `hook "hook": `
				}
				if res.Blocked() != test.blocks || test.blocks && !strings.Contains(res.Reason, reason) {
					t.Errorf("blocked %v, reason %q; want %v", res.Blocked(), res.Reason, test.blocks)
				}
				if open := sys.FailedOpen(); test.blocks && open != 0 {
					t.Errorf("failed open %d", open)
				}
			})
		})
	}
}

// The end of the caller's own deadline is not a timeout of the hook.
func TestACallerWithoutTimeIsNoLateHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(of(lateAll, "hook", runner(hangs)))}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if res, err := lateAll.Fire(ctx, s, &call{Tool: "write"}); !errors.Is(err, context.DeadlineExceeded) || !res.Reports[0].FailedOpen() {
			t.Errorf("%+v, err %v; want the hook not to block", res.Reports[0], err)
		}
	})
}
