package claude

import (
	"fmt"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// StopCap limits how many times in a row hooks can keep an agent working at the level [Docs] (release 2.1.239). At the
// level [Base] there is no limit. The environment variable CLAUDE_CODE_STOP_HOOK_BLOCK_CAP sets another limit at both
// levels; 0 means no limit.
const StopCap = 8

type (
	stopCap  struct{}               // key of a setting: the cap, an int
	stopsKey struct{ agent string } // key of an agent's counter in a session
)

// stops counts how many times in a row hooks have kept an agent working.
type stops struct {
	mu sync.Mutex
	n  int
}

// another updates the count, and reports whether the count exceeds most. again means that hooks kept the agent working
// at the previous stop, held that hooks keep it working at this stop. The count restarts unless both are true.
func (c *stops) another(again, held bool, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !again || !held {
		c.n = 0
	}
	if !held {
		return false
	}
	c.n++
	if most > 0 && c.n > most {
		c.n = 0
		return true
	}
	return false
}

// capStops makes context a block at the level [Docs], and removes the block of hooks that have kept an agent working
// too often. It is for Stop and SubagentStop; again means that a hook has kept the agent working before.
func capStops(s *pipeline.Session, agent string, again bool, res *hook.Result[BasicOutput]) {
	if !res.Stop && res.Context != "" && levelOf(s) == Docs && !res.Decision.Blocks() {
		res.Decision = hook.Block
	}
	most, set := s.Setting(stopCap{}).(int)
	if !set && levelOf(s) == Docs {
		most = StopCap
	}
	c := s.Value(stopsKey{agent}, func() any { return &stops{} }).(*stops)
	if c.another(again, res.Decision.Blocks(), most) {
		res.Decision = ""
		res.OverriddenBlock = fmt.Sprintf("hooks have kept the agent going %d times in a row; it stops now", most)
	}
}

// levelOf returns the level of a session's settings.
func levelOf(s *pipeline.Session) Level {
	if r, ok := s.Setting(readingKey{}).(*reading); ok {
		return r.Level
	}
	return Base
}

func concludeStop(s *pipeline.Session, in *StopInput, res *hook.Result[BasicOutput]) {
	capStops(s, "", in.Active, res)
}

func concludeSubagentStop(s *pipeline.Session, in *SubagentStopInput, res *hook.Result[BasicOutput]) {
	capStops(s, in.AgentID, in.Active, res)
}
