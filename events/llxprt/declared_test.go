package llxprt_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// described lists the events, written by hand from the sources: rule L54 for the first five, rules L10, L11 and L12 for
// matchers.
var described = []struct {
	name    string
	can     []string
	subject string
	matcher string // kind of matchers: regexp, equal, or none
}{
	{"BeforeTool", []string{"block", "stop", "rewrite input"}, "tool_name", "regexp"},
	{"AfterTool", []string{"stop", "add context"}, "tool_name", "regexp"},
	{"BeforeModel", []string{"block", "stop", "rewrite input", "add context"}, "", "none"},
	{"AfterModel", []string{"stop", "rewrite output"}, "", "none"},
	{"BeforeToolSelection", []string{"stop", "select tools"}, "", "none"},
	{"BeforeAgent", []string{"block", "stop", "add context"}, "", "none"},
	{"AfterAgent", []string{"block", "stop", "add context"}, "", "none"},
	{"SessionStart", []string{"stop", "add context"}, "source", "equal"},
	{"SessionEnd", nil, "reason", "equal"},
	{"PreCompress", nil, "trigger", "equal"},
	{"Notification", nil, "", "none"},
}

// Events are declared as the sources describe them (rule L54).
func TestEventsAreDeclaredAsTheSourcesDescribeThem(t *testing.T) {
	events := lo.KeyBy(pipeline.Events(llxprt.Dialect), func(e pipeline.Declared) string { return e.Info().Name })
	if len(events) != len(described) {
		t.Errorf("declared are %v; want %d events", slices.Sorted(maps.Keys(events)), len(described))
	}
	for _, want := range described {
		t.Run(want.name, func(t *testing.T) {
			if events[want.name] == nil {
				t.Fatal("not declared")
			}
			got := events[want.name].Info()
			if !slices.Equal(got.Can.Words(), want.can) {
				t.Errorf("its hooks can %q; want %q", got.Can.Words(), want.can)
			}
			if got.Subject != want.subject {
				t.Errorf("matchers test %q; want %q", got.Subject, want.subject)
			}
			if kind := matcherKind(got.Rules); kind != want.matcher {
				t.Errorf("matchers are of kind %s; want %s", kind, want.matcher)
			}
			if exits := (hook.Exits{0: hook.ParseAnswer, 2: hook.ParseAndDeny}); !maps.Equal(got.Rules.Exits, exits) {
				t.Errorf("exit statuses have the effects %v; want %v, rules L29, L30", got.Rules.Exits, exits)
			}
			if got.Rules.Timeout != 60*time.Second {
				t.Errorf("the default timeout is %v; want 60s, rule L23", got.Rules.Timeout)
			}
			if got.Rules.FailClosed || got.Rules.Sequential {
				t.Error("the event fails closed or is always sequential; want neither, rules L32, L33, L14, L35")
			}
			if got.Doc == "" || got.FullName() != "llxprt."+want.name {
				t.Errorf("name %q, doc %q", got.FullName(), got.Doc)
			}
		})
	}
}

func matcherKind(r pipeline.Rules) string {
	m, _ := r.Match("^a+$")
	switch {
	case m == nil:
		return "none"
	case m.Match("aaa") && !m.Match("^a+$"):
		return "regexp"
	case m.Match("^a+$") && !m.Match("aaa"):
		return "equal"
	}
	return "unknown"
}

// Each event merges a denial and a later permission by its strategy (rules L38, L39, L40, L41; simple
// replacement for the events without a documented strategy).
func TestEveryEventMergesByItsStrategy(t *testing.T) {
	for _, tt := range []struct {
		strategy string
		events   []string
		want     string // the merged decision, reason and own members
	}{
		{
			"any denial wins, reasons are joined, own members are merged",
			[]string{"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "SessionStart"},
			`{"continue":true,"suppressOutput":false,"decision":"deny","reason":"one\ntwo","hookSpecificOutput":{"a":1,"b":2}}`,
		},
		{
			"later fields replace earlier ones, own members are merged",
			[]string{"BeforeModel", "AfterModel"},
			`{"decision":"allow","reason":"two","hookSpecificOutput":{"a":1,"b":2}}`,
		},
		{
			"tools are united, and nothing blocks",
			[]string{"BeforeToolSelection"},
			`{"continue":true,"suppressOutput":false,"reason":"one\ntwo","hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":[]},"a":1,"b":2}}`,
		},
		{
			"later fields replace earlier ones, own members as a whole",
			[]string{"SessionEnd", "PreCompress", "Notification"},
			`{"decision":"allow","reason":"two","hookSpecificOutput":{"b":2}}`,
		},
	} {
		for _, event := range tt.events {
			t.Run(event+": "+tt.strategy, func(t *testing.T) {
				fired := fire(t, event, inputs[event],
					`{"decision":"deny","reason":"one","hookSpecificOutput":{"a":1}}`,
					`{"decision":"allow","reason":"two","hookSpecificOutput":{"b":2}}`)
				if got := string(*fired.Result.FinalOutput); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}
