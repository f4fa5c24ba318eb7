// With is the program Without, plus hooks of Claude Code that run before each action.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

func main() {
	if !permitted(context.Background(), os.Args[2]) {
		return
	}
	words := regexp.MustCompile(os.Args[1])
	resp, err := http.Get(os.Args[2])
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var answer map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&answer)
	text, _ := json.Marshal(answer)
	fmt.Println(words.Match(text), string(text))
}

func permitted(ctx context.Context, url string) bool {
	sys := pipeline.NewSystem(pipeline.Config{Load: pipeline.LinkedSettings(), Policy: policy.Source{Discover: true}})
	defer sys.Close()
	session, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: "s-1", Dir: "."})
	if err != nil {
		fmt.Println(err)
		return false
	}
	input, _ := json.Marshal(map[string]string{"url": url})
	call := claude.PreToolUseInput{Name: "WebFetch", Input: input}
	res, err := claude.PreToolUse.Fire(ctx, session, &call)
	return err == nil && claude.ApplyPreToolUse(&call, res).Run
}
