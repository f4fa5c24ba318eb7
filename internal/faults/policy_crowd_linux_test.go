package faults

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
)

// Three hooks, each at its own event: one hangs and fails closed, one crashes and fails open, and
// one works. The first two work once a file exists.
const (
	crowdHooks = `{"hooks": {
		"PreToolUse": [{"hooks": [{"type": "command", "command": "test -e well || exec sleep 60"}]}],
		"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "test -e well || kill -SEGV $$"}]}],
		"Notification": [{"hooks": [{"type": "command", "command": "sleep 0.3"}]}]}}`
	crowdPolicy = `{
		"hooks": [{"match": {"event": "PreToolUse"}, "onFailure": "closed", "timeout": "300ms"}],
		"limits": {"perEvent": {"claude.PreToolUse": 4, "claude.UserPromptSubmit": 2, "claude.Notification": 16},
			"breaker": {"failures": 5, "for": "500ms"}}}`
)

// crowd counts the results of many fires at once.
type crowd struct {
	mu      sync.Mutex
	classes map[string]int  // "event class"
	took    []time.Duration // times of the hook that works, including its wait
}

func (c *crowd) end(_ context.Context, e *pipeline.Evaluation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.classes[e.Fire.Event+" "+string(e.Class)]++
	if e.Fire.Event == "claude.Notification" {
		c.took = append(c.took, e.Queued+e.Elapsed)
	}
}

// median returns the median time of the hook that works, and forgets all results.
func (c *crowd) median() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.took)
	middle := c.took[len(c.took)/2]
	c.took, c.classes = nil, map[string]int{}
	return middle
}

func TestACrowdThatFailsTakesNothingFromAHookThatWorks(t *testing.T) {
	leavesNothing(t)
	dir, c := t.TempDir(), &crowd{classes: map[string]int{}}
	overlay := filepath.Join(dir, policy.FileName)
	if err := os.WriteFile(overlay, []byte(crowdPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	set := claude.Settings{Layers: []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(crowdHooks)}}}
	sys := pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{set.Load}, Log: slog.New(slog.DiscardHandler), Workers: 22,
		Policy: policy.Source{Files: map[policy.Level]string{policy.Project: overlay}}, Observe: []pipeline.Observer{pipeline.HookEnds(c.end)},
	})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	fire := func(event pipeline.Declared, input string) bool {
		res, err := event.FireJSON(t.Context(), ses, []byte(input))
		if err != nil {
			t.Error(err)
			return false
		}
		return res.Blocked
	}
	works := func() { fire(claude.Notification, `{"message":"m","notification_type":"idle_prompt"}`) }
	hangs := func() bool { return fire(claude.PreToolUse, `{"tool_name":"Bash","tool_input":{"command":"ls"}}`) }
	crashes := func() bool { return fire(claude.UserPromptSubmit, `{"prompt":"p"}`) }

	const each = 167 // 501 fires at once
	ratio, ratios := 0.0, []string{}
	for range 3 { // repeated, because other programs may use the processors
		var all sync.WaitGroup
		for range each {
			all.Go(works)
		}
		all.Wait()
		alone, opened := c.median(), sys.FailedOpenBy()
		for range each {
			all.Go(works)
			all.Go(func() {
				if !hangs() {
					t.Error("a closed gate that hangs let a call pass")
				}
			})
			all.Go(func() {
				if crashes() {
					t.Error("an open gate that crashes blocked")
				}
			})
		}
		all.Wait()
		now := sys.FailedOpenBy()
		if n := now[hook.ClassCrash] + now[hook.ClassBreaker] - opened[hook.ClassCrash] - opened[hook.ClassBreaker]; n != each || now[hook.ClassTimeout] > 0 {
			t.Errorf("%d of %d crashes were counted as open, and %d timeouts; want all, and none", n, each, now[hook.ClassTimeout])
		}
		if n := c.classes["claude.PreToolUse breaker"]; n < each/2 {
			t.Errorf("%v; want the breaker to keep most of the crowd from hanging", c.classes)
		}
		classes := fmt.Sprint(c.classes)
		beside := c.median()
		ratio = float64(beside) / float64(alone)
		ratios = append(ratios, fmt.Sprintf("%.2f (%v alone, %v beside them; %s)", ratio, alone, beside, classes))
		if ratio <= 1.5 {
			break
		}
	}
	t.Log(ratios)
	if ratio > 1.5 {
		t.Errorf("the hook that works took %v times as long beside the others; want at most 1.5", ratios)
	}

	if err := os.WriteFile(filepath.Join(dir, "well"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "both breakers have closed", func() bool {
		return !hangs() && c.last("claude.UserPromptSubmit ", func() { crashes() }) > 0
	})
}

// last calls do, and returns the number of hooks that ended meanwhile with the event and the class that how names, such
// as "claude.PreToolUse breaker".
func (c *crowd) last(how string, do func()) int {
	c.mu.Lock()
	before := c.classes[how]
	c.mu.Unlock()
	do()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.classes[how] - before
}
