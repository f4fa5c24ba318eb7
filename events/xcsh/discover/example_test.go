package discover_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
)

func ExampleResolve() {
	fmt.Println(discover.Resolve("~/hooks/gate.ts", "/project", "/home/me"))
	fmt.Println(discover.Resolve("./gate.ts", "/project", "/home/me"))
	// Output:
	// /home/me/hooks/gate.ts
	// /project/gate.ts
}

func ExampleRegistry_Discover() {
	project, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(project)
	dir := filepath.Join(project, ".xcsh", "hooks", "pre")
	_ = os.MkdirAll(dir, 0o755)
	_ = os.WriteFile(filepath.Join(dir, "bash.ts"), nil, 0o644)

	registry := discover.Standard()
	registry.Disabled = []string{"codex"} // disabledProviders
	found := registry.Discover(context.Background(), discover.Place{Cwd: project, Home: project, User: ".xcsh"}, discover.Options{
		Disabled: []string{"hook:pre:edit:edit.ts"}, // disabledExtensions
	})
	for _, item := range found.Items {
		fmt.Println(item.ID(), item.Source.Level, item.Source.Name)
	}
	// Output: hook:pre:bash:bash.ts project xcsh
}
