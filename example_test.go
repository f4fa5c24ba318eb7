package snaphook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/snaphook-go/snaphook"
)

// A tool is about to write a file. The hooks of the project in examples/quickstart run before and
// after it.
func Example() {
	ctx := context.Background()
	hooks, err := snaphook.Open(snaphook.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer hooks.Close()
	session, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err)
	}

	call := snaphook.ToolCall{ID: "c-1", Name: "write_file", Input: []byte(`{"path": "/etc/passwd", "content": "root::0:0"}`)}
	out, err := session.RunTool(ctx, &call, func(ctx context.Context, args snaphook.Object) (snaphook.ToolResult, error) {
		return snaphook.ToolResult{Text: "written"}, nil // your tool, with the arguments that the hooks have left
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.Text)
	// Output: writing to /etc is prohibited
}

// Open reads nothing. The settings of a directory are read when its first session
// is made.
func ExampleOpen() {
	hooks, err := snaphook.Open(snaphook.Config{Workers: 8})
	if err != nil {
		log.Fatal(err) // the error names a tool or a dialect that cannot be used
	}
	defer hooks.Close()
	session, err := hooks.NewSession(context.Background(), snaphook.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err) // a settings file cannot be read; the error has line and column
	}
	for _, h := range session.Hooks() {
		fmt.Println(h.Event, h.Name, h.Source)
	}
	// Output:
	// BeforeTool guard project
	// BeforeTool audit project
}
