package lint

import (
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

var ruleAsyncGate = Rule{
	ID: "async-gate", Severity: Warning, look: asyncGate,
	Doc: "A hook of an event that can be blocked runs in the background.",
	Why: "The agent does not wait for the hook: the action has gone ahead before the hook refuses. " +
		"If no refusal is found in the hook, the finding is only a note.",
	Mistake: `{"type": "command", "command": "./guard.sh", "async": true}`,
	Fix:     `{"type": "command", "command": "./guard.sh"}`,
}

// asyncGate looks for background hooks of events where hooks can refuse.
func asyncGate(v *hookView) {
	if v.event.Can&pipeline.CanBlock == 0 || v.h.Background != hook.Async {
		return
	}
	f := v.report("async-gate", v.at("async"), "remove \"async\" if the hook has to refuse",
		"this hook runs in the background, where it cannot refuse anything")
	if !slices.ContainsFunc(v.scripts, func(s *hookScript) bool { return refusesHere(v, s) }) {
		f.Severity = Note
	}
	v.add(*f)
}

// refusesHere reports whether a script can refuse when this hook calls it. A dispatcher, which acts
// by its arguments, may refuse for other hooks alone.
func refusesHere(v *hookView, s *hookScript) bool {
	return (answersJSON(string(s.text)) || endsWith2.Match(s.text)) && !dispatches(v, s)
}
