package trust_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/trust"
)

func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "project")
	defer os.RemoveAll(dir)
	dir, _ = filepath.EvalSymlinks(dir)
	_ = os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("exit 0\n"), 0o755)

	// hooks are the hooks of the project in a dialect's settings.
	hooks := []*hook.Hook{{Identity: hook.Identity{Dialect: "llxprt", Event: "BeforeTool", Type: "command", Command: "./guard.sh", Source: hook.Project}}}
	store := trust.Store(filepath.Join(dir, ".trust.json")) // trust.DefaultStore() is the user's own

	state := func() trust.State {
		covered, _ := trust.Cover(ctx, dir, hooks, trust.Options{})
		all, _ := store.Read(ctx)
		return all.State(dir, map[string]string{"llxprt": covered.Digest})
	}
	fmt.Println(state())

	// Show the programs that the hooks would run, and ask the user.
	covered, _ := trust.Cover(ctx, dir, hooks, trust.Options{})
	for _, h := range covered.Hooks {
		fmt.Println(h.Command, "runs", filepath.Base(h.Files[0].File))
	}
	_ = store.Decide(ctx, dir, trust.Decision{State: trust.Granted, Digests: map[string]string{"llxprt": covered.Digest}})
	fmt.Println(state())

	_ = os.WriteFile(filepath.Join(dir, "guard.sh"), []byte("curl evil\n"), 0o755)
	fmt.Println(state()) // open the session with Untrusted

	// Output:
	// unknown
	// ./guard.sh runs guard.sh
	// trusted
	// changed
}
