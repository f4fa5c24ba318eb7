package copilot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// rank orders decisions: deny before ask before allow (G41).
var rank = map[hook.Decision]int{hook.Deny: 3, hook.Block: 3, hook.Ask: 2, hook.Allow: 1, hook.Approve: 1}

// reduce merges the answers in the order of the hooks. The last rewrite counts, unless there is a
// denial; of a permission request later members override earlier ones (G42).
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

// over lets the members of a later answer replace those of p.
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

// refine adjusts the report of one hook: members that only the chat of VS Code honours go elsewhere,
// and the reason of a command that failed and denies is the original's.
func (t *traits) refine(s *pipeline.Session, event string, r *hook.Report[Output]) {
	o := &r.Output
	if o.Stop && surfaceOf(s) != VSCode && r.Err == nil {
		o.Stop, o.StopReason = false, ""
		r.Notes = append(r.Notes, `"continue": false has no effect on `+event)
	}
	if late, ok := errors.AsType[*hook.TimeoutError](r.Err); ok { // a failure like others here, and not an end of the fire
		r.Err = &hook.Error{Hook: r.Hook, Err: &hook.ClassError{Class: hook.ClassTimeout, Err: errors.New(late.Error())}}
	}
	byTwo := r.Reply != nil && r.Reply.Signal == nil && r.Reply.Exit == 2
	switch {
	case r.Err == nil && byTwo && o.Decision.Blocks():
		r.Notes = append(r.Notes, "exit status 2 denies")
	case r.Err == nil || r.Backgrounded:
	case o.Decision.Blocks() && r.Hook.Policy == nil:
		o.Reason = fmt.Sprintf("Denied by a %s hook (hook errored)", event)
		r.Notes = append(r.Notes, "the hook errored, which denies: "+r.Err.Error())
	case t.closed || t.denies || t.resumes:
		format.NoteLostDenial(r)
	}
}

// concludeCall decides about a question without a user to answer it: a denial (G43).
func concludeCall(s *pipeline.Session, _ *PreToolUseInput, res *hook.Result[Output]) {
	if res.Decision == hook.Ask && (!s.Interactive() || surfaceOf(s) == Cloud) {
		res.Decision, res.Specific.ModifiedArgs = hook.Deny, nil
	}
}

// concludePermission keeps a call that wants to leave the sandbox from being approved (G44), and stops
// the agent where a denial says so.
func concludePermission(_ *pipeline.Session, in *PermissionRequestInput, res *hook.Result[Output]) {
	if bypass := in.Input.Get("requestSandboxBypass"); res.Decision == hook.Allow && bypass != nil && bypass.Kind() == 't' {
		res.Decision, res.Reason = "", ""
	}
	if i := res.Specific.Interrupt; i != nil && *i && res.Decision.Blocks() {
		res.Stop, res.StopReason = true, res.Reason
	}
}

// stopCap is how often in a row hooks can send an agent back to work (G45).
const stopCap = 8

// stops counts in a session whose state cannot be kept on disk.
type stops struct{ n int64 }

// capStops lets an agent stop that hooks have sent back to work too often. again says that a hook has
// done so before.
func capStops(s *pipeline.Session, key string, again bool, res *hook.Result[Output]) {
	state := s.State()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // of the state's lock, which a hook may hold
	defer cancel()
	if !again || !res.Decision.Blocks() {
		if _, counted, err := state.Get(ctx, key); counted || err != nil {
			_ = state.Delete(ctx, key) // a count that stays is one block less at worst
		}
	}
	if !res.Decision.Blocks() {
		return
	}
	n, err := state.Incr(ctx, key, 1)
	if err != nil {
		kept := s.Value(stopKey(key), func() any { return new(stops) }).(*stops)
		kept.n++
		n = kept.n
	}
	if n > stopCap {
		_ = state.Delete(ctx, key)
		res.Decision = ""
		res.OverriddenBlock = "hooks have sent the agent back to work " + strconv.Itoa(stopCap) + " times in a row; it stops now"
	}
}

// stopKey is the key of a count in a session.
type stopKey string

// effects lists everything that a caller has to apply.
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

// notice tells the user that a hook failed: in its own words, if it has printed some.
func notice(r *hook.Report[Output]) string {
	if r.Reply != nil {
		if said := strings.TrimSpace(string(r.Reply.Stderr)); said != "" {
			return wire.Valid([]byte(said))
		}
	}
	return r.Err.Error()
}
