package snaphook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/agent"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// A tool is about to write a file; the hooks of the project in
// examples/quickstart have a word to say.
func Example() {
	ctx := context.Background()
	hooks, err := agent.Open(agent.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer hooks.Close()
	session, err := hooks.NewSession(ctx, agent.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err)
	}

	call := agent.ToolCall{ID: "c-1", Name: "write_file", Input: wire.Object(`{"path": "/etc/passwd", "content": "root::0:0"}`)}
	out, err := session.RunTool(ctx, &call, func(ctx context.Context, args wire.Object) (agent.ToolResult, error) {
		return agent.ToolResult{Text: "written"}, nil // your tool, with the arguments as hooks have left them
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Text)
	// Output: writing to /etc is prohibited
}

// Open reads settings when the first session of a directory is made, so a
// system without users costs nothing.
func ExampleOpen() {
	sys := snaphook.Open(snaphook.Config{Workers: 8})
	defer sys.Close()
	session, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err) // a settings file that cannot be read; the error has its line and column
	}
	for _, h := range session.Hooks() {
		fmt.Println(h.Event, h.Name, h.Source)
	}
	// Output:
	// BeforeTool guard project
	// BeforeTool audit project
}
