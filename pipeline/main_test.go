package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialect is a small hook system for these tests.
var dialect = &pipeline.Dialect{
	Name:  "test",
	Unit:  time.Second,
	Rules: pipeline.Rules{Exits: hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny}, Timeout: time.Minute},
	Base: func(dst []byte, event string, _ time.Time) []byte {
		return append(append(append(dst, `,"hook_event_name":"`...), event...), '"')
	},
	BaseNames: []string{"session_id", "transcript_path", "cwd", "hook_event_name"},
}

// call is the input of the events below.
type call struct {
	Tool  string         `json:"tool"`
	Input wire.Object    `json:"input,omitzero"`
	Count int            `json:"count,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// edit is the own part of the answers of the events below.
type edit struct {
	Input wire.Object    `json:"input,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// declare returns an event with a name and rules. In all other properties, the events from declare are equal.
func declare(name string, rules pipeline.Rules) *pipeline.Event[call, edit] {
	return pipeline.Declare(dialect, pipeline.Spec[call, edit]{
		Name:        name,
		Can:         pipeline.CanBlock | pipeline.CanRewriteInput,
		Rules:       rules,
		Subject:     func(c *call) *string { return &c.Tool },
		SubjectName: "tool",
		Check: func(c call) error {
			if c.Tool == "" {
				return errors.New("tool: missing; want a string that is not empty")
			}
			return nil
		},
		Chain: func(c call, o hook.Output[edit]) call {
			c.Input = c.Input.Merge(o.Specific.Input)
			return c
		},
		Rewrites: func(o *hook.Output[edit]) wire.Object { return o.Specific.Input },
	})
}

var (
	event   = declare("Call", pipeline.Rules{})
	chain   = declare("Chain", pipeline.Rules{Sequential: true})
	guarded = declare("Guarded", pipeline.Rules{FailClosed: true})
)

type output = hook.Output[edit]

// runner is a hook outside the process.
type runner func(ctx context.Context, c hook.Call) (hook.Reply, error)

func (r runner) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	ctx, cancel := c.Limit(ctx)
	defer cancel()
	return r(ctx, c)
}

// prints is a hook that ends with a status after it has printed.
func prints(exit int, stdout string) runner {
	return func(context.Context, hook.Call) (hook.Reply, error) {
		return hook.Reply{Exit: exit, Stdout: []byte(stdout)}, nil
	}
}

// hangs is a hook that never answers.
func hangs(ctx context.Context, _ hook.Call) (hook.Reply, error) {
	<-ctx.Done()
	return hook.Reply{}, ctx.Err()
}

// configured is a hook of the settings, for the event of that name.
func configured(event, command string, r runner) *hook.Hook {
	return &hook.Hook{Identity: hook.Identity{ID: "project/" + event + "/" + command, Dialect: "test", Event: event, Type: "command", Command: command, Source: hook.Project}, Runner: r}
}

func loads(hooks ...*hook.Hook) pipeline.Load {
	return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: hooks, Files: []string{"settings.json"}}, nil
	}
}

var quiet = slog.New(slog.DiscardHandler)

// start makes a system and a session of it. Both are closed when the test ends.
func start(t *testing.T, cfg pipeline.Config) (*pipeline.System, *pipeline.Session) {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = quiet
	}
	sys := pipeline.NewSystem(cfg)
	t.Cleanup(func() { sys.Close() })
	return sys, session(t, sys, "s1")
}

func session(t *testing.T, sys *pipeline.System, id string) *pipeline.Session {
	t.Helper()
	s, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: id, Dir: "/tmp", Transcript: "/t.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fire fires an event, and fails the test if Fire returns an error.
func fire(t *testing.T, e *pipeline.Event[call, edit], s *pipeline.Session, in call) *hook.Result[edit] {
	t.Helper()
	res, err := e.Fire(t.Context(), s, &in)
	if err != nil {
		t.Errorf("fire: %v", err)
	}
	if res == nil {
		t.Fatal("the result is nil")
	}
	return res
}

// fireClosed fires on a system that is closed before or during the fire.
func fireClosed(t *testing.T, e *pipeline.Event[call, edit], s *pipeline.Session) *hook.Result[edit] {
	t.Helper()
	res, err := e.Fire(t.Context(), s, &call{Tool: "write"})
	if !errors.Is(err, hook.ErrClosed) || !res.Blocked() {
		t.Errorf("fire: %v, blocked %v; want a closed system, which blocks", err, res.Blocked())
	}
	return res
}

// labels returns the labels of the hooks that ran.
func labels(res *hook.Result[edit]) string {
	names := []string{}
	for _, r := range res.Reports {
		names = append(names, r.Hook.Label())
	}
	return fmt.Sprint(names)
}

func allow(context.Context, call) (output, error) { return output{Decision: hook.Allow}, nil }

func deny(context.Context, call) (output, error) {
	return output{Decision: hook.Deny, Reason: "no"}, nil
}
