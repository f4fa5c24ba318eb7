package codex

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/format"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the Codex system. Exit status 0 reads the output. Status 2 denies, with the reason on standard error, at
// events where hooks can deny. After any other status the hook has failed and the action goes ahead (CX20). Hooks have
// ten minutes, and all hooks of an event run in parallel.
var Dialect = &pipeline.Dialect{
	Name: "codex",
	Unit: time.Second,
	Rules: pipeline.Rules{
		Exits:   hook.Exits{0: hook.ParseAnswer, hook.OtherStatus: hook.Fail},
		Text:    hook.TextIgnored,
		Match:   Match,
		Timeout: 10 * time.Minute,
	},
	Head:      head,
	BaseNames: []string{"session_id", "transcript_path", "cwd", "hook_event_name"},
	HostLast:  true,
}

// head appends the members that every payload has, without a newline at the end (CX14).
func head(dst []byte, h pipeline.Head) []byte {
	dst = append(append(dst, `"session_id":`...), wire.Quote(h.Session)...)
	transcript := jsontext.Value("null")
	if h.Transcript != "" {
		transcript = wire.Quote(h.Transcript)
	}
	dst = append(append(dst, `,"transcript_path":`...), transcript...)
	dst = append(append(dst, `,"cwd":`...), wire.Quote(h.Dir)...)
	return append(append(dst, `,"hook_event_name":`...), wire.Quote(h.Event)...)
}

// denies maps exit statuses to their effects on an event where hooks can deny.
var denies = hook.Exits{0: hook.ParseAnswer, 2: hook.DenyForStderr, hook.OtherStatus: hook.Fail}

// traits holds facts about an event for which a Spec has no field.
type traits struct {
	answerForm         // the form of the event's answers
	verdict    verdict // sets the event's effects for a host
	joins      bool    // the reasons of all hooks that deny are joined; false: the first is used
	frees      bool    // a stop lifts every block
	silent     bool    // the user does not see messages of hooks
	brief      bool    // the timeout of a hook is one second by default, and three at most
	waits      bool    // no hook runs in the background
	deaf       bool    // the model gets no context
	told       string  // names the reader of a refusal's text: model or user; if it is empty, nobody reads the text
}

// verdict translates the merged answer of an event to effects for a host.
type verdict func(e *format.Effects, call *Call, o *hook.Output[Output])

// table holds the traits of every event of this package by its name.
var table = map[string]*traits{}

// declare makes an event of the dialect. It sets the functions that follow from the traits.
func declare[In any](t traits, ev pipeline.Spec[In, Output]) *pipeline.Event[In, Output] {
	table[ev.Name] = &t
	if ev.SubjectName == toolSubject {
		ev.Rules.Renamed = aliases.matcher
	}
	if ev.Subject == nil {
		ev.Rules.Match = func(string) (hook.Matcher, string) { return nil, "" } // matchers are ignored (CX12)
	}
	if t.brief {
		ev.Rules.Timeout = time.Second
	}
	ev.Decode = decoder(ev.Name, &t)
	ev.Reduce, ev.ReducesCommon = reducer(&t), true
	refine := ev.Refine
	ev.Refine = func(s *pipeline.Session, in *In, r *hook.Report[Output]) {
		settle(s, &t, ev.Can, r)
		if refine != nil {
			refine(s, in, r)
		}
	}
	ev.Effects = func(in In, res *hook.Result[Output]) any {
		var call *Call
		if about, ok := any(&in).(interface{ call() *Call }); ok {
			call = about.call()
		}
		return effects(&t, call, res)
	}
	return pipeline.Declare(Dialect, ev)
}

// toolSubject is the name of the subject of tool events.
const toolSubject = "tool_name"

// aliases lists further names of tools, which matchers accept too (CX13).
var aliases = aliased{"apply_patch": {"Write", "Edit"}, "spawn_agent": {"Agent"}}

type aliased map[string][]string

func (a aliased) matcher(m hook.Matcher) hook.Matcher {
	if m == nil {
		return nil
	}
	return aliasMatcher{m, a}
}

type aliasMatcher struct {
	hook.Matcher
	aliases aliased
}

// Match reports whether the tool, or an alias of it, matches.
func (m aliasMatcher) Match(tool string) bool {
	if m.Matcher.Match(tool) {
		return true
	}
	for _, alias := range m.aliases[tool] {
		if m.Matcher.Match(alias) {
			return true
		}
	}
	return false
}

// Quick returns true: the matcher is fast.
func (aliasMatcher) Quick() bool { return true }

// Match compiles a matcher (CX11). The empty pattern and "*" match everything. Letters, digits, _ and | are a list of
// names, each compared exactly. Anything else is an expression of Rust's regex crate, which may match anywhere. An
// invalid pattern matches nothing, and note describes the mistake.
func Match(pattern string) (m hook.Matcher, note string) { return match.LinearList(pattern) }

// About returns the types of hooks that an event runs. told is the reader of the text of a refusal: "model", "user", or
// "" where hooks cannot refuse.
func About(event string) (types []string, told string) {
	t := table[event]
	if t == nil {
		return nil, ""
	}
	types = []string{"command", "mcp_tool"}
	if t.waits {
		types = types[:1]
	}
	return types, t.told
}
