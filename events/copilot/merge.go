package copilot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// rank orders decisions: deny before ask before allow (G41).
var rank = map[hook.Decision]int{hook.Deny: 3, hook.Block: 3, hook.Ask: 2, hook.Allow: 1, hook.Approve: 1}

// reduce merges the answers in the order of the hooks. It keeps the last rewrite, unless there is a denial. At a
// permission request later members override earlier ones (G42).
func (t *traits) reduce(outs iter.Seq[hook.Output[Output]]) (all hook.Output[Output]) {
	var contexts, messages []string
	for o := range outs {
		if rank[o.Decision] > rank[all.Decision] {
			all.Decision, all.Reason = o.Decision, o.Reason
		}
		if o.Stop && !all.Stop {
			all.Stop, all.StopReason = true, o.StopReason
		}
		contexts, messages = add(contexts, o.Context), add(messages, o.Message)
		all.Specific.over(&o.Specific)
	}
	all.Set = hook.SetAnswer
	all.Context, all.Message = strings.Join(contexts, "\n\n"), strings.Join(messages, "\n")
	if t.joined > 0 {
		all.Context = strings.ToValidUTF8(all.Context[:min(len(all.Context), t.joined)], "")
	}
	if t.spread && all.Specific.Behavior != "" {
		all.Decision = hook.Decision(all.Specific.Behavior)
		if m := all.Specific.Message; m != nil {
			all.Reason = *m
		}
	}
	if all.Decision.Blocks() {
		all.Specific.ModifiedArgs, all.Specific.ModifiedResponse = nil, nil
	}
	return all
}

// over replaces the members of p that a later answer sets, except InitialPrompt, of which the first is kept.
func (p *Output) over(later *Output) {
	if later.ModifiedArgs != nil {
		p.ModifiedArgs = later.ModifiedArgs
	}
	if later.ModifiedResult != nil {
		p.ModifiedResult = later.ModifiedResult
	}
	p.ModifiedResponse = cmp.Or(later.ModifiedResponse, p.ModifiedResponse)
	p.ModifiedPrompt = cmp.Or(later.ModifiedPrompt, p.ModifiedPrompt)
	p.InitialPrompt = cmp.Or(p.InitialPrompt, later.InitialPrompt)
	p.Behavior = cmp.Or(later.Behavior, p.Behavior)
	p.Message, p.Interrupt = cmp.Or(later.Message, p.Message), cmp.Or(later.Interrupt, p.Interrupt)
}

func add(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

// refine adjusts the report of one hook. It removes a stop on all surfaces except the chat of VS Code, which alone
// honours stops. If a failed command denies, refine sets the reason that the original system writes.
func (t *traits) refine(s *pipeline.Session, event string, r *hook.Report[Output]) {
	o := &r.Output
	if o.Stop && surfaceOf(s) != VSCode && r.Err == nil {
		o.Stop, o.StopReason = false, ""
		note := `"continue": false has no effect on ` + event
		if t.closed || t.denies || t.resumes {
			note += "; the denial in it is lost"
		}
		r.Notes = append(r.Notes, note)
	}
	if late, ok := errors.AsType[*hook.TimeoutError](r.Err); ok { // a timeout does not end the fire
		r.Err = &hook.Error{Hook: r.Hook, Err: &hook.ClassError{Class: hook.ClassTimeout, Err: errors.New(late.Error())}}
	}
	byTwo := r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == 2
	switch {
	case r.Err == nil && byTwo && o.Decision.Blocks():
		r.Notes = append(r.Notes, "exit status 2 denies")
	case r.Err == nil || r.Backgrounded:
	case o.Decision.Blocks() && r.Hook.Policy == nil:
		o.Reason = fmt.Sprintf("Denied by a %s hook (hook errored)", event)
		r.Notes = append(r.Notes, "the hook has failed, which denies here: "+r.Err.Error())
	case t.closed || t.denies || t.resumes:
		format.NoteLostDenial(r)
	}
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

// effects returns everything that a caller has to apply.
func (t *traits) effects(res *hook.Result[Output]) *Effects {
	e := format.EffectsOf(res)
	p := &res.Specific
	switch {
	case t.resumes && res.Blocked() && res.OverriddenBlock == "":
		e.Followup = &res.Reason
	case t.denies:
		e.Decide(res.Decision)
	}
	if p.InitialPrompt != "" {
		e.Followup = &p.InitialPrompt
	}
	e.UpdatedInput = p.ModifiedArgs
	if p.ModifiedPrompt != nil {
		e.UpdatedInput = wire.Quote(*p.ModifiedPrompt)
	}
	if p.ModifiedResult != nil {
		e.UpdatedOutput = []byte(p.ModifiedResult)
	}
	if p.ModifiedResponse != nil {
		e.UpdatedOutput = wire.Quote(*p.ModifiedResponse)
	}
	if t.joined > 0 && res.Context != "" {
		e.ModelSees = []string{res.Context}
	}
	if res.Decision.Blocks() {
		e.TellModel(res.Reason)
	}
	if res.Decision == hook.Ask {
		e.TellUser(res.Reason)
	}
	e.TellUser(res.OverriddenBlock)
	for i := range res.Reports {
		if r := &res.Reports[i]; r.Err != nil && !errors.Is(r.Err, hook.ErrNotNeeded) {
			e.TellUser(notice(r))
		}
	}
	return e
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
