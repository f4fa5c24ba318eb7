package snaphook_test

import (
	"context"
	"fmt"
	"os"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/wire"
)

// Acme is a program's own hook system. Its hooks see a call as {"tool": "exec", "args": {"cmd":
// "…"}}.
var Acme = &pipeline.Dialect{Name: "acme"}

type (
	AcmeCall struct {
		Tool string      `json:"tool"`
		Args wire.Object `json:"args"`
	}
	AcmeAnswer struct {
		Args wire.Object `json:"args,omitzero"` // replaces the call's arguments
	}
)

var AcmeBeforeRun *pipeline.Event[AcmeCall, AcmeAnswer] = pipeline.Declare(Acme, pipeline.Spec[AcmeCall, AcmeAnswer]{
	Name: "before_run", Can: pipeline.CanBlock | pipeline.CanRewriteInput,
	Subject: func(c *AcmeCall) *string { return &c.Tool },
})

// loadAcme returns the settings of Acme: here one hook, without a file.
func loadAcme(context.Context, pipeline.Workspace) (l pipeline.Loaded, err error) {
	const guard = `grep -q '"cmd":"rm' && { echo "Acme removes nothing" >&2; exit 2; }; exit 0`
	l.Hooks = []*hook.Hook{{
		Identity: hook.Identity{ID: "user/before_run/0", Dialect: Acme.Name, Event: "before_run", Type: "command", Command: guard, Source: hook.User},
		Runner:   &run.Command{Argv: run.Shell(guard)},
	}}
	return l, nil
}

// A program's own hook system runs at the moments of package snaphook, next to the others.
func ExampleNewDialect() {
	acme := snaphook.NewDialect(Acme, snaphook.DialectConfig{
		Load: loadAcme,
		ToolName: func(t snaphook.Tool) string {
			return map[snaphook.Kind]string{snaphook.Shell: "exec"}[t.Kind]
		},
		Argument: func(k snaphook.Kind, canonical string) string {
			return map[string]string{"command": "cmd"}[canonical]
		},
	}, snaphook.Fires(AcmeBeforeRun,
		func(c *snaphook.ToolCall) AcmeCall { return AcmeCall{Tool: c.Name, Args: c.Input} },
		func(res *hook.Result[AcmeAnswer], v *snaphook.Verdict) { v.Input = res.Specific.Args },
	))
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{acme},
		Tools:    []snaphook.Tool{{Name: "execute", Kind: snaphook.Shell, Args: map[string]string{"command": "line"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hooks.Close()
	ctx, dir := context.Background(), os.TempDir()
	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	for _, args := range []string{`{"line":"ls"}`, `{"line":"rm -r /"}`} {
		v, _ := s.BeforeTool(ctx, &snaphook.ToolCall{Name: "execute", Input: wire.Object(args)})
		fmt.Printf("%s denied=%t %q\n", args, v.Denied(), v.Reason)
	}
	// Output:
	// {"line":"ls"} denied=false ""
	// {"line":"rm -r /"} denied=true "Acme removes nothing"
}
