package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// deep is an input with JSON text at every position that may hold JSON text.
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
		want string // the error; empty: no error
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

// counts is a hook outside the process that counts its runs.
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
		"no input":              func() (*hook.Result[edit], error) { return event.Fire(t.Context(), s, nil) },
		"no input, and no hook": func() (*hook.Result[edit], error) { return chain.Fire(t.Context(), s, nil) },
		"no session":            func() (*hook.Result[edit], error) { return event.Fire(t.Context(), nil, &call{}) },
		"neither":               func() (*hook.Result[edit], error) { return event.Fire(t.Context(), nil, nil) },
		"with progress":         func() (*hook.Result[edit], error) { return event.FireProgress(t.Context(), s, nil, nil) },
		"in a stream, no input": func() (*hook.Result[edit], error) { return last(t, event, s, nil) },
		"an empty session":      func() (*hook.Result[edit], error) { return event.Fire(t.Context(), new(pipeline.Session), &call{}) },
		"an empty one, progress": func() (*hook.Result[edit], error) {
			return event.FireProgress(t.Context(), new(pipeline.Session), &call{}, nil)
		},
		"an empty one, a stream":  func() (*hook.Result[edit], error) { return last(t, event, new(pipeline.Session), &call{}) },
		"an empty one, no input":  func() (*hook.Result[edit], error) { return event.Fire(t.Context(), new(pipeline.Session), nil) },
		"in a stream, no session": func() (*hook.Result[edit], error) { return last(t, event, nil, &call{}) },
	} {
		res, err := fire()
		if wrong := new(hook.InputError); !errors.As(err, &wrong) || !res.Blocked() || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: %v, blocked %v", name, err, res.Blocked())
		}
	}
	for name, s := range map[string]*pipeline.Session{"no": nil, "an empty": new(pipeline.Session)} {
		if res, err := event.FireJSON(t.Context(), s, []byte(`{"tool":"write"}`)); err == nil || !res.Blocked {
			t.Errorf("JSON in %s session: %+v, %v; want an error, and a denial", name, res, err)
		}
		if _, err := event.PlanJSON(s, []byte(`{"tool":"write"}`)); err == nil {
			t.Errorf("a plan in %s session: no error", name)
		}
	}
	if event.Active(nil) || event.Active(new(pipeline.Session)) {
		t.Error("an event is active without a session")
	}
}

// last returns the last report of a stream as a result.
func last(t *testing.T, e *pipeline.Event[call, edit], s *pipeline.Session, in *call, of ...context.Context) (res *hook.Result[edit], err error) {
	n, ctx := 0, append(of, t.Context())[0]
	for r := range e.Stream(ctx, s, in) {
		n++
		res, err = &hook.Result[edit]{Output: r.Output}, r.Err
	}
	if n == 0 {
		t.Fatal("the stream is empty")
	}
	return res, err
}

// rewriting is an event in whose chain a hook in Go can make an input that cannot be encoded as JSON.
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

// A fire of a closed system blocks, also if it has no hooks.
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

// Writes to the shared result of idle fires change no decision.
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

func TestHooksAreAddedToWhatWasMade(t *testing.T) {
	for name, at := range map[string]pipeline.Scope{
		"nothing": nil, "a nil system": (*pipeline.System)(nil), "a nil session": (*pipeline.Session)(nil),
		"an empty system": new(pipeline.System), "an empty session": new(pipeline.Session),
	} {
		h := &hook.Hook{Identity: hook.Identity{Dialect: "test", Event: "Call", Name: "guard"}, Func: hook.Func[call, edit](allow)}
		if _, err := pipeline.Register(at, h); err == nil || !strings.Contains(err.Error(), "want a System from NewSystem") {
			t.Errorf("Register at %s: %v", name, err)
		}
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, "add hooks of test.Call: ") {
					t.Errorf("On at %s: %q; want to be told what is wrong", name, v)
				}
			}()
			event.On(at, "guard", allow)
		}()
	}
}

// A fire whose guards have not answered blocks, even if the caller ended it.
func TestACallerThatEndsBeforeItsGuardsIsBlocked(t *testing.T) {
	denies := func(context.Context, call) (output, error) { return output{Decision: hook.Deny}, nil }
	waits := func(ctx context.Context, _ call) (output, error) { <-ctx.Done(); return output{}, ctx.Err() }
	gone := func(ctx context.Context) context.Context {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx
	}
	tests := map[string]struct {
		ctx      func(context.Context) context.Context
		hooks    []hook.Func[call, edit]
		outside  runner
		observer pipeline.Observer
		stays    bool // the end of the context has no effect: there is no error and no denial
	}{
		"before, of one in Go":  {ctx: gone, hooks: []hook.Func[call, edit]{denies}},
		"before, of two":        {ctx: gone, hooks: []hook.Func[call, edit]{allow, denies}},
		"before, of a program":  {ctx: gone, outside: prints(2, "")},
		"before, of no hook":    {ctx: gone, stays: true},
		"meanwhile, of a guard": {ctx: soon, hooks: []hook.Func[call, edit]{waits}},
		"meanwhile, of one":     {ctx: soon, hooks: []hook.Func[call, edit]{allow, waits}},
		"meanwhile, outside":    {ctx: soon, outside: hangs},
		"what an observer made": {
			ctx: func(ctx context.Context) context.Context { return ctx }, hooks: []hook.Func[call, edit]{denies},
			observer: ending{func(context.Context, *pipeline.Evaluation) {}},
		},
	}
	for name, test := range tests {
		for _, e := range []*pipeline.Event[call, edit]{event, chain} {
			synctest.Test(t, func(t *testing.T) {
				cfg := pipeline.Config{}
				if test.outside != nil {
					cfg.Load = []pipeline.Load{loads(configured(e.Info().Name, "guard", test.outside))}
				}
				if test.observer != nil {
					cfg.Observe = []pipeline.Observer{test.observer}
				}
				_, s := start(t, cfg)
				for i, f := range test.hooks {
					e.On(s, fmt.Sprint(i), f)
				}
				res, err := e.Fire(test.ctx(t.Context()), s, &call{Tool: "write"})
				if test.stays {
					if err != nil || res.Blocked() {
						t.Errorf("%s: %v, blocked %v", name, err, res.Blocked())
					}
					return
				}
				if !errors.Is(err, context.Canceled) || !res.Blocked() || res.Reason == "" {
					t.Errorf("%s, %s: %v, blocked %v, reason %q; want the context's error, and a denial", name, e.Info().Name, err, res.Blocked(), res.Reason)
				}
				streamed, err := last(t, e, s, &call{Tool: "write"}, test.ctx(t.Context()))
				if err == nil || !streamed.Blocked() {
					t.Errorf("%s, %s: in a stream: %v, blocked %v", name, e.Info().Name, err, streamed.Blocked())
				}
			})
		}
	}
}

// soon returns a context that ends in a second.
func soon(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(time.Second, cancel)
	return ctx
}

// ending is an observer that returns, as the context of the hooks, a context that has ended.
type ending struct{ pipeline.HookEnds }

func (ending) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

// If the caller's context ends after every hook has answered, the answers take effect, and Fire
// returns the context's error.
func TestACallerThatEndsAfterItsGuardsHasTheirAnswer(t *testing.T) {
	_, s := start(t, pipeline.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	event.On(s, "late", func(context.Context, call) (output, error) { cancel(); return output{Context: "seen"}, nil })
	if res, err := event.Fire(ctx, s, &call{}); !errors.Is(err, context.Canceled) || res.Blocked() || res.Context != "seen" {
		t.Errorf("%v, blocked %v, context %q", err, res.Blocked(), res.Context)
	}
}

// voting is an event whose hooks vote in a field of their answer.
var voting = pipeline.Declare(dialect, pipeline.Spec[call, ballot]{
	Name: "Voting", Can: pipeline.CanBlock,
	CheckOutput: func(o *hook.Output[ballot]) error {
		if v := o.Specific.Vote; v != "" && v != "yes" && v != "no" {
			return fmt.Errorf("vote is %q; want yes or no", v)
		}
		return nil
	},
})

type ballot struct {
	Vote string `json:"vote"`
}

func TestAnUnknownWordOfAGoFunctionIsItsFailure(t *testing.T) {
	type vote = hook.Output[ballot]
	for name, test := range map[string]struct {
		says          vote
		fails, blocks bool
	}{
		"a word it knows":     {says: vote{Specific: ballot{"no"}}},
		"one it does not":     {says: vote{Specific: ballot{"No"}}, fails: true},
		"one beside a denial": {says: vote{Decision: hook.Deny, Specific: ballot{"No"}}, blocks: true},
		"one beside a stop":   {says: vote{Stop: true, Specific: ballot{"No"}}},
		"a decision":          {says: vote{Decision: "Deny"}, fails: true},
	} {
		sys, s := start(t, pipeline.Config{})
		voting.On(s, "guard", func(context.Context, call) (vote, error) { return test.says, nil })
		res, err := voting.Fire(t.Context(), s, &call{})
		if err != nil {
			t.Fatal(err)
		}
		failed := res.Reports[0].Err != nil && hook.ClassOf(res.Reports[0].Err) == hook.ClassOutput
		if failed != test.fails || res.Blocked() != test.blocks || res.Stop != test.says.Stop || (sys.FailedOpen() == 1) != test.fails {
			t.Errorf("%s: error %v, blocked %v, stop %v, failed open %d", name, res.Reports[0].Err, res.Blocked(), res.Stop, sys.FailedOpen())
		}
	}
}

var unlucky = pipeline.Declare(dialect, pipeline.Spec[call, edit]{
	Name: "Unlucky", Can: pipeline.CanBlock | pipeline.CanRewriteInput,
	Rewrites: func(*hook.Output[edit]) wire.Object { panic("in a function of the event") },
})

type watching struct{ outcomes []*pipeline.FireOutcome }

func (*watching) FireStart(ctx context.Context, _ *pipeline.FireInfo) context.Context { return ctx }
func (*watching) HookEnd(context.Context, *pipeline.Evaluation)                       {}
func (w *watching) FireEnd(_ context.Context, _ *pipeline.FireInfo, out *pipeline.FireOutcome) {
	w.outcomes = append(w.outcomes, out)
}

func TestWhatPanicsBesideHooksBlocks(t *testing.T) {
	seen := new(watching)
	sys := pipeline.NewSystem(pipeline.Config{Observe: []pipeline.Observer{seen}})
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for hooks := 1; hooks <= 2; hooks++ {
		unlucky.On(ses, fmt.Sprint(hooks), func(context.Context, call) (output, error) {
			return output{Decision: hook.Allow, Set: hook.SetAnswer}, nil
		})
		res, err := unlucky.Fire(t.Context(), ses, &call{Tool: "write"})
		var failed *hook.PanicError
		if panicked := errors.As(err, &failed); panicked != (hooks == 2) || panicked != (res.Decision == hook.Deny) || len(seen.outcomes) != hooks {
			t.Errorf("%d hooks: %v, %v, %d outcomes", hooks, res.Decision, err, len(seen.outcomes))
		}
	}
}
