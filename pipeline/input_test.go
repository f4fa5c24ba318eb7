package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
)

func TestInputErrorsSayWhereAndWhatToWrite(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	event.On(s, "never", func(context.Context, call) (output, error) { t.Error("a hook ran"); return output{}, nil })
	tests := map[string]struct{ input, want string }{
		"nothing":             {``, "line 1, column 1: not JSON: "},
		"text":                {"{\n  \"tool\": oh}", "line 2, column 11: not JSON: invalid character 'o'"},
		"a byte order mark":   {"\uFEFF{}", "line 1, column 1: not JSON: "},
		"something behind":    {"{}\n{}", "line 2, column 1: not JSON: "},
		"an array":            {`[{"tool":"x"}]`, "got an array, want an object with the event's fields"},
		"a member of no use":  {`{"tool":7}`, "line 1, column 9: tool: got a number, want a string"},
		"a null of no use":    {`{"tool":null}`, "tool: missing; want a string that is not empty"},
		"a member is missing": {`{}`, "tool: missing; want a string that is not empty"},
		"an object is wanted": {`{"tool":"x","input":"rm"}`, "line 1, column 21: input: got a string, want an object"},
		"a number is wanted":  {"{\"tool\":\"x\",\n  \"count\" : \"many\"}", "line 2, column 13: count: got a string, want a number"},
		"a number of no use":  {`{"tool":"x","count":1.5}`, "line 1, column 21: count: 1.5 is not a whole number"},
		"a number of no room": {`{"tool":"x","count":1e99}`, "line 1, column 21: count: 1e99 is not a whole number"},
		"a number too large":  {`{"tool":"x","count":99999999999999999999}`, "line 1, column 21: count: 99999999999999999999 is too large or too small"},
		"the last one counts": {`{"tool":"x","tool":{}}`, "line 1, column 20: tool: got an object, want a string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			fired, err := event.FireJSON(t.Context(), s, []byte(test.input))
			var in *pipeline.InputError
			if fired != nil || !errors.As(err, &in) || in.Event != "test.Call" || !strings.HasPrefix(err.Error(), "the input of test.Call: "+test.want) {
				t.Errorf("got %+v, err %v; want %q", fired, err, test.want)
			}
			if _, planErr := event.PlanJSON(s, []byte(test.input)); planErr == nil || planErr.Error() != err.Error() {
				t.Errorf("the plan's error is %v, want the same", planErr)
			}
		})
	}
}

func TestMembersOfEveryPayloadAreTheEngines(t *testing.T) {
	var payload string
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Call", "reads", func(_ context.Context, c hook.Call) (hook.Reply, error) {
		payload = string(c.Payload)
		if c.Session != "s1" || c.Dir != "/tmp" {
			t.Errorf("the hook runs for %q in %q", c.Session, c.Dir)
		}
		return hook.Reply{}, nil
	}))}})
	const forged = `{"session_id":"forged", "session\u005fid":"forged", "cwd":"/forged", "hook_event_name":"Forged", "transcript_path":7, "tool":"write", "input":{"n":1.50}, "later":[1] }`
	if _, err := event.FireJSON(t.Context(), s, []byte(forged)); err != nil {
		t.Fatal(err)
	}
	want := `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/tmp","hook_event_name":"Call","tool":"write","input":{"n":1.50},"later":[1]}`
	if payload != want {
		t.Errorf("got  %s\nwant %s", payload, want)
	}
}

var empty = pipeline.Declare(dialect, pipeline.Spec[struct{}, edit]{Name: "Empty"})

func TestAPayloadWithoutMembersOfItsOwn(t *testing.T) {
	var payload string
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Empty", "reads", func(_ context.Context, c hook.Call) (hook.Reply, error) {
		payload = string(c.Payload)
		return hook.Reply{}, nil
	}))}})
	if _, err := empty.Fire(t.Context(), s, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	if want := `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/tmp","hook_event_name":"Empty"}`; payload != want {
		t.Errorf("got  %s\nwant %s", payload, want)
	}
}

func TestPlanJSONSaysWhatFireWouldRun(t *testing.T) {
	other := configured("Chain", "other", prints(0, "{}"))
	other.Matcher = match.Exact("other")
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Chain", "runs", prints(0, "{}")), other)}})
	p, err := chain.PlanJSON(s, []byte(`{"tool":"write"}`))
	if err != nil || len(p.Run) != 1 || len(p.Skipped) != 1 || p.Skipped[0].Reason != hook.NotMatched || !p.Sequential {
		t.Errorf("plan %+v, err %v", p, err)
	}
}

func TestAFireInJSONTermsHasEveryMember(t *testing.T) {
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(
		configured("Call", "deny.sh", prints(2, "no")), configured("Call", "fails.sh", prints(1, "")), configured("Call", "stops.sh", prints(0, `{"continue":false,"systemMessage":" m ","suppressOutput":true,"later":1}`)),
	)}})
	fired, err := event.FireJSON(t.Context(), s, []byte(`{"tool":"write"}`))
	if err != nil {
		t.Fatal(err)
	}
	if !fired.Blocked || !fired.Stop || lo.FromPtr(fired.Reason) != "no" || fired.Result.Success || len(fired.Result.AllOutputs) != 2 || len(fired.Result.Errors) != 0 {
		t.Errorf("got %+v", fired)
	}
	if p := fired.Processed; !p.ShouldStop || *p.StopReason != "no" || *p.SystemMessage != " m " || !p.SuppressOutput {
		t.Errorf("processed %+v", p)
	}
	for i, want := range []pipeline.Outcome{pipeline.Blocking, pipeline.NonBlockingError, pipeline.Success} {
		if run := fired.Hooks[i]; run.Outcome != want || run.ExitCode == nil || run.Source != "project" {
			t.Errorf("hook %d: %+v, want %s", i, run, want)
		}
	}
	if got := string(*fired.Hooks[2].Output); !strings.Contains(got, `"later":1`) {
		t.Errorf("the answer lost a member: %s", got)
	}
	unblocked, err := guarded.FireJSON(t.Context(), s, []byte(`{"tool":"write"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(unblocked, json.Deterministic(true))
	want := `{"event":"test.Guarded","blocked":false,"stop":false,"reason":null,"result":{"success":true,"finalOutput":null,"allOutputs":[],"errors":[],"totalDuration":0},` +
		`"processed":{"shouldStop":false,"stopReason":null,"systemMessage":null,"suppressOutput":false},"effects":null,"hooks":[]}`
	if err != nil || string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// FuzzFireJSON checks that any input is either an InputError, or reaches the hooks.
func FuzzFireJSON(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"tool":"x"}`, `{"tool":"x","input":[]}`, `{"tool":"x","count":1e99}`, "{\"tool\":\"\xff\"}", `{"tool":"x"`, `{"tool":"\ud800","a":{"a":1,"a":2}}`, "\uFEFF{}", `{"session_id":{}`} {
		f.Add(seed)
	}
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet, Load: []pipeline.Load{loads(configured("Call", "reads", prints(0, "{}")))}})
	defer sys.Close()
	s, err := sys.NewSession(context.Background(), pipeline.SessionConfig{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sameHoweverLarge(t, s, text)
		fired, err := event.FireJSON(t.Context(), s, []byte(text))
		var in *pipeline.InputError
		if err != nil && (!errors.As(err, &in) || len(err.Error()) < len("the input of test.Call: ?")) {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil && (len(fired.Hooks) != 1 || fired.Hooks[0].Error != nil) {
			t.Errorf("%q: %+v", text, fired.Hooks)
		}
	})
}

var heading = &pipeline.Dialect{
	Name: "heading",
	Head: func(dst []byte, h pipeline.Head) []byte {
		return fmt.Appendf(dst, `"event":%q,"id":%q,"at":%q`, h.Event, h.Session, h.Dir)
	},
	BaseNames: []string{"event", "id", "at"},
}

var headed = pipeline.Declare(heading, pipeline.Spec[call, edit]{Name: "Headed"})

func TestADialectCanNameTheMembersOfEveryPayload(t *testing.T) {
	var payload string
	h := configured("Headed", "reads", func(_ context.Context, c hook.Call) (hook.Reply, error) {
		payload = string(c.Payload)
		return hook.Reply{}, nil
	})
	h.Dialect = "heading"
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}})
	if _, err := headed.Fire(t.Context(), s, &call{Tool: "x"}); err != nil {
		t.Fatal(err)
	}
	if want := `{"event":"Headed","id":"s1","at":"/tmp","tool":"x"}`; payload != want {
		t.Errorf("got  %s\nwant %s", payload, want)
	}
}
