package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

func TestWhatCannotBeUsedIsRefusedAtItsPlace(t *testing.T) {
	for name, test := range map[string]struct {
		level policy.Level
		text  string
		want  []string // texts that the only problem contains
	}{
		"an unknown member":              {policy.Project, "{\n  \"hook\": []}", []string{"f.json:2:3: ", `"hook"`, `did you mean "hooks"`}},
		"an unknown member of a rule":    {policy.Project, `{"hooks": [{"onFailur": "open"}]}`, []string{"f.json:1:13: ", `did you mean "onFailure"`}},
		"an unknown member of a match":   {policy.Project, `{"hooks": [{"match": {"evnt": "x"}}]}`, []string{"f.json:1:23: ", `did you mean "event"`}},
		"an unknown class":               {policy.Project, `{"hooks": [{"onFailure": {"timout": "open"}}]}`, []string{"f.json:1:27: ", `did you mean "timeout"`}},
		"an unknown action":              {policy.Project, `{"hooks": [{"onFailure": "close"}]}`, []string{"f.json:1:26: ", `did you mean "closed"`}},
		"an action of the wrong type":    {policy.Project, `{"hooks": [{"onFailure": {"timeout": 1}}]}`, []string{"f.json:1:38: ", "a number"}},
		"onFailure of the wrong type":    {policy.Project, `{"hooks": [{"onFailure": true}]}`, []string{"f.json:1:26: ", "got true"}},
		"an unknown mode":                {policy.Project, `{"hooks": [{"mode": "shadows"}]}`, []string{"f.json:1:21: ", `did you mean "shadow"`}},
		"a timeout without a unit":       {policy.Project, `{"hooks": [{"timeout": "5"}]}`, []string{"f.json:1:24: ", `"5s"`}},
		"a timeout that is a number":     {policy.Project, `{"hooks": [{"timeout": 5}]}`, []string{"f.json:1:24: ", "with a unit"}},
		"a timeout of no time":           {policy.Project, `{"hooks": [{"timeout": "0s"}]}`, []string{"f.json:1:24: ", "above zero"}},
		"a queue in the past":            {policy.Project, `{"hooks": [{"queue": "-1s"}]}`, []string{"f.json:1:22: ", "above zero"}},
		"a retry of everything":          {policy.Project, `{"hooks": [{"retry": {"times": 100}}]}`, []string{"f.json:1:32: ", "from 0 to 10"}},
		"a retry of half a time":         {policy.Project, `{"hooks": [{"retry": {"times": 0.5}}]}`, []string{"f.json:1:32: ", "whole number"}},
		"a retry that goes in a circle":  {policy.Project, `{"hooks": [{"retry": {"on": ["breaker"]}, "warm": "worker"}]}`, []string{"f.json:1:30: ", "changes nothing"}},
		"an unknown class to retry":      {policy.Project, `{"hooks": [{"retry": {"on": ["spwan"]}}]}`, []string{"f.json:1:30: ", `did you mean "spawn"`}},
		"an unknown way to keep warm":    {policy.Project, `{"hooks": [{"warm": "pyhton"}]}`, []string{"f.json:1:21: ", `did you mean "python"`}},
		"rules that are no array":        {policy.Project, `{"hooks": {}}`, []string{"f.json:1:11: ", "array"}},
		"a rule that is no object":       {policy.Project, `{"hooks": [1]}`, []string{"f.json:1:12: ", "object"}},
		"a match that is no object":      {policy.Project, `{"hooks": [{"match": "x"}]}`, []string{"f.json:1:22: ", "object"}},
		"an empty glob":                  {policy.Project, `{"hooks": [{"match": {"name": ""}}]}`, []string{"f.json:1:31: ", "matches nothing"}},
		"closed observers":               {policy.Project, `{"defaults": {"observers": {"onFailure": "closed"}}}`, []string{"f.json:1:42: ", "cannot block"}},
		"no permits at all":              {policy.Project, `{"limits": {"concurrent": 0}}`, []string{"f.json:1:27: ", "from 1"}},
		"half a breaker":                 {policy.Project, `{"limits": {"breaker": {"failures": 5}}}`, []string{"f.json:1:24: ", `"for"`}},
		"a stretch below one":            {policy.Project, `{"hooks": [{"stretch": 0.5}]}`, []string{"f.json:1:24: ", "from 1 to 4"}},
		"a stretch beyond the most":      {policy.Project, `{"hooks": [{"stretch": 5}]}`, []string{"f.json:1:24: ", "from 1 to 4"}},
		"no warm hooks":                  {policy.Project, `{"limits": {"warm": 0}}`, []string{"f.json:1:21: ", "from 1"}},
		"a word for prewarm":             {policy.Project, `{"hooks": [{"warm": "python", "prewarm": "yes"}]}`, []string{"f.json:1:42: "}},
		"an unknown limit":               {policy.Project, `{"limits": {"parallel": 5}}`, []string{"f.json:1:13: ", `"parallel"`}},
		"a lock of a user":               {policy.User, `{"lock": ["limits"]}`, []string{"f.json:1:10: ", "machine"}},
		"a lock of a project":            {policy.Project, `{"lock": []}`, []string{"f.json:1:10: ", "machine"}},
		"a lock of what is not there":    {policy.Machine, `{"lock": ["limit"]}`, []string{"f.json:1:11: ", `did you mean "limits"`}},
		"a lock of a rule too many":      {policy.Machine, `{"hooks": [{"mode": "off"}], "lock": ["hooks[1].mode"]}`, []string{"f.json:1:39: ", "the number of rules is 1"}},
		"a lock of a member too many":    {policy.Machine, `{"hooks": [{"mode": "off"}], "lock": ["hooks[0].mod"]}`, []string{"f.json:1:39: ", `did you mean "hooks[0].mode"`}},
		"a lock that is no text":         {policy.Machine, `{"lock": [1]}`, []string{"f.json:1:11: ", "path"}},
		"a half-written file":            {policy.Project, "{\"hooks\": [\n  {\"mode\": \"off\"}", []string{"f.json:1:11: ", "not closed"}},
		"an empty file":                  {policy.Project, "", []string{"f.json:1:1: ", "half written"}},
		"comments and nothing else":      {policy.Project, "// guards\n", []string{"f.json:1:1: ", "half written"}},
		"a member that is given twice":   {policy.Project, `{"hooks": [], "hooks": []}`, []string{"f.json:1:15: ", "twice"}},
		"a file that is no object":       {policy.Project, `[]`, []string{"f.json:1:1: ", "object"}},
		"recheck of a rule that is none": {policy.Machine, `{"hooks": [{"recheck": 1}]}`, []string{"f.json:1:24: ", "true or false"}},
		"recheck that is no truth":       {policy.Project, `{"recheck": "yes"}`, []string{"f.json:1:13: ", "true or false"}},
		"a default that is no class map": {policy.Project, `{"defaults": {"gates": "open"}}`, []string{"f.json:1:24: ", "object"}},
	} {
		o, problems := policy.Parse(test.level, "f.json", []byte(test.text))
		if o != nil || len(problems) != 1 || !problems[0].Fatal {
			t.Errorf("%s: got %v, problems %v; want one problem, which is fatal", name, o, problems)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(problems[0].String(), want) {
				t.Errorf("%s: %q does not have %q", name, problems[0], want)
			}
		}
	}
}

// An overlay in Go is refused for the same mistakes as a file.
func TestWhatCannotBeUsedIsRefusedInGo(t *testing.T) {
	for want, o := range map[string]policy.Overlay{
		`there is no failure class "crahs" (did you mean "crash"?)`: {Rules: []policy.Rule{{OnFailure: policy.OnFailure{"crahs": hook.FailClosed}}}},
		"defaults.gates.onFailure: there is no action 7":            {Defaults: policy.Defaults{Gates: policy.OnFailure{policy.Default: 7}}},
		"observers are hooks of events that cannot block":           {Defaults: policy.Defaults{Observers: policy.OnFailure{policy.Default: hook.FailClosed}}},
		"hooks[0].mode: there is no mode 9":                         {Rules: []policy.Rule{{Mode: new(hook.Mode(9))}}},
		"hooks[0]: write a time above zero":                         {Rules: []policy.Rule{{Queue: -time.Second}}},
		`hooks[0].warm: there is no "pyton" (did you mean "python"`: {Rules: []policy.Rule{{Warm: "pyton"}}},
		"hooks[0].retry: 99 times":                                  {Rules: []policy.Rule{{Retry: &hook.Retry{Times: 99}}}},
		`again after a failure of class "breaker" has no effect`:    {Rules: []policy.Rule{{Retry: &hook.Retry{Times: 1, On: []hook.Class{hook.ClassBreaker}}}}},
		"give a breaker both Failures and For":                      {Limits: policy.Limits{Breaker: policy.Breaker{Failures: 3}}},
		"write limits above zero":                                   {Limits: policy.Limits{PerEvent: map[string]int{"claude.PreToolUse": 0}}},
		"only the machine's policy can lock":                        {Level: policy.User, Lock: []string{"limits"}},
		`there is no member "limit" to lock`:                        {Lock: []string{"limit"}},
		"there is no level 9":                                       {Level: 9},
	} {
		set, problems := policy.Source{Overlays: []policy.Overlay{o}}.Load(t.TempDir(), false)
		if set != nil || len(problems) != 1 || !problems[0].Fatal || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%+v: problems %v, want one with %q", o, problems, want)
		}
	}
}

const whole = `{
  // an overlay with all members
  "hooks": [
    { "match": {"dialect": "claude", "event": "PreToolUse", "name": "guard*", "command": "*/guard.sh*", "source": "project"},
      "onFailure": {"default": "closed", "timeout": "ask", "missing": "open"},
      "mode": "enforce", "timeout": "5s", "stretch": 1.5, "retry": {"times": 1, "on": ["spawn"]}, "queue": "2s", "warm": "python", "prewarm": true, "recheck": true }
  ],
  "defaults": {"gates": {"onFailure": "open"}, "observers": {"onFailure": "open"}},
  "limits": {"concurrent": 16, "perEvent": {"claude.PostToolUse": 4}, "breaker": {"failures": 5, "for": "30s"}},
  "lock": ["hooks[0].onFailure", "limits"],
}`

func TestAWholeOverlayIsRead(t *testing.T) {
	o, problems := policy.Parse(policy.Machine, "f.json", []byte(whole))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r := o.Rules[0]
	switch {
	case r.Match != policy.Match{Dialect: "claude", Event: "PreToolUse", Name: "guard*", Command: "*/guard.sh*", Source: "project"},
		r.OnFailure[policy.Default] != hook.FailClosed, r.OnFailure[hook.ClassTimeout] != hook.FailAsk, r.OnFailure[hook.ClassMissing] != hook.FailOpen,
		*r.Mode != hook.Enforce, r.Timeout != 5*time.Second, r.Stretch != 1.5, r.Retry.Times != 1, len(r.Retry.On) != 1, r.Queue != 2*time.Second, r.Warm != "python", !*r.Prewarm, !*r.Recheck:
		t.Errorf("the rule is %+v", r)
	}
	l := o.Limits
	if l.Concurrent != 16 || l.PerEvent["claude.PostToolUse"] != 4 || l.Breaker != (policy.Breaker{Failures: 5, For: 30 * time.Second}) || len(o.Lock) != 2 {
		t.Errorf("limits %+v, lock %v", l, o.Lock)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole, uint8(0))
	f.Add(`{"hooks":[{"onFailure":"closed"}],"limits":{"perEvent":{"x":1}}}`, uint8(2))
	f.Add("{", uint8(1))
	f.Fuzz(func(t *testing.T, text string, level uint8) {
		o, problems := policy.Parse(policy.Level(level%3), "f.json", []byte(text))
		if (o == nil) != (len(problems) > 0) {
			t.Fatalf("overlay %v with problems %v; want exactly one of both", o, problems)
		}
		for _, p := range problems {
			if !p.Fatal || p.Message == "" || p.Position.File != "f.json" {
				t.Errorf("the problem %+v has no place or no text", p)
			}
		}
	})
}
