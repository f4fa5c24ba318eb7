package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

// rewritable declares an event with rechecks.
func rewritable(name string, rules pipeline.Rules) *pipeline.Event[call, edit] {
	return pipeline.Declare(dialect, pipeline.Spec[call, edit]{
		Name: name, Can: pipeline.CanBlock | pipeline.CanRewriteInput, Rules: rules,
		Subject:        func(c *call) *string { return &c.Tool },
		ConditionInput: func(c *call) hook.ConditionInput { return hook.ConditionInput{Tool: c.Tool, Input: c.Input} },
		Chain:          func(c call, o hook.Output[edit]) call { c.Input = c.Input.Merge(o.Specific.Input); return c },
		Rewrites:       func(o *hook.Output[edit]) wire.Object { return o.Specific.Input },
		Rewritten: func(c call, o *hook.Output[edit]) (call, bool) {
			before := c.Input
			c.Input = c.Input.Merge(o.Specific.Input)
			return c, !wire.Equal(jsontext.Value(before), jsontext.Value(c.Input))
		},
		Unrewritten: func(o *hook.Output[edit]) (did bool) {
			did = o.Specific.Input != nil
			o.Specific.Input = nil
			return did
		},
	})
}

var (
	rechecked     = rewritable("Rechecked", pipeline.Rules{})
	recheckedTurn = rewritable("RecheckedInTurn", pipeline.Rules{Sequential: true})
)

// asked records the runs of each hook, with their inputs.
type asked struct {
	mu   sync.Mutex
	with map[string][]string
}

// hook returns a hook of the settings that calls answer with the command of its payload.
func (a *asked) hook(e *pipeline.Event[call, edit], name string, answer func(command string) (int, string)) *hook.Hook {
	return configured(e.Info().Name, name, runner(func(_ context.Context, c hook.Call) (hook.Reply, error) {
		command := wire.Object(wire.Object(c.Payload).Get("input")).Text("command")
		a.mu.Lock()
		a.with[name] = append(a.with[name], command)
		a.mu.Unlock()
		exit, out := answer(command)
		return hook.Reply{Exit: exit, Stdout: []byte(out), Stderr: []byte("no rm")}, nil
	}))
}

func (a *asked) of(name string) string { return strings.Join(a.with[name], ", ") }

func guards(command string) (int, string) {
	if strings.Contains(command, "rm") {
		return 2, ""
	}
	return 0, `{"systemMessage":"looked"}`
}

func rewrites(to string) func(string) (int, string) {
	return func(string) (int, string) {
		return 0, fmt.Sprintf(`{"hookSpecificOutput":{"input":{"command":%q}}}`, to)
	}
}

// has is a condition on the command.
type has string

func (h has) Holds(in hook.ConditionInput) bool {
	return strings.Contains(wire.Object(in.Input).Text("command"), string(h))
}

func TestARewriteIsSeenByTheGuardsThatRanBeforeIt(t *testing.T) {
	for name, test := range map[string]struct {
		event   *pipeline.Event[call, edit]
		overlay policy.Overlay
		hooks   func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook
		blocked bool
		would   string            // the effect of the hooks in shadow
		asked   map[string]string // the commands that each hook got
	}{
		"not without a policy": {rechecked, policy.Overlay{}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm"))}
		}, false, "", map[string]string{"guard": "ls", "rewriter": "ls"}},
		"side by side": {rechecked, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm"))}
		}, true, "", map[string]string{"guard": "ls, rm", "rewriter": "ls, rm"}},
		"in turn": {recheckedTurn, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm"))}
		}, true, "", map[string]string{"guard": "ls, rm", "rewriter": "ls"}},
		"by a rule for the guard": {rechecked, policy.Overlay{Rules: []policy.Rule{{Match: policy.Match{Command: "guard"}, Recheck: new(true)}}}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm"))}
		}, true, "", map[string]string{"guard": "ls, rm", "rewriter": "ls, rm"}},
		"not by a rule for another tool's hook": {rechecked, policy.Overlay{Rules: []policy.Rule{{Match: policy.Match{Command: "other"}, Recheck: new(true)}}}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			other := a.hook(e, "other", guards)
			other.Matcher = never{}
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm")), other}
		}, false, "", map[string]string{"guard": "ls", "rewriter": "ls"}},
		"a guard whose condition holds only now": {rechecked, policy.Overlay{Rules: []policy.Rule{{Match: policy.Match{Command: "guard"}, Recheck: new(true)}}}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			guard := a.hook(e, "guard", guards)
			guard.Condition, guard.If = has("rm"), "rm"
			return []*hook.Hook{guard, a.hook(e, "rewriter", rewrites("rm"))}
		}, true, "", map[string]string{"guard": "rm", "rewriter": "ls, rm"}},
		"once, however often they rewrite": {rechecked, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "rewriter", func(command string) (int, string) { return rewrites(command + "+")(command) })}
		}, false, "", map[string]string{"rewriter": "ls, ls+"}},
		"not where nothing changes": {rechecked, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "rewriter", rewrites("ls"))}
		}, false, "", map[string]string{"rewriter": "ls"}},
		"not what is blocked already": {rechecked, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "rewriter", rewrites("rm")), a.hook(e, "no", func(string) (int, string) { return 2, "" })}
		}, true, "", map[string]string{"rewriter": "ls", "no": "ls"}},
		"a closed guard that fails the second time": {rechecked, policy.Overlay{Recheck: true, Defaults: policy.Defaults{Gates: policy.OnFailure{policy.Default: hook.FailClosed}}}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", func(command string) (int, string) {
				if command == "rm" {
					return 1, ""
				}
				return 0, ""
			}), a.hook(e, "rewriter", rewrites("rm"))}
		}, true, "", map[string]string{"guard": "ls, rm", "rewriter": "ls, rm"}},
		"a guard in shadow": {rechecked, policy.Overlay{Recheck: true, Rules: []policy.Rule{{Match: policy.Match{Command: "guard"}, Mode: new(hook.Shadow)}}}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			return []*hook.Hook{a.hook(e, "guard", guards), a.hook(e, "rewriter", rewrites("rm"))}
		}, false, "deny", map[string]string{"guard": "ls, rm", "rewriter": "ls, rm"}},
		"not a hook that runs once": {rechecked, policy.Overlay{Recheck: true}, func(a *asked, e *pipeline.Event[call, edit]) []*hook.Hook {
			once := a.hook(e, "rewriter", rewrites("rm"))
			once.Once = true
			return []*hook.Hook{once, a.hook(e, "other", func(string) (int, string) { return 0, "" })}
		}, false, "", map[string]string{"rewriter": "ls", "other": "ls, rm"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &asked{with: map[string][]string{}}
			_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(test.hooks(a, test.event)...)}, Policy: policy.Source{Overlays: []policy.Overlay{test.overlay}}})
			res := fire(t, test.event, s, call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)})
			if res.Blocked() != test.blocked {
				t.Errorf("blocked %v for %q, want %v", res.Blocked(), res.Reason, test.blocked)
			}
			if test.would != "" && (res.Would == nil || string(res.Would.Decision) != test.would) {
				t.Errorf("would be %v, want %s", res.Would, test.would)
			}
			for name, want := range test.asked {
				if got := a.of(name); got != want {
					t.Errorf("%s was asked about %q, want %q", name, got, want)
				}
			}
			if test.blocked {
				return
			}
			if n := strings.Count(res.Message, "looked"); n > 1 {
				t.Errorf("the message is there %d times: %q", n, res.Message)
			}
		})
	}
}

type never struct{}

func (never) Match(string) bool { return false }

func TestTheRewriteOfASecondCheckDoesNotCountAndIsNoted(t *testing.T) {
	a := &asked{with: map[string][]string{}}
	h := a.hook(rechecked, "rewriter", func(command string) (int, string) { return rewrites(command + "+")(command) })
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(h)}, Policy: policy.Source{Overlays: []policy.Overlay{{Recheck: true}}}})
	res := fire(t, rechecked, s, call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)})
	if got := res.Specific.Input.Text("command"); got != "ls+" {
		t.Errorf("the command is %q, want the command of the first round", got)
	}
	if len(res.Reports) != 2 || res.Reports[0].Recheck || !res.Reports[1].Recheck || len(res.Reports[1].Notes) != 1 {
		t.Errorf("reports %+v; want a second one that says that it is, with a note", res.Reports)
	}
}

func TestAStreamHasTheSecondCheckUnderPlacesOfItsOwn(t *testing.T) {
	a := &asked{with: map[string][]string{}}
	hooks := []*hook.Hook{a.hook(rechecked, "guard", guards), a.hook(rechecked, "rewriter", rewrites("rm"))}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}, Policy: policy.Source{Overlays: []policy.Overlay{{Recheck: true}}}})
	seen := map[string]int{}
	for r := range rechecked.Stream(t.Context(), s, &call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)}) {
		seen[fmt.Sprintln(r.Index, r.Hook.Command, r.Started, r.Recheck)]++
	}
	for _, want := range []string{
		"0 guard true false", "0 guard false false", "1 rewriter true false", "1 rewriter false false",
		"2 guard true true", "2 guard false true", "3 rewriter true true", "3 rewriter false true",
	} {
		if n := seen[want+"\n"]; n != 1 {
			t.Errorf("%q was seen %d times, of %v; want once", want, n, seen)
		}
	}
	left := 0
	for range rechecked.Stream(t.Context(), s, &call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)}) {
		if left++; left == 4 { // the first round has ended; the consumer stops before a second one
			break
		}
	}
	if got := a.of("guard"); got != "ls, rm, ls" {
		t.Errorf("the guard was asked about %q; want no second check for a consumer that has left", got)
	}
}

func TestTheReportsOfAWatchedSecondCheckHavePlacesAfterTheFirst(t *testing.T) {
	a := &asked{with: map[string][]string{}}
	hooks := []*hook.Hook{a.hook(rechecked, "guard", guards), a.hook(rechecked, "rewriter", rewrites("rm"))}
	_, s := start(t, pipeline.Config{Load: []pipeline.Load{loads(hooks...)}, Policy: policy.Source{Overlays: []policy.Overlay{{Recheck: true}}}})
	in := &call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)}
	res, err := rechecked.FireProgress(t.Context(), s, in, func(hook.Report[edit]) {})
	if err != nil || len(res.Reports) != 4 {
		t.Fatalf("%d reports, err %v; want 4", len(res.Reports), err)
	}
	for i, r := range res.Reports {
		if r.Index != i || r.Recheck != (i >= 2) {
			t.Errorf("report %d has place %d, asked again: %v", i, r.Index, r.Recheck)
		}
	}
}

func TestASystemThatClosesInASecondCheckBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{with: map[string][]string{}}
		slow := configured("Rechecked", "slow", runner(func(ctx context.Context, c hook.Call) (hook.Reply, error) {
			if !strings.Contains(string(c.Payload), "rm") {
				return hook.Reply{}, nil
			}
			<-ctx.Done()
			return hook.Reply{}, ctx.Err()
		}))
		sys, s := start(t, pipeline.Config{
			Load:   []pipeline.Load{loads(slow, a.hook(rechecked, "rewriter", rewrites("rm")))},
			Policy: policy.Source{Overlays: []policy.Overlay{{Recheck: true}}},
		})
		go func() {
			time.Sleep(time.Second)
			sys.Close()
		}()
		res, err := rechecked.Fire(t.Context(), s, &call{Tool: "bash", Input: wire.Object(`{"command":"ls"}`)})
		if !errors.Is(err, hook.ErrClosed) || !res.Blocked() {
			t.Errorf("blocked %v, err %v; want a refusal, since the system is closed", res.Blocked(), err)
		}
		synctest.Wait()
	})
}
