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
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
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

// Profile selects the rules that apply where LLxprt Code and Gemini CLI differ. They share events, payloads and
// answers.
type Profile string

// The profiles. Gemini differs from LLxprt in these rules:
//
//   - settings are .gemini/settings.json, and hooks are on unless
//     hooksConfig.enabled is false;
//   - a JSON answer is read after every exit status, on standard output or, where
//     that is blank, on standard error. Plain text is a message after status 0, a
//     warning after 1, and the reason of a denial after any other. A status
//     other than 0 without any text is a failure, and the action goes ahead;
//   - a decision "ask" asks the user; without a user, the tool does not run;
//   - a denial after a tool replaces the tool's result, and a denial after the
//     model replaces the model's response;
//   - AfterModel fires for each chunk of a response, see [Profile.PerChunk];
//   - hooks are duplicates if name and command are equal. An entry may have variables of its own, env, and all hooks
//     get GEMINI_CWD and GEMINI_SESSION_ID too.
const (
	Found  Profile = ""       // the profile that [Find] returns
	LLxprt Profile = "llxprt" // LLxprt Code
	Gemini Profile = "gemini" // Gemini CLI
)

// profileKey is the key of a session's profile among the values of its settings.
type profileKey struct{}

// ProfileOf returns the profile of a session's settings: LLxprt or Gemini. It returns
// LLxprt for a session that has both; see [Both].
func ProfileOf(s *pipeline.Session) Profile {
	if p, ok := s.Setting(profileKey{}).(Profile); ok && p != both {
		return p
	}
	return LLxprt
}

// geminiRules reports whether a hook of a session follows the rules of Gemini CLI.
func geminiRules(s *pipeline.Session, h *hook.Hook) bool {
	p, _ := s.Setting(profileKey{}).(Profile)
	return p == Gemini || p == both && strings.HasPrefix(h.ID, geminiIDs)
}

// geminiSays reports whether a result follows the rules of Gemini CLI. In a session with both profiles, it does if the
// condition "is" holds for the answer of one of Gemini CLI's hooks.
func geminiSays[Out any](s *pipeline.Session, res *hook.Result[Out], is func(*hook.Output[Out]) bool) bool {
	if p, _ := s.Setting(profileKey{}).(Profile); p != both {
		return p == Gemini
	}
	return slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool {
		return is(&r.Output) && geminiRules(s, r.Hook)
	})
}

// PerChunk reports whether the caller fires AfterModel for each chunk of a streamed response, instead of once for the
// whole response. The engine treats a chunk like a whole response.
func (p Profile) PerChunk() bool { return p == Gemini }

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

// gemini adds to env the variables that only hooks of Gemini CLI get, and the variables of the entry.
func (g *group) gemini(env []string) []string {
	env = environ.WithVar(env, "GEMINI_CWD", g.at.Dir)
	for _, entry := range g.vars {
		name, value, _ := strings.Cut(entry, "=")
		env = environ.WithVar(env, name, value)
	}
	return env
}

// environOf returns the function that makes the environment of a call.
func (g *group) environOf(env []string) func(hook.Call) []string {
	if g.profile != Gemini {
		return func(hook.Call) []string { return env }
	}
	return func(call hook.Call) []string {
		return environ.WithVar(env, "GEMINI_SESSION_ID", call.Session)
	}
}

// ownVars reads the variables of an entry, which only Gemini CLI supports.
func (g *group) ownVars(v settings.Value) (vars []string) {
	if g.profile != Gemini || !v.Exists() || v.Kind() == 'n' {
		return nil
	}
	if v.Kind() != '{' {
		g.Problem(v.Want("an object of variables, such as {\"MODE\": \"strict\"}"))
		return nil
	}
	for name, value := range v.Members() {
		if text, ok := g.Text(value); ok {
			vars = append(vars, name+"="+text)
		}
	}
	return vars
}
