package snaphook_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

// The tree has each turn and each call once, although the program and two dialects fire at each moment.
func TestATreeHasEachMomentOnce(t *testing.T) {
	live := tracetree.NewLive()
	s := open(t, snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.Claude(snaphook.ClaudeConfig{}), snaphook.LLxprt(snaphook.LLxprtConfig{})},
		Observe:  []pipeline.Observer{live}, ObserveIdle: true,
	}, nil)
	snaphook.OnBeforeTool(s, "mine", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) {
		return snaphook.Verdict{}, nil
	})
	ctx := t.Context()
	call := snaphook.ToolCall{ID: "t-1", Name: "bash", Input: snaphook.Object(`{"command": "ls"}`)}
	for _, fire := range []func() (*snaphook.Verdict, error){
		func() (*snaphook.Verdict, error) { return s.Start(ctx, &snaphook.StartInput{}) },
		func() (*snaphook.Verdict, error) { return s.Prompt(ctx, &snaphook.PromptInput{Text: "go"}) },
		func() (*snaphook.Verdict, error) { return s.BeforeTool(ctx, &call) },
		func() (*snaphook.Verdict, error) { return s.AfterTool(ctx, &snaphook.AfterToolInput{ToolCall: call}) },
		func() (*snaphook.Verdict, error) { return s.Stop(ctx, &snaphook.StopInput{}) },
		func() (*snaphook.Verdict, error) { return s.End(ctx, &snaphook.EndInput{}) },
	} {
		if _, err := fire(); err != nil {
			t.Fatal(err)
		}
	}
	live.Close(10 * time.Second)
	var words []string
	for _, n := range live.Sessions() {
		n.Walk(func(n *tracetree.Node, depth int) bool {
			words = append(words, strings.Repeat(" ", depth)+strings.TrimSpace(string(n.Kind)+" "+string(n.State)))
			if n.Kind == tracetree.Tool && (n.ID != "t-1" || len(n.Fires) != 6) {
				t.Errorf("the call %q has %d fires; want t-1, and one of the program and of each system before and after it", n.ID, len(n.Fires))
			}
			return true
		})
	}
	if got := strings.Join(words, "\n"); got != "session\n turn\n  tool" {
		t.Errorf("got\n%s", got)
	}
}
