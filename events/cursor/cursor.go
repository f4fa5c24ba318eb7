package cursor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the Cursor system. Exit status 0 reads the output, 2 denies at events where hooks can deny, and after any
// other status the hook has failed (U15). Hooks have a minute, and all hooks of an event run in parallel.
var Dialect = &pipeline.Dialect{
	Name: "cursor",
	Unit: time.Second,
	Rules: pipeline.Rules{
		Exits:    hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.Fail},
		Text:     hook.TextIgnored,
		Match:    Match,
		Readings: []func(string) (hook.Matcher, string){matchImported},
		Timeout:  time.Minute,
	},
	Head: head,
	BaseNames: []string{
		"conversation_id", "session_id", "hook_event_name", "workspace_roots", "transcript_path",
	},
	Members:  memberNames(),
	HostLast: true,
}

// head appends the members whose values the engine has (U12).
func head(dst []byte, h pipeline.Head) []byte {
	dst = append(append(dst, `"hook_event_name":`...), wire.Quote(h.Event)...)
	dst = append(append(append(dst, `,"workspace_roots":[`...), wire.Quote(h.Dir)...), ']')
	if t := table[h.Event]; t != nil && t.bare {
		return dst
	}
	transcript := jsontext.Value("null")
	if h.Transcript != "" {
		transcript = wire.Quote(h.Transcript)
	}
	dst = append(append(dst, `,"conversation_id":`...), wire.Quote(h.Session)...)
	dst = append(append(dst, `,"session_id":`...), wire.Quote(h.Session)...)
	return append(append(dst, `,"transcript_path":`...), transcript...)
}

// denies maps exit statuses to their effects on an event where hooks can deny.
var denies = hook.Exits{0: hook.ParseAnswer, 2: hook.DenyUnread, hook.OtherStatus: hook.Fail}

// traits holds facts about an event for which a Spec has no field.
type traits struct {
	takes takes           // the members of answers that are honoured
	words permissionWords // the words of "permission"; nil: the event has none
	word  string          // the word that matchers test if no member of the input is the subject; "": none
	bare  bool            // the payload belongs to no conversation
	told  string          // reader of the text of a refusal: model, user or ""
}

// gate reports whether the event asks for permission. At a gate, an answer that violates the schema
// blocks.
func (t *traits) gate() bool { return t.words != nil }

// refuses reports whether hooks of the event can deny.
func (t *traits) refuses() bool { return t.gate() || t.takes&takesContinue != 0 }

// follows reports whether a hook of the event can make the agent continue with a text.
func (t *traits) follows() bool { return t.takes&takesFollowup != 0 }

// permissionWords maps the words of "permission" that an event knows to their effects. A word mapped to
// Undecided is accepted and has no effect.
type permissionWords map[string]hook.Decision

// table holds the traits of every event of this package by its name.
var table = map[string]*traits{}

// declare makes an event of the dialect. It sets the functions that follow from the traits.
func declare[In any](t traits, ev pipeline.Spec[In, Output]) *pipeline.Event[In, Output] {
	table[ev.Name] = &t
	if t.refuses() {
		ev.Can |= pipeline.CanBlock
		ev.Rules.Exits, ev.Rules.UnreadBlocks = denies, t.gate()
		ev.Rules.Asks = t.words["ask"] == hook.Ask
	}
	if t.follows() {
		ev.Can |= pipeline.CanBlock
		ev.ConditionInput = func(in *In) hook.ConditionInput { return any(in).(ending).loops() }
		ev.Conclude = func(s *pipeline.Session, in *In, res *hook.Result[Output]) {
			countLoops(s, ev.Name, any(in).(ending).end(), res.Decision.Blocks())
		}
	}
	if t.takes&takesContext != 0 {
		ev.Can |= pipeline.CanAddContext
	}
	if ev.Subject == nil {
		ev.Rules.Match = fixed(t.word)
	}
	ev.Vars = func(s *pipeline.Session, in *In) []string { return vars(s, any(in).(reporter).host()) }
	ev.Decode = decoder(ev.Name, &t)
	ev.Reduce, ev.ReducesCommon = reducer(&t), true
	ev.Refine = func(s *pipeline.Session, in *In, r *hook.Report[Output]) { settle(s, &t, in, r) }
	ev.Effects = func(_ In, res *hook.Result[Output]) any { return effects(&t, res) }
	return pipeline.Declare(Dialect, ev)
}

// Match compiles a matcher (U9): empty and "*" match everything, anything else is an expression of
// JavaScript that may match anywhere. An invalid pattern matches nothing, and note describes the
// mistake.
func Match(pattern string) (m hook.Matcher, note string) {
	if pattern == "" || pattern == "*" {
		return nil, ""
	}
	p, err := match.Regexp(pattern)
	if err != nil {
		return match.Names(nil), fmt.Sprintf("%v; it matches nothing. Write an expression such as ^Shell$ or Read|Write", err)
	}
	return p, ""
}

// fixed returns the function that compiles the matchers of an event without a subject. The matchers test word, which
// never changes; if word is empty, they are ignored (U10).
func fixed(word string) func(pattern string) (hook.Matcher, string) {
	return func(pattern string) (hook.Matcher, string) {
		if word == "" {
			return nil, ""
		}
		m, note := Match(pattern)
		if note == "" && m != nil && !m.Match(word) {
			return match.Names(nil), fmt.Sprintf(
				"the matcher %.60q tests the word %q here and does not match it: the hook never runs; remove the matcher", pattern, word)
		}
		if note != "" {
			return m, note
		}
		return nil, ""
	}
}

// About returns the types of hooks that an event runs. told is the reader of the text of a refusal: "model", "user", or
// "" where hooks cannot refuse.
func About(event string) (types []string, told string) {
	if t := table[event]; t != nil {
		return []string{"command", "prompt"}, t.told
	}
	return nil, ""
}

// strictness ranks decisions: the strictest of several answers is used (U24).
func strictness(d hook.Decision) int {
	return slices.Index([]hook.Decision{hook.Undecided, hook.Allow, hook.Ask, hook.Deny}, cmp.Or(synonyms[d], d))
}

// synonyms maps further words that Go hooks may use to the system's words.
var synonyms = map[hook.Decision]hook.Decision{hook.Block: hook.Deny, hook.Approve: hook.Allow}
