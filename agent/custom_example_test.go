package agent_test

import (
	"context"
	"fmt"
	"os"

	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// Acme is a hook system of a program's own. Its hooks see a call as {"tool": "exec",
// "args": {"cmd": "…"}}.
var Acme = &pipeline.Dialect{Name: "acme"}

type (
	AcmeCall struct {
		Tool string      `json:"tool"`
		Args wire.Object `json:"args"`
	}
	AcmeAnswer struct {
		Args wire.Object `json:"args,omitzero"` // in place of the call's
	}
)

var AcmeBeforeRun *pipeline.Event[AcmeCall, AcmeAnswer] = pipeline.Declare(Acme, pipeline.Spec[AcmeCall, AcmeAnswer]{
	Name: "before_run", Can: pipeline.CanBlock | pipeline.CanRewriteInput,
	Subject: func(c *AcmeCall) *string { return &c.Tool },
})

// loadAcme reads the settings of Acme: here, one hook that no file has to say.
func loadAcme(context.Context, pipeline.Workspace) (l pipeline.Loaded, err error) {
	const guard = `grep -q '"cmd":"rm' && { echo "Acme removes nothing" >&2; exit 2; }; exit 0`
	l.Hooks = []*hook.Hook{{
		Identity: hook.Identity{ID: "user/before_run/0", Dialect: Acme.Name, Event: "before_run", Type: "command", Command: guard, Source: hook.User},
		Runner:   &run.Command{Argv: run.Shell(guard)},
	}}
	return l, nil
}

// A hook system of the program's own runs at the moments of package agent, beside the
// others.
func ExampleNewDialect() {
	acme := agent.NewDialect(Acme, agent.DialectConfig{
		Load: loadAcme,
		ToolName: func(t agent.Tool) string {
			return map[agent.Kind]string{agent.Shell: "exec"}[t.Kind]
		},
		Argument: func(k agent.Kind, canonical string) string {
			return map[string]string{"command": "cmd"}[canonical]
		},
	}, agent.Fires(AcmeBeforeRun,
		func(c *agent.ToolCall) AcmeCall { return AcmeCall{Tool: c.Name, Args: c.Input} },
		func(res *hook.Result[AcmeAnswer], v *agent.Verdict) { v.Input = res.Specific.Args },
	))
	hooks, err := agent.Open(agent.Config{
		Dialects: []*agent.Dialect{acme},
		Tools:    []agent.Tool{{Name: "execute", Kind: agent.Shell, Args: map[string]string{"command": "line"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hooks.Close()
	ctx, dir := context.Background(), os.TempDir()
	s, err := hooks.NewSession(ctx, agent.SessionConfig{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	for _, args := range []string{`{"line":"ls"}`, `{"line":"rm -r /"}`} {
		v, _ := s.BeforeTool(ctx, &agent.ToolCall{Name: "execute", Input: wire.Object(args)})
		fmt.Printf("%s denied=%t %q\n", args, v.Denied(), v.Reason)
	}
	// Output:
	// {"line":"ls"} denied=false ""
	// {"line":"rm -r /"} denied=true "Acme removes nothing"
}
