package copilot_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func checkEvent[In any](t *testing.T, event *pipeline.Event[In, copilot.Output], but ...hooktest.Exception) {
	t.Run(event.Info().Name, func(t *testing.T) {
		hooktest.Idle(t, event, *new(In), but...)
		hooktest.Reducer(t, event.Reduce, nil, but...)
		hooktest.Chain(t, event, nil, nil)
	})
}

func TestEveryEventHolds(t *testing.T) {
	checkEvent(t, copilot.SessionStart)
	checkEvent(t, copilot.SessionEnd)
	checkEvent(t, copilot.UserPromptSubmitted)
	checkEvent(t, copilot.UserPromptTransformed)
	checkEvent(t, copilot.PreToolUse)
	checkEvent(t, copilot.PostToolUse)
	checkEvent(t, copilot.PostToolUseFailure)
	checkEvent(t, copilot.PermissionRequest, hooktest.LosesBlocks("a later permission overrides an earlier denial (G42)"))
	checkEvent(t, copilot.AgentStop)
	checkEvent(t, copilot.SubagentStart)
	checkEvent(t, copilot.SubagentStop)
	checkEvent(t, copilot.PreCompact)
	checkEvent(t, copilot.ErrorOccurred)
	checkEvent(t, copilot.Notification)
}

func TestAnUnknownProfileIsAnErrorThatListsTheNames(t *testing.T) {
	_, err := copilot.Settings{Profile: "web"}.Load(t.Context(), pipeline.Workspace{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), `no profile "web" of the dialect copilot; write one of: cli, cloud, vscode`) {
		t.Error(err)
	}
}

// Each kind of mistake in settings is reported with line, column and a repair.
func TestBrokenSettingsAreProblemsWithTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 2}`:                   `a.json:1:13: the version has to be the number 1`,
		`[]`:                               `a.json:1:1: got an array, want an object`,
		`{"hooks": []}`:                    `a.json:1:11: got an array, want an object`,
		`{"hooks": {"preToolUse": {}}}`:    `a.json:1:26: got an object, want a list of hooks`,
		`{"hooks": {"preToolUse": ["x"]}}`: `a.json:1:27: got a string, want an object`,
		`{"hooks": {"preToolUse": [{"type": "robot"}]}}`:                    `a.json:1:36: there is no hook type "robot"; write one of command, http, prompt`,
		`{"hooks": {"preToolUse": [{}]}}`:                                   `a.json:1:27: the hook has no command; add "bash": "./check.sh"`,
		`{"hooks": {"preToolUse": [{"bash": 7}]}}`:                          `a.json:1:36: got a number, want a string`,
		`{"hooks": {"preToolUse": [{"bash": "x", "timeoutSec": "5"}]}}`:     `a.json:1:55: timeoutSec is a number of seconds above 0`,
		`{"hooks": {"preToolUse": [{"bash": "x", "matcher": "("}]}}`:        `a.json:1:52: the matcher "(" is not an expression`,
		`{"hooks": {"preToolUse": [{"bash": "x", "timeoutSecs": 5}]}}`:      `nothing reads "timeoutSecs"; did you mean "timeoutSec"?`,
		`{"hooks": {"preToolUse": [{"exec": "x", "bash": "y"}]}}`:           `"bash" and "exec" exclude each other`,
		`{"hooks": {"preToolUse": [{"bash": "x", "env": {"A": 1}}]}}`:       `a.json:1:54: got a number, want a string`,
		`{"hooks": {"PreToolUSE": []}}`:                                     `there is no event "PreToolUSE"; write "preToolUse"`,
		`{"hooks": {"BeforeTool": []}}`:                                     `"BeforeTool" is an event of another system; here it is "preToolUse"`,
		`{"hooks": {"postResult": []}}`:                                     `nothing fires the event "postResult" here`,
		`{"hooks": {"preToolUse": [{"type": "http", "url": "http://x/"}]}}`: `the request is not encrypted; write https://`,
		`{"hooks": `: `a.json:1:`,
	} {
		l, err := copilot.Settings{Environ: []string{}, Layers: []settings.Layer{{
			Name: "project", Source: hook.Project, File: "/p/.github/hooks/a.json", Data: []byte(text), Strict: true,
		}}}.Load(t.Context(), pipeline.Workspace{Dir: "/p"})
		said := strings.Join(lo.Map(l.Problems, func(p settings.Problem, _ int) string { return p.String() }), "\n")
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("%s: %v\ngot  %s\nwant %s", text, err, said, want)
		}
		if lo.SomeBy(l.Problems, func(p settings.Problem) bool { return p.Fatal }) {
			t.Errorf("%s: the file keeps others from loading", text)
		}
	}
}

type replying struct{ hook.Reply }

func (r replying) Run(context.Context, hook.Call) (hook.Reply, error) { return r.Reply, nil }

// FuzzAnswers checks that, whatever a hook prints, a hook of preToolUse that ends with a status other
// than 0 denies, and nothing panics.
func FuzzAnswers(f *testing.F) {
	f.Add(0, `{"permissionDecision": "deny", "hookSpecificOutput": {"updatedInput": {}, "permissionDecision": "allow"}}`)
	f.Add(2, "{\"type\":\"progress\",\"message\":\"x\"}\n{\"modifiedArgs\": 3}")
	f.Add(2, `{"behavior": "allow", "message": null, "interrupt": "x"}`)
	f.Add(0, "\xff{\"decision\":\"block\"}")
	f.Fuzz(func(t *testing.T, exit int, stdout string) {
		l := pipeline.Loaded{}
		exit &= 3
		for _, e := range pipeline.Events(copilot.Dialect) {
			info := e.Info()
			l.Hooks = append(l.Hooks, &hook.Hook{
				Identity:  hook.Identity{ID: info.Name, Dialect: "copilot", Event: info.Name, Type: "command"},
				Runner:    replying{hook.Reply{Exit: exit, Stdout: []byte(stdout)}},
				Execution: hook.Execution{FailClosed: info.Name == "preToolUse"},
			})
		}
		sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler), Load: []pipeline.Load{
			func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) { return l, nil },
		}})
		defer sys.Close()
		ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range pipeline.Events(copilot.Dialect) {
			input := `{"toolName": "bash", "agentName": "x", "trigger": "auto", "notification_type": "x"}`
			res, err := e.FireJSON(t.Context(), ses, []byte(input))
			if err != nil {
				t.Fatalf("%s: %v", e.Info().Name, err)
			}
			if exit != 0 && e.Info().Name == "preToolUse" && !res.Blocked {
				t.Fatalf("status %d with %q does not deny", exit, stdout)
			}
		}
	})
}

func TestOneDeniedCallOfSeveralDeniesThemAll(t *testing.T) {
	in := copilot.Batch(copilot.Call{Name: "bash"}, copilot.Call{Name: "edit"})
	sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{copilot.Settings{Environ: []string{}, Layers: []settings.Layer{{
		Source: hook.Project, File: "/p/.github/hooks/a.json",
		Data: []byte(`{"hooks": {"preToolUse": [{"bash": "echo '{\"permissionDecision\": \"deny\"}'", "matcher": "edit"}]}}`),
	}}}.Load}})
	defer sys.Close()
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := copilot.PreToolUse.Fire(t.Context(), ses, &in); err != nil || !res.Blocked() {
		t.Errorf("blocked %v, %v; want a denial", res.Blocked(), err)
	}
	none := copilot.Batch()
	if res, err := copilot.PreToolUse.Fire(t.Context(), ses, &none); err != nil || len(res.Reports) != 0 {
		t.Errorf("%d hooks ran for no call, %v", len(res.Reports), err)
	}
}

// "continue": false stops the agent only in the chat of VS Code. On the other surfaces the call goes ahead, and a note
// reports the lost denial (G35).
func TestContinueFalseStopsTheChatOfVSCodeAlone(t *testing.T) {
	for surface, stops := range map[copilot.Surface]bool{copilot.CLI: false, copilot.Cloud: false, copilot.VSCode: true} {
		sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{copilot.Settings{Profile: surface, Layers: []settings.Layer{{
			Source: hook.Project, Name: "project", File: "a.json",
			Data: []byte(`{"hooks": {"PreToolUse": [{"command": "echo '{\"continue\": false, \"stopReason\": \"no\"}'"}]}}`),
		}}}.Load}})
		session, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := copilot.PreToolUse.Fire(t.Context(), session, &copilot.PreToolUseInput{Name: "bash"})
		if err != nil || res.Stop != stops || res.Decision.Blocks() {
			t.Errorf("%s: stop %v, decision %q, %v", surface, res.Stop, res.Decision, err)
		}
		said := strings.Join(res.Reports[0].Notes, "\n")
		if told := strings.Contains(said, "the denial in it is lost") && !strings.Contains(said, "onFailure"); told == stops {
			t.Errorf("%s: notes %q", surface, said)
		}
	}
}

// useless is a hook.State that can store nothing.
type useless struct{ hook.State }

var errUseless = errors.New("no room")

func (useless) Get(context.Context, string) (string, bool, error)          { return "", false, errUseless }
func (useless) Incr(context.Context, string, int64) (sum int64, err error) { return 0, errUseless }
func (useless) Delete(context.Context, string) error                       { return errUseless }

// Hooks make an agent continue at most eight times in a row (rule G45).
func TestHooksSendAnAgentBackToWorkEightTimesInARow(t *testing.T) {
	for name, states := range map[string]func(hook.Source) hook.State{
		"a state on disk": nil, "a state in which nothing can be stored": func(hook.Source) hook.State { return useless{} },
	} {
		t.Run(name, func(t *testing.T) {
			sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
			defer sys.Close()
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir(), State: t.TempDir(), States: states})
			if err != nil {
				t.Fatal(err)
			}
			blocks := func() (hook.Output[copilot.Output], error) {
				return hook.Output[copilot.Output]{Decision: hook.Block, Reason: "go on"}, nil
			}
			copilot.AgentStop.On(ses, "guard", func(_ context.Context, in copilot.AgentStopInput) (out hook.Output[copilot.Output], err error) {
				if in.StopReason == "done" {
					return out, nil
				}
				return blocks()
			})
			copilot.SubagentStop.On(ses, "guard", func(context.Context, copilot.SubagentStopInput) (hook.Output[copilot.Output], error) {
				return blocks()
			})
			stop := func(in copilot.AgentStopInput) bool {
				res, err := copilot.AgentStop.Fire(t.Context(), ses, &in)
				if err != nil {
					t.Fatal(err)
				}
				return res.Blocked()
			}
			stopAgent := func(id string) bool {
				res, err := copilot.SubagentStop.Fire(t.Context(), ses, &copilot.SubagentStopInput{ID: id})
				if err != nil {
					t.Fatal(err)
				}
				return res.Blocked()
			}
			held := func(most int, fire func(i int) bool) (n int) {
				for n < most && fire(n) {
					n++
				}
				return n
			}
			active := func(i int) bool { return stop(copilot.AgentStopInput{Active: i > 0}) }
			for range 2 {
				if got := held(20, active); got != 8 {
					t.Errorf("the agent was sent back %d times in a row; want 8", got)
				}
			}
			for range 3 { // the count restarts at a stop, unless hooks blocked the previous stop and block this stop too
				if got := held(6, active); got != 6 {
					t.Errorf("the agent was sent back %d times; want 6", got)
				}
			}
			held(6, active)
			stop(copilot.AgentStopInput{Active: true, StopReason: "done"})
			if got := held(6, func(int) bool { return stop(copilot.AgentStopInput{Active: true}) }); got != 6 {
				t.Errorf("after a stop without a block, the agent was sent back %d times; want 6", got)
			}
			for range 2 {
				for _, id := range []string{"a", "b"} {
					if got := held(20, func(int) bool { return stopAgent(id) }); got != 8 {
						t.Errorf("sub-agent %s was sent back %d times in a row; want 8", id, got)
					}
				}
			}
		})
	}
}

// Several fires of a session may end at once, and share the count.
func TestSimultaneousStopsAreAllCounted(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: slog.New(slog.DiscardHandler)})
	defer sys.Close()
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{
		Dir: t.TempDir(), States: func(hook.Source) hook.State { return useless{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	copilot.AgentStop.On(ses, "guard", func(context.Context, copilot.AgentStopInput) (hook.Output[copilot.Output], error) {
		return hook.Output[copilot.Output]{Decision: hook.Block}, nil
	})
	var blocked atomic.Int64
	var all sync.WaitGroup
	for range 9 * 40 {
		all.Go(func() {
			res, err := copilot.AgentStop.Fire(t.Context(), ses, &copilot.AgentStopInput{Active: true})
			if err != nil {
				t.Error(err)
			} else if res.Blocked() {
				blocked.Add(1)
			}
		})
	}
	all.Wait()
	if got := blocked.Load(); got != 8*40 {
		t.Errorf("%d of 360 stops were blocked; want 320", got)
	}
}
