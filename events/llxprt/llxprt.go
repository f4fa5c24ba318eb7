// Package llxprt is the hook system of LLxprt Code, and with it that of
// Gemini CLI, whose hooks speak the same protocol: eleven events, command
// hooks, three merge strategies (docs/spec/llxprt.md).
//
// The package is declarations: [Dialect], one variable for each event, and
// the types of their inputs and outputs. [Settings] reads the settings files,
// and the Apply functions say what a caller has to do with a result.
package llxprt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/match"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// Dialect is the LLxprt system: exit status 0 is read, 2 refuses, anything
// else warns and lets the action go ahead (L29, L30); 60 seconds for each
// hook (L23); timeouts in milliseconds; matchers are compared with
// the tool's name as regular expressions (L10).
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

// base appends the members that every payload has (L15, L16).
func base(dst []byte, event string, now time.Time) []byte {
	dst = append(dst, `,"hook_event_name":`...)
	dst = append(dst, wire.Quote(event)...)
	dst = append(dst, `,"timestamp":"`...)
	dst = now.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	return append(dst, '"')
}

// Matchers of events other than the tool events.
var (
	everything = pipeline.Rules{Match: func(string) (hook.Matcher, string) { return nil, "" }}
)

// equal is a matcher that has to be one of the words of an event; another never
// matches, which its note says.
func equal(words ...string) pipeline.Rules {
	return pipeline.Rules{Match: func(pattern string) (hook.Matcher, string) {
		m := match.Trigger(pattern)
		word, exact := m.(match.Exact)
		if !exact || slices.Contains(words, string(word)) {
			return m, ""
		}
		return m, fmt.Sprintf(
			"%q never matches: here a matcher is one whole word, no regular expression; write one of: %s, each in a group of its own",
			word,
			strings.Join(words, ", "),
		)
	}}
}
