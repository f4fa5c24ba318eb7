package snaphook_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/wire"
)

// A rewrite in the second round of a recheck has no effect, and the verdict reports the rewrite.
func TestASecondRewriteIsNotedAndAConflict(t *testing.T) {
	hooks, err := snaphook.Open(snaphook.Config{Recheck: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer hooks.Close()
	snaphook.OnBeforeTool(hooks, "restless", func(_ context.Context, c snaphook.ToolCall) (snaphook.Verdict, error) {
		command, _ := wire.Text(c.Input.Get("command"))
		return snaphook.Verdict{Input: c.Input.With("command", wire.Quote(command+"!"))}, nil
	})
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "c-1", Name: "sh", Input: []byte(`{"command":"ls"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.Input); got != `{"command":"ls!"}` {
		t.Errorf("the input is %s, want the first rewrite", got)
	}
	if len(v.Conflicts) != 1 || v.Conflicts[0].Key != "command" || len(v.Conflicts[0].Hooks) != 2 {
		t.Errorf("conflicts %v, want one of command with the hook of both rounds", v.Conflicts)
	}
	noted := slices.ContainsFunc(v.Reports, func(r snaphook.Report) bool {
		return slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "has no effect") })
	})
	if !noted {
		t.Errorf("no report has a note: %+v", v.Reports)
	}
}
