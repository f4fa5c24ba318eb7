package tracetree

import (
	"slices"
	"strings"
	"testing"

	_ "github.com/snaphook-go/snaphook" // declares the events of a program's own hooks
	_ "github.com/snaphook-go/snaphook/events/codex"
	_ "github.com/snaphook-go/snaphook/events/copilot"
	_ "github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Each event with a role is declared, and each dialect has events that begin and end sessions, turns and calls.
func TestRolesAreThoseOfEvents(t *testing.T) {
	declared, has := map[string]bool{}, map[string][]role{}
	for _, e := range pipeline.Events(nil) {
		declared[e.Info().FullName()] = true
		has[e.Info().Dialect] = append(has[e.Info().Dialect], roles[e.Info().FullName()].kin())
	}
	for event := range roles {
		if !declared[event] {
			t.Errorf("%s: there is no such event", event)
		}
	}
	for name, all := range has {
		for _, want := range []role{sessionStart, sessionEnd, turnStart, turnEnd, toolStart, toolEnd} {
			if !slices.Contains(all, want) {
				t.Errorf("%s has no event of role %d", name, want)
			}
		}
	}
	if want := strings.Fields("host claude codex copilot cursor llxprt xcsh xcsh-extension"); len(has) != len(want) {
		t.Errorf("there are events of %d dialects, want %v", len(has), want)
	}
}
