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
	"github.com/snaphook-go/snaphook/events/llxprt"
)

func main() {
	ctx := context.Background()
	sys := snaphook.Open(snaphook.Config{})
	defer sys.Close()
	session, err := sys.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: "examples/quickstart"})
	if err != nil {
		log.Fatal(err)
	}

	call := llxprt.BeforeToolInput{Name: "write_file", Input: []byte(`{"path": "/etc/passwd", "content": "root::0:0"}`)}
	res, err := llxprt.BeforeTool.Fire(ctx, session, &call)
	if err != nil {
		log.Fatal(err) // ctx ended first
	}
	verdict := llxprt.ApplyBeforeTool(&call, res)
	fmt.Printf("write_file /etc/passwd: allowed %v, the model sees %q\n", verdict.Run, verdict.Result)
	for _, r := range res.Reports {
		at := r.Hook.Position
		at.File = filepath.Base(at.File)
		fmt.Printf("  %-6s %q %v  %s\n", r.Hook.Name, r.Output.Decision, r.Elapsed.Round(time.Microsecond), at)
	}
}
