package claude_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// A policy that fails closed blocks at every gate, whichever answers the event honours. The denial has the form in
// which hosts expect denials of the event.
func TestAClosedPolicyHoldsAtEveryGate(t *testing.T) {
	gates := 0
	for name, event := range events {
		if event.Info().Can&pipeline.CanBlock == 0 {
			continue
		}
		gates++
		t.Run(name, func(t *testing.T) {
			w := project(hooks(name, "h"))
			w.replies = map[string]scripted{"h": {err: errors.New("fork: out of memory")}}
			closed := policy.Overlay{Rules: []policy.Rule{{OnFailure: policy.OnFailure{policy.Default: hook.FailClosed}}}}
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{w.load}, Log: slog.New(slog.DiscardHandler), Policy: policy.Source{Overlays: []policy.Overlay{closed}}})
			t.Cleanup(func() { sys.Close() })
			s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: testkit.Dir(t)})
			if err != nil {
				t.Fatal(err)
			}
			fired := fire(t, s, name, "")
			if reason := lo.FromPtr(fired.Reason); !fired.Blocked || sys.FailedOpen() > 0 || !strings.Contains(reason, `failure class "spawn"`) {
				t.Errorf("blocked %v, failed open %d times, reason %q; want a denial with the class", fired.Blocked, sys.FailedOpen(), reason)
			}
			effects := string(mustEncode(t, fired.Effects))
			want := map[string]string{
				"PreToolUse": `"permissionDecision":"deny"`, "PermissionRequest": `"permissionBehavior":"deny"`, "Elicitation": `"action":"decline"`, "ElicitationResult": `"action":"decline"`,
			}[name]
			if !strings.Contains(effects, want) {
				t.Errorf("effects %s; want %s", effects, want)
			}
		})
	}
	if gates < 15 {
		t.Error(fmt.Sprintf("%d gates", gates), "of", claude.Dialect.Name)
	}
}
