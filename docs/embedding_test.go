// Package docs_test holds the Go code that pages of this directory show, in programs that run.
package docs_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// guarded creates a project with a hook of Claude Code that refuses git push.
func guarded() (ctx context.Context, dir string, done func()) {
	dir, err := os.MkdirTemp("", "project")
	if err != nil {
		panic(err)
	}
	_ = os.Mkdir(filepath.Join(dir, ".claude"), 0o755)
	_ = os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(`{"hooks": {"PreToolUse": [{"matcher": "Bash",
		"hooks": [{"type": "command", "command": "grep -q 'git push' && { echo 'push by hand' >&2; exit 2; }; exit 0"}]}]}}`), 0o644)
	return context.Background(), dir, func() { _ = os.RemoveAll(dir) }
}

func Example_embedding() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, dir, done := guarded()
	defer done()

	hooks, err := snaphook.Open(snaphook.Config{Tools: []snaphook.Tool{
		{Name: "execute_command", Kind: snaphook.Shell, Args: map[string]string{"command": "cmd"}},
		{Name: "put_file", Kind: snaphook.Write, Args: map[string]string{"path": "target", "content": "text"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer hooks.Close()

	s, err := hooks.NewSession(ctx, snaphook.SessionConfig{ID: "s-1", Dir: dir, Interactive: true})
	if err != nil {
		log.Fatal(err) // a settings file cannot be read: its guards would be lost
	}
	defer s.Close(ctx)

	remove := snaphook.OnBeforeTool(hooks, "no-secrets", func(ctx context.Context, c snaphook.ToolCall) (snaphook.Verdict, error) {
		if strings.Contains(string(c.Input), "id_rsa") {
			return snaphook.Verdict{Decision: snaphook.Deny, Reason: "not that file"}, nil
		}
		return snaphook.Verdict{}, nil
	})
	defer remove()

	run := func(_ context.Context, name string, args snaphook.Object) (snaphook.ToolResult, error) {
		return snaphook.ToolResult{Text: name + " ran " + args.Text("cmd")}, nil
	}
	for id, args := range []string{`{"cmd": "ls"}`, `{"cmd": "git push"}`, `{"cmd": "cat ~/.ssh/id_rsa"}`} {
		id, name, args := fmt.Sprint(id), "execute_command", []byte(args)
		out, err := s.RunTool(ctx, &snaphook.ToolCall{ID: id, Name: name, Input: args},
			func(ctx context.Context, args snaphook.Object) (snaphook.ToolResult, error) {
				return run(ctx, name, args)
			})
		fmt.Println(strings.TrimSpace(out.Text), err)
	}
	// Output:
	// execute_command ran ls <nil>
	// push by hand <nil>
	// not that file <nil>
}

// byHand runs a call without RunTool.
func byHand(ctx context.Context, s *snaphook.Session, call *snaphook.ToolCall) string {
	endTurn := func(reason string) string { return "the turn ends: " + reason }
	confirmed := func(string) bool { return false }
	run := func(args wire.Object) string { return "ran " + args.Text("cmd") }

	v, err := s.BeforeTool(ctx, call)
	switch {
	case err != nil, v.Denied():
		return v.Reason // to the model, in place of a result
	case v.Stop:
		return endTurn(v.StopReason) // which is for the user
	case v.Decision == snaphook.Ask && !confirmed(v.Reason): // by the user
		return "The user has refused."
	}
	return run(v.Input) // the complete arguments in your own words, changed or not
}

func TestACallByHand(t *testing.T) {
	for _, test := range []struct {
		says snaphook.Verdict
		want string
	}{
		{snaphook.Verdict{}, "ran ls"},
		{snaphook.Verdict{Decision: snaphook.Deny, Reason: "no"}, "no"},
		{snaphook.Verdict{Stop: true, StopReason: "enough"}, "the turn ends: enough"},
		{snaphook.Verdict{Decision: snaphook.Ask, Reason: "sure?"}, "The user has refused."},
		{snaphook.Verdict{Input: wire.Object(`{"cmd":"true"}`)}, "ran true"},
	} {
		t.Run(test.want, func(t *testing.T) {
			testkit.Home(t)
			hooks, err := snaphook.Open(snaphook.Config{Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer hooks.Close()
			s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{ID: "s-1", Dir: t.TempDir(), Interactive: true})
			if err != nil {
				t.Fatal(err)
			}
			snaphook.OnBeforeTool(s, "says", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) { return test.says, nil })
			got := byHand(t.Context(), s, &snaphook.ToolCall{ID: "1", Name: "execute_command", Input: []byte(`{"cmd": "ls"}`)})
			if got != test.want {
				t.Errorf("the model reads %q; want %q", got, test.want)
			}
		})
	}
}
