package modules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
)

const gate = `
import type { HookAPI } from "@f5xc-salesdemos/xcsh/hooks";

export default function (pi: HookAPI) {
	pi.on("tool_call", async (event, ctx) => {
		if (!event.input.path?.startsWith(ctx.cwd)) {
			return { block: true, reason: event.input.path + " is outside of the project" };
		}
	});
}
`

// A module in TypeScript guards one of the agent's tools.
func Example() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "gate.ts"), []byte(gate), 0o600)

	ctx := context.Background()
	sys := pipeline.NewSystem(pipeline.Config{})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1", Dir: "/tmp"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := xcsh.New(session, xcsh.Config{Loaders: []xcsh.ModuleLoader{&modules.Loader{}}})
	defer m.Close()
	for _, err := range m.Load(ctx, []string{"gate.ts"}, dir) {
		fmt.Println(err)
	}

	type params struct {
		Path string `json:"path"`
	}
	write := func(_ context.Context, _ string, p params, _ func(*xcsh.Output)) (*xcsh.Output, error) {
		return &xcsh.Output{Content: []xcsh.Part{xcsh.TextPart("wrote " + p.Path)}}, nil
	}
	write = xcsh.WrapTool(m, "write", xcsh.OutputShape[params](), write)
	for _, path := range []string{"/tmp/a.txt", "/etc/passwd"} {
		o, err := write(ctx, "call-1", params{path}, nil)
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Println(o.Content[0].Text("text"))
	}
	// Output:
	// wrote /tmp/a.txt
	// refused: /etc/passwd is outside of the project
}

// A host that trusts its modules lets them run any program; another host allows only listed programs.
func ExampleLoader() {
	all := modules.Loader{Exec: (*xcsh.API).Exec}
	some := modules.Loader{Exec: func(api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions) (xcsh.ExecResult, error) {
		if program != "git" {
			return xcsh.ExecResult{}, fmt.Errorf("modules must not run %s", program)
		}
		return api.Exec(ctx, program, args, opt)
	}}
	fmt.Println(all.Match("hooks/gate.ts"), some.Match("hooks/gate.sh"))
	// Output: true false
}
