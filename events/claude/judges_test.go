package claude_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/run/judge"
)

// tally counts the questions to each judge.
type tally struct {
	mu    sync.Mutex
	asked []string
}

func (c *tally) Generate(context.Context, judge.ModelRequest) (string, error) {
	return c.count("prompt")
}

func (c *tally) RunAgent(context.Context, judge.AgentRequest) (string, error) {
	return c.count("agent")
}

func (c *tally) count(who string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, who)
	return `{"ok": true}`, nil
}

// At the default level every event runs prompt and agent hooks. At the level of a newer release
// each such hook either runs or is reported as a problem of the settings (C11, C45).
func TestEveryEventAsksModelsAndAgents(t *testing.T) {
	for name, e := range events {
		for level, newer := range map[claude.Level]bool{claude.Base: false, claude.Docs: true} {
			synctest.Test(t, func(t *testing.T) {
				asks := &tally{}
				w := project(`{"hooks":{"` + name + `":[{"hooks":[{"type":"prompt","prompt":"p"},{"type":"agent","prompt":"p"}]}]}}`)
				w.Model, w.Agent, w.Level = asks, asks, level
				s := w.open(t)
				if inputs[name] == "" {
					t.Fatalf("the table inputs has no input of %s", name)
				}
				if _, err := e.FireJSON(t.Context(), s, []byte(inputs[name])); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := s.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				slices.Sort(asks.asked)
				if !newer && !slices.Equal(asks.asked, []string{"agent", "prompt"}) {
					t.Errorf("%s at the default level asked %q", name, asks.asked)
				}
				if got := len(asks.asked) + len(s.Problems()); got != 2 {
					t.Errorf("%s at level %q asked %q, with the problems %v; want each hook asked, or refused aloud", name, level, asks.asked, s.Problems())
				}
			})
		}
	}
	if len(events) < 26 {
		t.Errorf("%d events", len(events))
	}
}
