package jsrun_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/jsrun"
)

// A module refuses a call. Its host passes it an object with a function that registers handlers, and another object
// with the functions that a handler may call.
func Example() {
	dir, err := os.MkdirTemp("", "hooks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gate.ts")
	os.WriteFile(path, []byte(`
		export default (pi: any) => pi.on("tool_call", async (event: { path: string }, ctx: any) => {
			if (!event.path.startsWith(ctx.cwd) && !(await ctx.confirm("Outside of the project", event.path))) {
				return { block: true, reason: "refused" };
			}
		});
	`), 0o600)

	var handler jsrun.Handle
	pi := &jsrun.Object{Sync: map[string]jsrun.Func{
		"on": func(_ context.Context, _ any, args jsrun.Args) (any, error) {
			var err error
			handler, err = args.Handle(1)
			return nil, err
		},
	}}
	view := &jsrun.Object{Async: map[string]jsrun.Func{
		"confirm": jsrun.On(func(_ context.Context, user string, args jsrun.Args) (any, error) {
			fmt.Printf("%s is asked: %s, %s?\n", user, args.String(0), args.String(1))
			return false, nil
		}),
	}}

	ctx := context.Background()
	m, err := jsrun.Open(ctx, path, jsrun.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	if err := m.Start(ctx, pi.Bind(nil, nil)); err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range []string{"/repo/a.txt", "/etc/passwd"} {
		answer, err := m.Call(ctx, handler, map[string]string{"path": file}, view.Bind("ann", map[string]string{"cwd": "/repo/"}))
		if answer == nil && err == nil {
			fmt.Println(file, "is nothing to talk about")
			continue
		}
		fmt.Println(file, answer, err)
	}
	// Output:
	// /repo/a.txt is nothing to talk about
	// ann is asked: Outside of the project, /etc/passwd?
	// /etc/passwd {"block":true,"reason":"refused"} <nil>
}
