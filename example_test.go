package snaphook_test

import (
	"context"
	"fmt"
	"log"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/pipeline"
)

// A tool is about to write a file; the hooks of the project in
// examples/quickstart have a word to say.
func Example() {
	ctx := context.Background()
	sys := snaphook.Open(snaphook.Config{})
	defer sys.Close()
	session, err := sys.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err)
	}

	call := llxprt.ToolCall{Name: "write_file", Input: []byte(`{"path": "/etc/passwd", "content": "root::0:0"}`)}
	res, err := llxprt.BeforeTool.Fire(ctx, session, &call)
	if err != nil {
		log.Fatal(err) // ctx ended first
	}
	if verdict := llxprt.ApplyBeforeTool(&call, res); !verdict.Run {
		fmt.Println("blocked:", verdict.Result)
	}
	// Output: blocked: writing to /etc is prohibited
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
