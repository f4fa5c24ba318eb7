package snaphook_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
)

// A record has the decision that the host gets: a search for denials finds every denied call.
func TestARecordHasTheDenialOfAHookInGo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hooks.jsonl")
	hooks, err := snaphook.Open(snaphook.Config{Record: file, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	snaphook.OnBeforeTool(hooks, "no", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) {
		return snaphook.Verdict{Decision: snaphook.Deny, Reason: "no"}, nil
	})
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.BeforeTool(t.Context(), &snaphook.ToolCall{ID: "c-1", Name: "sh", Input: []byte(`{"command":"ls"}`)}); err != nil || !v.Denied() {
		t.Fatalf("%+v, %v, want a denial", v, err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	hooks.Close()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if line := string(text); strings.Count(line, "\n") != 1 || !strings.Contains(line, `"refs":{"tool_use_id":"c-1"},"decision":"deny"`) {
		t.Errorf("the record is %s; want one line with the decision deny", line)
	}
}
