package copilot

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// rank orders decisions: deny before ask before allow (G41).
var rank = map[hook.Decision]int{hook.Deny: 3, hook.Block: 3, hook.Ask: 2, hook.Allow: 1, hook.Approve: 1}

func add(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

// concludeCall turns ask into a denial if there is no user (G43).
func concludeCall(s *pipeline.Session, _ *PreToolUseInput, res *hook.Result[Output]) {
	if res.Decision == hook.Ask && (!s.Interactive() || surfaceOf(s) == Cloud) {
		res.Decision, res.Specific.ModifiedArgs = hook.Deny, nil
	}
}

// concludePermission removes the approval of a call that asks to leave the sandbox (G44), and stops
// the agent after a denial with interrupt.
func concludePermission(_ *pipeline.Session, in *PermissionRequestInput, res *hook.Result[Output]) {
	if bypass := in.Input.Get("requestSandboxBypass"); res.Decision == hook.Allow && bypass != nil && bypass.Kind() == 't' {
		res.Decision, res.Reason = "", ""
	}
	if i := res.Specific.Interrupt; i != nil && *i && res.Decision.Blocks() {
		res.Stop, res.StopReason = true, res.Reason
	}
}

// stopCap limits how many times in a row hooks can send an agent back to work (G45).
const stopCap = 8

// stops holds the counts of a session whose state cannot be stored on disk.
type stops struct {
	mu sync.Mutex
	by map[string]int64 // the counts, by the keys of the stored state
}

// stopsKey is the key of the stops in a session.
type stopsKey struct{}

func stopsOf(s *pipeline.Session) *stops {
	return s.Value(stopsKey{}, func() any { return &stops{by: map[string]int64{}} }).(*stops)
}

// next adds 1 to a count, and returns the sum. It deletes a count that exceeds the cap.
func (c *stops) next(key string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.by[key] + 1
	c.by[key] = n
	if n > stopCap {
		delete(c.by, key)
	}
	return n
}

func (c *stops) restart(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.by, key)
}

// capStops removes the block if hooks have made the agent continue too often in a row. again means that a hook has
// already made it continue.
func capStops(s *pipeline.Session, key string, again bool, res *hook.Result[Output]) {
	state := s.State()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // a hook may hold the lock of the state
	defer cancel()
	if !again || !res.Decision.Blocks() {
		stopsOf(s).restart(key)
		if _, counted, err := state.Get(ctx, key); counted || err != nil {
			_ = state.Delete(ctx, key) // if this fails, the cap may be reached too early
		}
	}
	if !res.Decision.Blocks() {
		return
	}
	n, err := state.Incr(ctx, key, 1)
	if err != nil {
		n = stopsOf(s).next(key)
	}
	if n > stopCap {
		_ = state.Delete(ctx, key)
		res.Decision = ""
		res.OverriddenBlock = "hooks have sent the agent back to work " + strconv.Itoa(stopCap) + " times in a row; it stops now"
	}
}

// notice returns the notice of a failed hook for the user: its standard error, or else the error.
func notice(r *hook.Report[Output]) string {
	if r.Reply != nil {
		if said := strings.TrimSpace(string(r.Reply.Stderr)); said != "" {
			return wire.Valid([]byte(said))
		}
	}
	return r.Err.Error()
}
