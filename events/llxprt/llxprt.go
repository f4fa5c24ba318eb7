// Package llxprt is the hook system of LLxprt Code, and of Gemini CLI, whose hooks use the same protocol: eleven
// events, command hooks, four merge strategies (docs/spec/llxprt.md).
//
// The package consists of declarations: [Dialect], one variable for each event, and the types of
// their inputs and outputs. [Settings] reads the settings files, and the Apply functions convert a
// result to instructions for the caller.
package llxprt

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the LLxprt system. Exit status 0 reads the output, 2 refuses, and any other status warns and lets the
// action go ahead (L29, L30). Each hook has 60 seconds (L23), and the unit of timeouts is the millisecond. Matchers are
// regular expressions for the tool's name (L10).
var Dialect = &pipeline.Dialect{
	Name: "llxprt",
	Unit: time.Millisecond,
	Rules: pipeline.Rules{
		Exits:   hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny},
		Match:   match.Tool,
		Timeout: 60 * time.Second,
	},
	Base:      base,
	BaseNames: []string{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp"},
}

// base appends hook_event_name and timestamp, which every payload has (L16).
func base(dst []byte, event string, now time.Time) []byte {
	dst = append(dst, `,"hook_event_name":`...)
	dst = append(dst, wire.Quote(event)...)
	dst = append(dst, `,"timestamp":"`...)
	dst = now.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, '"')
}

// everything is the rule of events without a subject: every matcher matches.
var (
	everything = pipeline.Rules{Match: func(string) (hook.Matcher, string) { return nil, "" }}
)

// equal returns rules for matchers that are one of the words of an event, empty or "*". Any other matcher never
// matches, and has a note.
func equal(words ...string) pipeline.Rules {
	return pipeline.Rules{Match: func(pattern string) (hook.Matcher, string) {
		m := match.Trigger(pattern)
		word, exact := m.(match.Exact)
		if !exact || slices.Contains(words, string(word)) {
			return m, ""
		}
		return m, fmt.Sprintf(
			"%q never matches: here a matcher is one whole word, not a regular expression; write one of: %s, each in a group of its own",
			word,
			strings.Join(words, ", "),
		)
	}}
}

// lostAnswer describes answers without an effect at an event, for the notes about them.
type lostAnswer struct {
	denied string // reason why a denial has no effect; empty: it has an effect
	gemini bool   // in the profile Gemini a denial has an effect
	asks   bool   // "ask" has an effect
}

// declare makes an event of the dialect whose reports note answers without an effect.
func declare[In, Out any](c lostAnswer, ev pipeline.Spec[In, Out]) *pipeline.Event[In, Out] {
	ev.Refine = func(s *pipeline.Session, _ *In, r *hook.Report[Out]) {
		wants := wanted(&r.Output)
		if g, ok := any(&r.Output.Specific).(*BeforeToolOutput); ok && wants == "" {
			wants = g.PermissionDecision // the permission may be an unknown word
		}
		if wants == "" || wants == hook.Allow || wants == hook.Approve {
			return
		}
		if note := c.note(s, geminiRules(s, r.Hook), ev.Name, wants); note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	ev.ReducesCommon = true
	return pipeline.Declare(Dialect, ev)
}

// note returns the note for a decision that does not let the action go ahead; empty if the decision has the effect that
// the hook wants.
func (c lostAnswer) note(s *pipeline.Session, gemini bool, event string, wants hook.Decision) string {
	switch {
	case wants.Blocks() && (c.denied == "" || c.gemini && gemini):
		return ""
	case wants.Blocks():
		return "the denial has no effect: " + c.denied
	case wants != hook.Ask:
		return fmt.Sprintf("the decision %q has no effect; write allow, ask, block or deny", wants)
	case !c.asks:
		return "the decision \"ask\" has no effect: " + event + " asks no one"
	case s.Interactive():
		return ""
	case gemini:
		return "the hook wants the user to be asked, and there is no user to ask: the tool does not run"
	}
	return "the hook wants the user to be asked, and there is no user to ask: " +
		"LLxprt Code runs the tool, RunTool of package snaphook refuses the call"
}

// wanted returns the stricter of an answer's decision and its permission.
func wanted[T any](o *hook.Output[T]) hook.Decision {
	g, ok := any(&o.Specific).(*BeforeToolOutput)
	if ok && g.PermissionDecision != "" && rank(g.PermissionDecision) > rank(o.Decision) {
		return g.PermissionDecision
	}
	return o.Decision
}

// rank orders decisions by strictness, because no hook may loosen another's decision.
func rank(d hook.Decision) int {
	switch {
	case d.Blocks():
		return 2
	case d == hook.Ask:
		return 1
	}
	return 0
}

func gateBlocks(o *hook.Output[BeforeToolOutput]) bool {
	return o.Decision.Blocks() || o.Specific.PermissionDecision.Blocks()
}

// mergeGates merges like BlockWins, but prefers a PermissionDecision that is stricter than the decision, even if a
// later hook permits.
func mergeGates(outs iter.Seq[hook.Output[BeforeToolOutput]]) hook.Output[BeforeToolOutput] {
	return blockWins(func(yield func(hook.Output[BeforeToolOutput]) bool) {
		for o := range outs {
			o.Decision = wanted(&o)
			if !yield(o) {
				return
			}
		}
	})
}

// noUserToAsk is the reason why a tool does not run if there is no user to ask.
const noUserToAsk = "a hook wants the user to be asked, and there is no user to ask"

// concludeCall makes the tool wait for the user after an "ask" in the profile Gemini; without a user it denies.
func concludeCall(s *pipeline.Session, _ *BeforeToolInput, res *hook.Result[BeforeToolOutput]) {
	asks := func(o *hook.Output[BeforeToolOutput]) bool { return wanted(o) == hook.Ask }
	if !asks(&res.Output) || !geminiSays(s, res, asks) {
		return
	}
	if res.Specific.waits = s.Interactive(); res.Specific.waits {
		return
	}
	res.Decision = hook.Deny
	if res.Reason == "" {
		res.Reason = noUserToAsk
	}
}

// concludeDone makes a denial of the profile Gemini replace the tool's result.
func concludeDone(s *pipeline.Session, _ *AfterToolInput, res *hook.Result[BasicOutput]) {
	res.Specific.replaces = res.Decision.Blocks() && geminiSays(s, res, blocks)
}

// blocks reports whether an answer denies.
func blocks[Out any](o *hook.Output[Out]) bool { return o.Decision.Blocks() }

// concludeEdit makes a denial of the profile Gemini replace the response.
func concludeEdit(s *pipeline.Session, _ *AfterModelInput, res *hook.Result[AfterModelOutput]) {
	res.Specific.replaces = res.Decision.Blocks() && geminiSays(s, res, blocks)
}

// geminiExits maps exit statuses to their effects in Gemini CLI: a JSON answer is read after every
// status, and plain text denies after every status but 0 and 1.
var geminiExits = hook.Exits{0: hook.ReadAny, 1: hook.WarnAny, hook.OtherStatus: hook.DenyAny}
