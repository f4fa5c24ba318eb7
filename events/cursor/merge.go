package cursor

import (
	"cmp"
	"iter"
	"maps"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// settle removes the parts of a hook's report that its event does not honour, and converts its stop and its decision to
// the decisions that the event has.
func settle(s *pipeline.Session, t *traits, in any, r *hook.Report[Output]) {
	o := &r.Output
	note := func(text string) { r.Notes = append(r.Notes, text) }
	o.Decision = cmp.Or(synonyms[o.Decision], o.Decision)
	if o.Stop { // only a hook in Go can set Stop
		if o.Stop = false; t.refuses() {
			o.Decision, o.Reason = hook.Deny, cmp.Or(o.StopReason, o.Reason)
		} else {
			note("a stop has no effect on " + r.Hook.Event)
		}
		o.StopReason = ""
	}
	switch end, ends := in.(ending); {
	case ends:
		if o.Decision.Blocks() {
			o.Specific.Followup = cmp.Or(o.Specific.Followup, o.Reason)
		}
		if o.Decision, o.Reason = "", ""; o.Specific.Followup == "" {
			break
		}
		limit, limited := r.Hook.Condition.(below)
		switch {
		case limited && end.end().Uncounted && loopsOf(s, r.Hook.Event).count(end.end()) >= int(limit):
			o.Specific.Followup = ""
			note("hooks have kept the agent going for as long as loop_limit allows")
		case end.completed():
			o.Decision, o.Reason = hook.Block, o.Specific.Followup
		default:
			o.Specific.Followup = ""
			note("a follow-up counts only if the status is completed")
		}
	case o.Decision == hook.Ask && t.gate():
		if o.Decision = t.words["ask"]; o.Decision == "" && r.Reply == nil {
			note("a hook cannot ask the user on " + r.Hook.Event)
		}
	case o.Decision != "" && !t.refuses():
		o.Decision, o.Reason = "", ""
	}
	about, ok := in.(interface{ call() *Call })
	if ok && o.Specific.ToolOutput != nil && !strings.HasPrefix(about.call().Tool, mcp) {
		o.Specific.ToolOutput = nil
		note("updated_mcp_tool_output counts for tools of MCP servers alone")
	}
	if o.Specific.Env != nil && r.Hook.OwnOnly {
		o.Specific.Env = nil
		note("its variables do not count for other hooks until the user trusts the project")
	}
	if t.refuses() || t.follows() {
		format.NoteLostDenial(r)
	}
}

// mcp is the prefix of the names of MCP servers' tools.
const mcp = "MCP:"

// reducer merges the answers of an event in plan order (U24). It keeps the strictest decision, joins texts, merges env
// by names, and keeps the last value of every other member. A denied call is not rewritten.
func reducer(t *traits) hook.Reducer[Output] {
	return func(outs iter.Seq[hook.Output[Output]]) hook.Output[Output] {
		all := hook.Output[Output]{Set: hook.SetAnswer}
		var reasons, users, agents, contexts []string
		for o := range outs {
			if strictness(o.Decision) > strictness(all.Decision) || t.follows() && o.Decision.Blocks() {
				all.Decision, reasons = o.Decision, nil
			}
			if o.Decision == all.Decision {
				reasons = append(reasons, o.Reason)
			}
			if o.Stop && !all.Stop { // never true: settle removes stops
				all.Stop, all.StopReason = true, o.StopReason
			}
			all.Suppress = all.Suppress || o.Suppress
			users, agents = append(users, o.Message), append(agents, o.Specific.AgentMessage)
			contexts = append(contexts, o.Context)
			all.Specific.last(&o.Specific)
		}
		all.Reason, all.Message, all.Context = joined(reasons), joined(users), joined(contexts)
		all.Specific.AgentMessage = joined(agents)
		if all.Decision.Blocks() {
			all.Specific.UpdatedInput = nil
		}
		return all
	}
}

// last replaces the members of o that a later answer sets; it merges Env by names.
func (o *Output) last(later *Output) {
	o.Permission, o.Followup = cmp.Or(later.Permission, o.Permission), cmp.Or(later.Followup, o.Followup)
	if later.UpdatedInput != nil {
		o.UpdatedInput = later.UpdatedInput
	}
	if later.ToolOutput != nil {
		o.ToolOutput = later.ToolOutput
	}
	if later.PluginPaths != nil {
		o.PluginPaths = later.PluginPaths
	}
	if later.Env != nil {
		if o.Env == nil {
			o.Env = map[string]string{}
		}
		maps.Copy(o.Env, later.Env)
	}
}

func joined(texts []string) string { return strings.Join(lo.Compact(texts), "\n") }

// Effects lists everything that a host has to apply after a fire.
type Effects struct {
	format.Effects
	Env         map[string]string `json:"env,omitzero"`         // the engine passes these variables to later hooks of the session
	PluginPaths []string          `json:"pluginPaths,omitzero"` // of workspaceOpen
}

func effects(t *traits, res *hook.Result[Output]) *Effects {
	e := &Effects{Effects: *format.EffectsOf(res), Env: res.Specific.Env, PluginPaths: res.Specific.PluginPaths}
	e.UpdatedInput, e.UpdatedOutput = jsontext.Value(res.Specific.UpdatedInput), res.Specific.ToolOutput
	if t.follows() {
		if res.Decision.Blocks() {
			e.Followup = &res.Reason
			e.TellModel(res.Reason)
		}
		return e
	}
	e.Decide(cmp.Or(synonyms[res.Decision], res.Decision))
	for i := range res.Reports {
		r := &res.Reports[i]
		tell := e.TellModel
		if t.told == "user" {
			tell = e.TellUser
		}
		switch o := &r.Output; {
		case r.Backgrounded:
		case o.Specific.AgentMessage != "":
			e.TellModel(o.Specific.AgentMessage)
		case o.Decision.Blocks() && o.Message == "":
			tell(o.Reason)
		}
	}
	return e
}
