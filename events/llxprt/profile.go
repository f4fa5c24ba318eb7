package llxprt

import (
	"fmt"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// Profile says whose rules count where LLxprt Code and Gemini CLI differ, which
// otherwise share events, payloads and answers.
type Profile string

// The profiles. Gemini differs from LLxprt in these rules:
//
//   - settings are .gemini/settings.json, and hooks are on unless
//     hooksConfig.enabled is false;
//   - a JSON answer counts after every exit status, on standard output or, where
//     that is blank, on standard error. Plain text is a message after status 0, a
//     warning after 1, and a denial for that text after any other. A status
//     other than 0 without any text is a failure, and the action goes ahead;
//   - a decision "ask" asks the user; where there is none, the tool does not run;
//   - a denial after a tool replaces its result, one after the model its response;
//   - AfterModel fires for each chunk of a response, see [Profile.PerChunk];
//   - hooks are the same if name and command are.
const (
	Found  Profile = ""       // Gemini where settings of Gemini CLI alone are there, else LLxprt
	LLxprt Profile = "llxprt" // LLxprt Code
	Gemini Profile = "gemini" // Gemini CLI
)

// profileKey is the key of a session's profile among the values of its settings.
type profileKey struct{}

// ProfileOf returns the profile of a session's settings: LLxprt or Gemini.
func ProfileOf(s *pipeline.Session) Profile {
	if p, ok := s.Setting(profileKey{}).(Profile); ok {
		return p
	}
	return LLxprt
}

// PerChunk reports whether AfterModel is fired for each chunk of a response that
// comes in a stream, in place of once for the whole of it. The caller fires it;
// the engine has no other rule for it.
func (p Profile) PerChunk() bool { return p == Gemini }

// candor is what the report of a hook says that wanted what its event cannot do.
type candor struct {
	denied string // what becomes of the action that it denied; empty: the denial counts
	gemini bool   // in the profile Gemini the denial counts
	asks   bool   // "ask" means something
}

// declare makes an event of the dialect whose reports say what had no effect.
func declare[In, Out any](c candor, ev pipeline.Spec[In, Out]) *pipeline.Event[In, Out] {
	ev.Refine = func(s *pipeline.Session, _ *In, r *hook.Report[Out]) {
		wants := wanted(&r.Output)
		if g, ok := any(&r.Output.Specific).(*BeforeToolOutput); ok && wants == "" {
			wants = g.PermissionDecision // it may be a word that is none
		}
		if note := c.note(s, ev.Name, wants); note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
	return pipeline.Declare(Dialect, ev)
}

func (c candor) note(s *pipeline.Session, event string, wants hook.Decision) string {
	switch {
	case wants.Blocks() && c.denied != "" && !(c.gemini && ProfileOf(s) == Gemini):
		return "the denial has no effect: " + c.denied
	case wants == hook.Ask && !c.asks:
		return "the decision \"ask\" has no effect: " + event + " asks no one"
	case wants == hook.Ask && !s.Interactive() && ProfileOf(s) == Gemini:
		return "the hook wants the user asked, and there is no user to ask: the tool does not run"
	case wants == hook.Ask && !s.Interactive():
		return "the hook wants the user asked, and there is no user to ask: the tool runs"
	case rank(wants) == 0 && wants != "" && wants != hook.Allow && wants != hook.Approve:
		return fmt.Sprintf("the decision %q has no effect; write allow, ask, block or deny", wants)
	}
	return ""
}

// wanted is the stricter of an answer's decision and its permission.
func wanted[T any](o *hook.Output[T]) hook.Decision {
	if g, ok := any(&o.Specific).(*BeforeToolOutput); ok && rank(g.PermissionDecision) > rank(o.Decision) {
		return g.PermissionDecision
	}
	return o.Decision
}

// rank orders decisions: a stricter one is never lifted by another hook.
func rank(d hook.Decision) int {
	switch {
	case d.Blocks():
		return 2
	case d == hook.Ask:
		return 1
	}
	return 0
}

// noUserToAsk is the reason where a tool does not run for want of an answer.
const noUserToAsk = "a hook wants the user asked, and there is no user to ask"

// concludeCall makes "ask" of the profile Gemini what holds up the tool.
func concludeCall(s *pipeline.Session, _ *BeforeToolInput, res *hook.Result[BeforeToolOutput]) {
	if wanted(&res.Output) != hook.Ask || ProfileOf(s) != Gemini {
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
	res.Specific.replaces = res.Decision.Blocks() && ProfileOf(s) == Gemini
}

// concludeEdit makes a denial of the profile Gemini replace the response.
func concludeEdit(s *pipeline.Session, _ *AfterModelInput, res *hook.Result[AfterModelOutput]) {
	res.Specific.replaces = res.Decision.Blocks() && ProfileOf(s) == Gemini
}
