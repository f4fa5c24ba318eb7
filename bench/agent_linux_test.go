//go:build linux && !race

package bench

import (
	"context"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// Command hooks cost little more through package snaphook than their processes alone: the limits are the same as for a
// dialect without package snaphook.
func TestCommandsThroughAgentRunAtTheFloor(t *testing.T) {
	testkit.Timed(t)
	for _, goal := range []struct {
		at       place
		hooks    int
		pairs    int
		parallel bool
		most     float64
	}{
		{place{"W2", "FireCommand through agent"}, 1, 200, false, 1.08},
		{place{"W3", "FireParallel8 through agent"}, 8, 100, true, 1.12},
	} {
		t.Run(goal.at.what, func(t *testing.T) {
			s, fire := throughAgent(t, goal.hooks)
			bare := floorOf(t, s.Pipeline())
			base := bare.chained
			if goal.parallel {
				base = bare.parallel
			}
			goal.at.what += ", ratio to the floor"
			compared(goal.at, goal.most, goal.pairs, 1, fire, timed(base)).test(t)
		})
	}
}

// throughAgent opens a session with n commands for a call of write_file, and returns a function that makes such a
// call.
func throughAgent(t *testing.T, n int) (*snaphook.Session, func() time.Duration) {
	t.Helper()
	layer := settings.Layer{
		Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(commands("", variants(n, answer)...)),
	}
	hooks, err := snaphook.Open(snaphook.Config{
		Dialects: []*snaphook.Dialect{snaphook.LLxprt(snaphook.LLxprtConfig{Layers: []settings.Layer{layer}})},
	})
	must(err)
	t.Cleanup(func() { hooks.Close() })
	s, err := hooks.NewSession(context.Background(), snaphook.SessionConfig{ID: "bench", Dir: t.TempDir()})
	must(err)
	call := &snaphook.ToolCall{ID: "c-1", Name: "write_file", Input: wire.Object(arguments)}
	return s, timed(func() {
		v, err := s.BeforeTool(context.Background(), call)
		if err != nil || v.Decision != hook.Allow || len(v.Reports) != n {
			t.Errorf("%d reports, %q, %v", len(v.Reports), v.Decision, err)
		}
	})
}
