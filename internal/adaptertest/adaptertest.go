// Package adaptertest sets up the tests of all adapters: a home directory without hooks, and a session with
// the hooks that a test names.
package adaptertest

import (
	"context"
	"os"
	"testing"

	"github.com/snaphook-go/snaphook"
)

// Main runs the tests of a package in an empty home directory, without the hooks of the user who runs them,
// and exits.
func Main(m *testing.M) {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	os.Setenv("HOME", home)
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// Echo is a tool that repeats its argument, the text. Hooks see a tool of kind [snaphook.Shell].
var Echo = snaphook.Tool{Name: "echo", Kind: snaphook.Shell, Args: map[string]string{"command": "text"}}

// Open opens a session for a tool, in a directory without hooks. The session is closed when the test ends.
func Open(t *testing.T, tool snaphook.Tool) *snaphook.Session {
	t.Helper()
	hooks, err := snaphook.Open(snaphook.Config{Tools: []snaphook.Tool{tool}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A Hook adds a hook to a session.
type Hook func(*snaphook.Session)

// None adds no hook.
func None(*snaphook.Session) {}

// BeforeTool returns a hook that answers every call of a tool with v.
func BeforeTool(v snaphook.Verdict) Hook {
	return func(s *snaphook.Session) {
		snaphook.OnBeforeTool(s, "test", func(context.Context, snaphook.ToolCall) (snaphook.Verdict, error) { return v, nil })
	}
}

// AfterTool returns a hook that answers every result of a tool with v.
func AfterTool(v snaphook.Verdict) Hook {
	return func(s *snaphook.Session) {
		snaphook.OnAfterTool(s, "test", func(context.Context, snaphook.AfterToolInput) (snaphook.Verdict, error) { return v, nil })
	}
}
