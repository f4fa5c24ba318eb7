// Quickstart is an agent with one tool call: the hooks of .llxprt/settings.json
// decide whether it may write the file.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	"fmt"
	"log"
	"path/filepath"
	"time"

	"github.com/snaphook-go/snaphook"
)

func main() {
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
	ran := false
	out, err := session.RunTool(ctx, &call, func(context.Context, snaphook.Object) (snaphook.ToolResult, error) {
		ran = true
		return snaphook.ToolResult{Text: "written"}, nil
	})
	if err != nil {
		log.Fatal(err) // ctx ended first
	}
	fmt.Printf("write_file /etc/passwd: allowed %v, the model sees %q\n", ran, out.Text)
	for _, r := range out.Reports {
		fmt.Printf("  %-6s %-9s %v  %s\n", r.Name, r.Outcome, r.Elapsed.Round(time.Microsecond), filepath.Base(r.File))
	}
}
