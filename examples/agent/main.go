// Command agent is a small agent that runs the hooks of Claude Code, of LLxprt and Gemini CLI, and of xcsh and
// pi, all of one project at once. Without a model it plays a script, in the directory given:
//
//	go run ./examples/agent ~/project "list the files"
//	OPENAI_BASE_URL=https://… OPENAI_API_KEY=… OPENAI_MODEL=… go run ./examples/agent ~/project "list the files"
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/snaphook-go/snaphook"
	_ "github.com/snaphook-go/snaphook/jsrun/modules" // runs the modules of xcsh and pi
	"github.com/snaphook-go/snaphook/wire"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: agent DIRECTORY PROMPT")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, prompt string) error {
	hooks, err := snaphook.Open(snaphook.Config{Tools: tools})
	if err != nil {
		return err
	}
	defer hooks.Close()
	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "example", Dir: dir, Interactive: true})
	if err != nil {
		return err
	}
	defer s.Close(ctx)
	var model Model = &Scripted{Replies: []Message{{Role: "model", Calls: []snaphook.ToolCall{{ID: "c-1", Name: "execute_command", Input: wire.Object(`{"cmd":"ls"}`)}}}}}
	if url := os.Getenv("OPENAI_BASE_URL"); url != "" {
		model = &OpenAI{URL: url, Key: os.Getenv("OPENAI_API_KEY"), Name: os.Getenv("OPENAI_MODEL")}
	}
	host := Host{Session: s, Model: model, Out: os.Stdout}
	return host.Run(ctx, prompt)
}
