package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// deep is an input that holds JSON text wherever it can be.
type deep struct {
	call
	Text string        `json:"text,omitzero"`
	List []wire.Object `json:"list,omitzero"`
	More *deep         `json:"more,omitzero"`
	Any  jsontext.Value
	Map  map[string]jsontext.Value `json:"map,omitzero"`
	Gone wire.Object               `json:"-"`
}

var deeply = pipeline.Declare(dialect, pipeline.Spec[deep, edit]{Name: "Deep", Can: pipeline.CanBlock})

var harmless = pipeline.Declare(dialect, pipeline.Spec[deep, edit]{Name: "Harmless", Can: pipeline.CanAddContext})

func TestAnInputThatIsNotJSONReachesNoHook(t *testing.T) {
	raw := func(text string) deep { return deep{call: call{Input: wire.Object(text)}} }
	tests := map[string]struct {
		in   deep
		want string // the error; empty if there is none
	}{
		"cut":                    {raw(`{"command":"rm -rf /"`), "input: line 1, column 22: not JSON: "},
		"in single quotes":       {raw(`'rm'`), "input: line 1, column 1: not JSON: "},
		"a trailing comma":       {raw(`{"command":"rm",}`), "input: line 1, column 17: not JSON: "},
		"a raw tab":              {raw("{\"command\":\"rm\t-rf\"}"), "input: line 1, column 15: not JSON: "},
		"something after it":     {raw(`{} {}`), "input: line 1, column 4: not JSON: "},
		"white space alone":      {raw(`  `), "input: line 1, column 3: not JSON: "},
		"no object":              {raw(`["rm"]`), "input: got an array, want an object"},
		"null":                   {raw(`null`), "input: got null, want an object"},
		"further members":        {deep{call: call{Extra: jsontext.Value(`[1]`)}}, "Extra: got an array, want an object"},
		"in a list":              {deep{List: []wire.Object{nil, wire.Object(`{`)}}, "list[1]: line 1, column 2: not JSON: "},
		"behind a pointer":       {deep{More: &deep{Any: jsontext.Value(`oh`)}}, "more.Any: line 1, column 1: not JSON: "},
		"in a map":               {deep{Map: map[string]jsontext.Value{"a": jsontext.Value(`1 2`)}}, "map.a: line 1, column 3: not JSON: "},
		"nothing at all":         {deep{}, ""},
		"what is never encoded":  {deep{Gone: wire.Object(`{`)}, ""},
		"any value":              {deep{Any: jsontext.Value(` [1, null] `)}, ""},
		"a name that comes back": {raw(`{"a":1,"a":2}`), ""},
		"bytes that are no text": {raw("{\"a\":\"\xff\"}"), ""},
	}
	for name, test := range tests {
		for form, outside := range map[string]bool{"in Go": false, "outside": true} {
			for _, e := range []*pipeline.Event[deep, edit]{deeply, harmless} {
				t.Run(name+" "+form+" "+e.Info().Name, func(t *testing.T) {
					ran := 0
					sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured(e.Info().Name, "1", counts(&ran)))}})
					if !outside {
						sys, s = start(t, pipeline.Config{})
						e.On(s, "own", func(context.Context, deep) (output, error) { ran++; return output{}, nil })
					}
					in := test.in
					res, err := e.Fire(t.Context(), s, &in)
					if test.want == "" {
						if err != nil || ran != 1 || res.Blocked() {
							t.Errorf("%d hooks ran, err %v, blocked %v", ran, err, res.Blocked())
						}
						return
					}
					wrong := new(hook.InputError)
					if !errors.As(err, &wrong) || wrong.Event != "test."+e.Info().Name || !strings.HasPrefix(err.Error(), "the input of "+wrong.Event+": "+test.want) {
						t.Errorf("err %v; want %q", err, test.want)
					}
					if ran != 0 || len(res.Reports) > 0 || sys.FailedOpen() != 0 || res.Blocked() != (e == deeply) {
						t.Errorf("%d hooks ran, blocked %v", ran, res.Blocked())
					}
				})
			}
		}
	}
}

// counts is a hook outside that counts its runs.
func counts(n *int) runner {
	return func(context.Context, hook.Call) (hook.Reply, error) { *n++; return hook.Reply{}, nil }
}

func TestAStreamOfAnInputThatIsNotJSONEndsWithTheError(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	event.On(s, "own", allow)
	var reports []hook.Report[edit]
	for r := range event.Stream(t.Context(), s, &call{Input: wire.Object(`{`)}) {
		reports = append(reports, r)
	}
	wrong := new(hook.InputError)
	if len(reports) != 1 || !reports[0].Concluded || !errors.As(reports[0].Err, &wrong) || !reports[0].Output.Decision.Blocks() || reports[0].Hook == nil {
		t.Errorf("%+v; want the error alone", reports)
	}
}

func TestAFireWithoutAnInputOrASessionIsAnError(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	event.On(s, "own", allow)
	for name, fire := range map[string]func() (*hook.Result[edit], error){
		"no input":                func() (*hook.Result[edit], error) { return event.Fire(t.Context(), s, nil) },
		"no input, and no hook":   func() (*hook.Result[edit], error) { return chain.Fire(t.Context(), s, nil) },
		"no session":              func() (*hook.Result[edit], error) { return event.Fire(t.Context(), nil, &call{}) },
		"neither":                 func() (*hook.Result[edit], error) { return event.Fire(t.Context(), nil, nil) },
		"with progress":           func() (*hook.Result[edit], error) { return event.FireProgress(t.Context(), s, nil, nil) },
		"in a stream, no input":   func() (*hook.Result[edit], error) { return last(t, event, s, nil) },
		"in a stream, no session": func() (*hook.Result[edit], error) { return last(t, event, nil, &call{}) },
	} {
		res, err := fire()
		if wrong := new(hook.InputError); !errors.As(err, &wrong) || !res.Blocked() || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: %v, blocked %v", name, err, res.Blocked())
		}
	}
	if event.Active(nil) {
		t.Error("an event is active without a session")
	}
}

// last is the last report of a stream, as a result.
func last(t *testing.T, e *pipeline.Event[call, edit], s *pipeline.Session, in *call) (res *hook.Result[edit], err error) {
	n := 0
	for r := range e.Stream(t.Context(), s, in) {
		n++
		res, err = &hook.Result[edit]{Output: r.Output}, r.Err
	}
	if n == 0 {
		t.Fatal("the stream is empty")
	}
	return res, err
}

// A Go hook that rewrites in a chain can make an input that has no JSON.
var rewriting = pipeline.Declare(dialect, pipeline.Spec[deep, edit]{
	Name: "Rewriting", Can: pipeline.CanBlock, Rules: pipeline.Rules{Sequential: true},
	Chain: func(d deep, o hook.Output[edit]) deep { d.Any = jsontext.Value(o.Reason); return d },
})

func TestAnInputThatAHookMakesUselessBlocks(t *testing.T) {
	ran := 0
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(configured("Rewriting", "1", counts(&ran)), configured("Rewriting", "2", counts(&ran)))}})
	rewriting.On(s, "own", func(context.Context, deep) (output, error) { return output{Reason: "{"}, nil })
	res, err := rewriting.Fire(t.Context(), s, &deep{})
	if wrong := new(hook.InputError); !errors.As(err, &wrong) || !res.Blocked() || ran != 0 || sys.FailedOpen() != 0 {
		t.Errorf("%d hooks ran, err %v, blocked %v, failed open %d", ran, err, res.Blocked(), sys.FailedOpen())
	}
}

func TestAnAnswerInGoThatIsNotJSONFailsUnlessItDenies(t *testing.T) {
	for decision, blocked := range map[hook.Decision]bool{hook.Allow: false, hook.Deny: true} {
		_, s := start(t, pipeline.Config{})
		event.On(s, "own", func(context.Context, call) (output, error) {
			return output{Decision: decision, Reason: "why", Specific: edit{Input: wire.Object(`{"a":`)}}, nil
		})
		res := fire(t, event, s, call{})
		r := res.Reports[0]
		if res.Blocked() != blocked || (r.Err != nil) == blocked || (len(r.Notes) == 1) != blocked || res.Specific.Input != nil {
			t.Errorf("%s: blocked %v, err %v, notes %q, own part %s", decision, res.Blocked(), r.Err, r.Notes, res.Specific.Input)
		}
	}
}

// Closing is not the same as having no hooks.
func TestAClosedSystemBlocksWhetherOrNotHooksAreThere(t *testing.T) {
	other := configured("Call", "other", prints(0, "{}"))
	sys, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(other)}})
	own := visit(t, sys, pipeline.SessionConfig{})
	chain.On(own, "own", allow)
	sys.Close()
	chain.On(s, "late", allow)
	for _, ses := range []*pipeline.Session{s, own} {
		for _, e := range []*pipeline.Event[call, edit]{event, chain, guarded} {
			if !e.Active(ses) {
				t.Errorf("%s is not active: a host would not fire", e.Info().Name)
			}
			if res := fireClosed(t, e, ses); res.Reason != hook.ErrClosed.Error() {
				t.Errorf("%s: the reason is %q", e.Info().Name, res.Reason)
			}
			res, err := last(t, e, ses, &call{Tool: "write"})
			if !errors.Is(err, hook.ErrClosed) || !res.Blocked() {
				t.Errorf("%s: a stream ends with %v", e.Info().Name, err)
			}
		}
		if res, err := harmless.Fire(t.Context(), ses, &deep{}); !errors.Is(err, hook.ErrClosed) || res.Blocked() {
			t.Errorf("an event that cannot block: %v, blocked %v", err, res.Blocked())
		}
		if fired, err := event.FireJSON(t.Context(), ses, []byte(`{"tool":"write"}`)); !errors.Is(err, hook.ErrClosed) || !fired.Blocked {
			t.Errorf("as JSON: %v, %+v", err, fired)
		}
	}
}

// What is written into the result that fires share decides nothing.
func TestTheSharedResultCannotBePoisoned(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	for name, poison := range map[string]func(*hook.Result[edit]){
		"a denial":  func(r *hook.Result[edit]) { r.Decision = hook.Deny },
		"a stop":    func(r *hook.Result[edit]) { r.Stop = true },
		"a report":  func(r *hook.Result[edit]) { r.Reports = append(r.Reports, hook.Report[edit]{}) },
		"a rewrite": func(r *hook.Result[edit]) { r.Specific.Input = wire.Object(`{"a":1}`) },
		"everything": func(r *hook.Result[edit]) {
			r.Answered, r.OverriddenBlock, r.Message, r.Raw = true, "x", "y", []byte("{}")
		},
	} {
		poison(fire(t, event, s, call{}))
		res, err := event.Fire(t.Context(), s, &call{})
		if err != nil || res.Blocked() || !res.OK() || res.Stop || len(res.Reports) > 0 || res.Specific.Input != nil || res.Answered || res.Message != "" || res.OverriddenBlock != "" {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		poison(res)
		if fired := event.Describe(call{}, res); fired.Blocked || fired.Stop || len(fired.Hooks) > 0 || fired.Result.FinalOutput != nil {
			t.Errorf("%s: %+v", name, fired)
		}
	}
}
