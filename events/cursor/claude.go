package cursor

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/unread"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/wire"
)

// imports maps Claude Code's names of events to the names here, for the events from which Cursor imports hooks (U31).
// Hooks of other events of Claude Code do not run.
var imports = map[string]string{
	"PreToolUse": "preToolUse", "PostToolUse": "postToolUse", "UserPromptSubmit": "beforeSubmitPrompt", "Stop": "stop",
	"SubagentStop": "subagentStop", "SessionStart": "sessionStart", "SessionEnd": "sessionEnd", "PreCompact": "preCompact",
}

// tools groups the names of a tool that matchers of imported hooks accept (U32).
var tools = match.Renamed{{"Shell", "Bash"}, {"Write", "Edit", "MultiEdit"}}

// imported runs a hook of Claude Code, and translates its answer to Cursor's words (U33).
type imported struct {
	hook.Runner
	traits *traits
}

// Unwrap returns the Runner of the hook itself.
func (i imported) Unwrap() hook.Runner { return i.Runner }

// Run runs the hook and translates the answer.
func (i imported) Run(ctx context.Context, call hook.Call) (hook.Reply, error) {
	reply, err := i.Runner.Run(ctx, call)
	if err == nil && reply.Exit == 0 && reply.Signal == nil && reply.Truncated&hook.Stdout == 0 {
		reply.Stdout = i.traits.translate(reply.Stdout)
	}
	return reply, err
}

// claudes lists the members of Claude Code's answers.
var claudes = []string{"hookSpecificOutput", "decision", "reason", "continue", "stopReason", "suppressOutput", "systemMessage"}

// translate translates an answer of Claude Code to the words of Cursor. It does not change an output of another form,
// or an answer with a word that Cursor does not know; a gate then blocks.
func (t *traits) translate(stdout []byte) []byte {
	printed := wire.Trim(stdout)
	if len(printed) == 0 || !wire.Object(printed).IsValid() {
		return stdout
	}
	answer := wire.Object(printed)
	own := wire.Object(answer.Get("hookSpecificOutput"))
	if !own.IsObject() || isDamaged(answer, own) {
		return stdout
	}
	reason := lo.CoalesceOrEmpty(own.Text("permissionDecisionReason"), own.Text("reason"), answer.Text("reason"), answer.Text("stopReason"))
	says := map[string]bool{}
	for _, v := range []jsontext.Value{own.Get("permissionDecision"), own.Get("decision"), answer.Get("decision")} {
		if v == nil || v.Kind() == 'n' {
			continue
		}
		word, _ := wire.Text(v)
		if word = lo.ValueOr(claudeWords, word, ""); word == "" {
			return stdout
		}
		says[word] = true
	}
	rest := answer.Without(claudes...)
	switch {
	case says["deny"], string(answer.Get("continue")) == "false" && t.refuses():
		rest = rest.Merge(t.refusal(reason))
	case !t.gate():
	case says["ask"]:
		rest = rest.With("permission", wire.Quote("ask"))
	case says["allow"]:
		rest = rest.With("permission", wire.Quote("allow"))
	}
	for ours, v := range map[string]jsontext.Value{
		"updated_input": own.Get("updatedInput"), "additional_context": own.Get("additionalContext"), "user_message": answer.Get("systemMessage"),
	} {
		if v != nil && rest.Get(ours) == nil && t.takes&members[ours].takes != 0 {
			rest = rest.With(ours, v)
		}
	}
	if rest.IsEmpty() {
		return []byte("{}")
	}
	return rest
}

// ownMembers lists the members of hookSpecificOutput of Claude Code that a translation reads.
var ownMembers = []string{
	"hookEventName", "permissionDecision", "permissionDecisionReason", "decision", "reason", "updatedInput", "additionalContext",
}

// isDamaged reports whether an answer of Claude Code has a member with a name that is nearly a decision, or an
// invalid value of "continue": a translation would lose a denial.
func isDamaged(answer, own wire.Object) bool {
	if v := answer.Get("continue"); v != nil && v.Kind() != 't' && v.Kind() != 'f' && v.Kind() != 'n' {
		return true
	}
	for name := range own.Members() {
		if !slices.Contains(ownMembers, name) && unread.Resembles([]byte(name)) {
			return true
		}
	}
	return false
}

// claudeWords maps the words of Claude Code's decisions to Cursor's.
var claudeWords = map[string]string{"deny": "deny", "block": "deny", "allow": "allow", "approve": "allow", "ask": "ask"}

// refusal returns an answer that refuses with a reason; it is empty at events where hooks cannot refuse.
func (t *traits) refusal(reason string) wire.Object {
	switch {
	case t.gate():
		return wire.Object(nil).With("permission", wire.Quote("deny")).With("user_message", wire.Quote(reason))
	case t.refuses():
		return wire.Object(nil).With("continue", []byte("false")).With("user_message", wire.Quote(reason))
	case t.follows():
		return wire.Object(nil).With("followup_message", wire.Quote(reason))
	}
	return nil
}
