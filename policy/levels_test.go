package policy_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/policy"
)

var events = policy.Events{
	"claude.PreToolUse":  {Gate: true, Timeout: 10 * time.Minute, LateFuncBlocks: true, Rewrites: true},
	"claude.PostToolUse": {Timeout: 10 * time.Minute},
	"xcsh.tool_call":     {Gate: true, FailClosed: true},
}

// load reads overlays by level.
func load(t *testing.T, files map[policy.Level]string) *policy.Set {
	t.Helper()
	dir, src := t.TempDir(), policy.Source{Files: map[policy.Level]string{}}
	for level, text := range files {
		src.Files[level] = filepath.Join(dir, level.String()+".json")
		if err := os.WriteFile(src.Files[level], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, problems := src.Load(dir, false)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

func gate(source hook.Source) *hook.Hook {
	return &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Command: "guard.sh", Source: source}, Selection: hook.Selection{Key: "k"}}
}

func TestTheNearestLevelWinsWhatIsNotLocked(t *testing.T) {
	const machine = `{"hooks": [{"match": {"command": "guard*"}, "onFailure": {"crash": "closed", "timeout": "ask"}, "timeout": "5s", "mode": "shadow"}]}`
	set := load(t, map[policy.Level]string{
		policy.Machine: machine,
		policy.User:    `{"hooks": [{"timeout": "3s", "onFailure": {"crash": "open"}}, {"timeout": "9s", "queue": "1s"}]}`,
		policy.Project: `{"hooks": [{"onFailure": {"exit": "closed"}, "mode": "enforce"}]}`,
	})
	p := set.Effective(gate(hook.Project), events["claude.PreToolUse"])
	for class, want := range map[hook.Class]hook.Action{
		hook.ClassCrash: hook.FailOpen, hook.ClassTimeout: hook.FailAsk, hook.ClassExit: hook.FailClosed, hook.ClassMissing: hook.FailOpen,
	} {
		if got := p.OnFailure[class]; got != want {
			t.Errorf("%s is %s, want %s", class, got, want)
		}
	}
	if p.Timeout != 3*time.Second || p.Queue != time.Second || p.Mode != hook.Enforce {
		t.Errorf("timeout %v, queue %v, mode %v; want the first rule of the nearest level for each", p.Timeout, p.Queue, p.Mode)
	}
	for member, level := range map[string]string{"onFailure": "project", "timeout": "user", "queue": "user", "mode": "project"} {
		if from := p.From[member]; from.Level != level || !strings.HasSuffix(from.Position.File, level+".json") || from.Position.Line != 1 {
			t.Errorf("%s comes from %+v, want the %s's file", member, from, level)
		}
	}
	if len(p.From) != 4 {
		t.Errorf("from %v; want the four members that are set", p.From)
	}
}

func TestEntriesAndEventsCountBelowRules(t *testing.T) {
	const open = `{"hooks": [{"onFailure": {"crash": "open"}}]}`
	for name, test := range map[string]struct {
		hook    *hook.Hook
		overlay string
		want    map[hook.Class]hook.Action
	}{
		"an entry's own onFailure": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Project}, Execution: hook.Execution{FailClosed: true}}, open,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailOpen, hook.ClassExit: hook.FailClosed}},
		"an entry before defaults": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Project}, Execution: hook.Execution{FailClosed: true}}, `{"defaults": {"gates": {"onFailure": "open"}}}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailClosed}},
		"an event that fails closed before defaults": {&hook.Hook{Identity: hook.Identity{Dialect: "xcsh", Event: "tool_call", Source: hook.Project}}, `{"defaults": {"gates": {"onFailure": {"default": "open", "crash": "ask"}}}}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailClosed, hook.ClassExit: hook.FailClosed, hook.ClassUntrusted: hook.FailOpen}},
		"stricter defaults before an event that fails closed": {&hook.Hook{Identity: hook.Identity{Dialect: "xcsh", Event: "tool_call", Source: hook.Project}}, `{"defaults": {"gates": {"onFailure": "closed"}}}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailClosed, hook.ClassUntrusted: hook.FailClosed}},
		"an event that denies when a hook is late before defaults": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Project}, Func: 1}, `{"defaults": {"gates": {"onFailure": "ask"}}}`,
			map[hook.Class]hook.Action{hook.ClassTimeout: hook.FailClosed, hook.ClassExit: hook.FailAsk}},
		"defaults before an event": {gate(hook.Project), `{"defaults": {"gates": {"onFailure": "closed"}}}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailClosed, hook.ClassBreaker: hook.FailClosed}},
		"a rule before defaults": {gate(hook.Project), `{"defaults": {"gates": {"onFailure": "closed"}}, "hooks": [{"onFailure": "open"}]}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailOpen}},
		"an event that fails closed": {&hook.Hook{Identity: hook.Identity{Dialect: "xcsh", Event: "tool_call", Source: hook.Project}}, open,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailOpen, hook.ClassExit: hook.FailClosed}},
		"late functions": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Host}, Func: 1}, `{"limits": {"concurrent": 1}}`,
			map[hook.Class]hook.Action{hook.ClassTimeout: hook.FailClosed, hook.ClassExit: hook.FailOpen}},
		"an observer": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PostToolUse", Source: hook.Project}}, `{"hooks": [{"onFailure": "closed"}]}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailOpen}},
		"a hook in the background": {&hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PreToolUse", Source: hook.Project}, Execution: hook.Execution{Background: hook.Async}}, `{"hooks": [{"onFailure": "closed"}]}`,
			map[hook.Class]hook.Action{hook.ClassCrash: hook.FailOpen}},
	} {
		p := load(t, map[policy.Level]string{policy.Project: test.overlay}).Effective(test.hook, events.Of(test.hook))
		for class, want := range test.want {
			if got := p.OnFailure[class]; got != want {
				t.Errorf("%s: %s is %s, want %s", name, class, got, want)
			}
		}
	}
}

func TestTheFileOfALevelDecidesOverTheProgramsOverlays(t *testing.T) {
	of := func(timeout, queue, stretch int) policy.Overlay {
		return policy.Overlay{Level: policy.User, Rules: []policy.Rule{{
			Timeout: time.Duration(timeout) * time.Second, Queue: time.Duration(queue) * time.Second, Stretch: float64(stretch),
		}}}
	}
	file := filepath.Join(t.TempDir(), "user.json")
	if err := os.WriteFile(file, []byte(`{"hooks": [{"timeout": "3s"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	src := policy.Source{Overlays: []policy.Overlay{of(1, 1, 2), of(2, 2, 0)}, Files: map[policy.Level]string{policy.User: file}}
	set, problems := src.Load(t.TempDir(), false)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := set.Effective(gate(hook.Project), events["claude.PreToolUse"])
	if p.Timeout != 3*time.Second || p.Queue != 2*time.Second || p.Stretch != 2 {
		t.Errorf("timeout %v, queue %v, stretch %v; want the file's, the later overlay's and the earlier one's", p.Timeout, p.Queue, p.Stretch)
	}
}

// hostile are overlays of a project that try to weaken a guard of the user.
var hostile = map[string]string{
	"open":                     `{"hooks": [{"onFailure": "open"}]}`,
	"ask for closed":           `{"hooks": [{"onFailure": "ask"}]}`,
	"one class":                `{"hooks": [{"onFailure": {"missing": "open"}}]}`,
	"default alone":            `{"hooks": [{"onFailure": {"default": "open", "exit": "closed"}}]}`,
	"by name of the user":      `{"hooks": [{"match": {"source": "user"}, "onFailure": "open"}]}`,
	"by command":               `{"hooks": [{"match": {"command": "guard.sh"}, "onFailure": "open"}]}`,
	"behind a stricter rule":   `{"hooks": [{"onFailure": {"exit": "closed"}}, {"onFailure": "open"}]}`,
	"defaults":                 `{"defaults": {"gates": {"onFailure": "open"}}}`,
	"off":                      `{"hooks": [{"mode": "off"}]}`,
	"shadow":                   `{"hooks": [{"mode": "shadow"}]}`,
	"off by event":             `{"hooks": [{"match": {"event": "*"}, "mode": "off"}]}`,
	"a timeout of nothing":     `{"hooks": [{"timeout": "1ns"}]}`,
	"a shorter timeout":        `{"hooks": [{"timeout": "4s"}]}`,
	"a queue of nothing":       `{"hooks": [{"queue": "1ns"}]}`,
	"no stretch":               `{"hooks": [{"stretch": 1}]}`,
	"no more tries":            `{"hooks": [{"retry": {"times": 0}}]}`,
	"tries of another kind":    `{"hooks": [{"retry": {"times": 9, "on": ["exit"]}}]}`,
	"a worker that it is not":  `{"hooks": [{"warm": "worker"}]}`,
	"another start":            `{"hooks": [{"match": {"source": "user"}, "warm": "bash"}]}`,
	"a breaker that opens":     `{"limits": {"breaker": {"failures": 1, "for": "1000h"}}}`,
	"permits for one":          `{"limits": {"concurrent": 1}}`,
	"permits of the event":     `{"limits": {"perEvent": {"claude.PreToolUse": 1}}}`,
	"all of it at once":        `{"hooks": [{"onFailure": "open", "mode": "off", "timeout": "1ns", "queue": "1ns", "retry": {"times": 0}, "recheck": false}], "limits": {"concurrent": 1}}`,
	"a member of its own, too": `{"hooks": [{"match": {"source": "*"}, "onFailure": {"breaker": "open", "queue": "open", "untrusted": "open"}}]}`,
}

func TestAProjectCannotWeakenTheGuardOfAUser(t *testing.T) {
	const user = `{"hooks": [{"match": {"command": "guard*"}, "onFailure": "closed", "timeout": "5s", "retry": {"times": 2, "on": ["spawn"]}}]}`
	alone := load(t, map[policy.Level]string{policy.User: user})
	want := alone.Effective(gate(hook.User), events["claude.PreToolUse"])
	for name, overlay := range hostile {
		set := load(t, map[policy.Level]string{policy.User: user, policy.Project: overlay})
		h := gate(hook.User)
		got := set.Effective(h, events.Of(h))
		got.From, want.From = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the guard's policy is %+v, want %+v", name, got, want)
		}
		if len(set.Bounds(h)) > 0 || set.Breaker(h).Failures > 0 {
			t.Errorf("%s: the project's limits count for the user's guard: %v %v", name, set.Bounds(h), set.Breaker(h))
		}
		if applied := set.Apply(h, events.Of(h)); applied.Skip != "" {
			t.Errorf("%s: the guard is skipped: %s %s", name, applied.Skip, applied.SkipDetail)
		}
		if found := set.Findings([]*hook.Hook{h}, events, []string{"claude"}); strings.Contains(overlay, `"hooks"`) && len(found) == 0 && name != "a breaker that opens" {
			t.Errorf("%s: there is no finding; want one that says it is in vain", name)
		}
	}
}

func TestAProjectCanTightenAnyGuard(t *testing.T) {
	set := load(t, map[policy.Level]string{policy.Project: `{"hooks": [{"onFailure": "closed", "timeout": "1h"}]}`})
	for _, source := range []hook.Source{hook.Host, hook.Managed, hook.User, hook.Plugin, hook.Project, hook.Local} {
		if p := set.Effective(gate(source), events["claude.PreToolUse"]); p.OnFailure[hook.ClassCrash] != hook.FailClosed {
			t.Errorf("of a %s hook a crash is %s, want closed", source, p.OnFailure[hook.ClassCrash])
		}
	}
}

func TestWhatTheMachineLocksStands(t *testing.T) {
	const machine = `{"hooks": [{"match": {"command": "guard*"}, "onFailure": {"crash": "ask"}, "mode": "enforce"}],
		"limits": {"concurrent": 3}, "lock": ["hooks[0].onFailure", "hooks[0].timeout", "limits"]}`
	for name, level := range map[string]policy.Level{"user": policy.User, "project": policy.Project} {
		set := load(t, map[policy.Level]string{policy.Machine: machine,
			level: `{"hooks": [{"onFailure": "closed", "timeout": "1s", "queue": "1s"}], "limits": {"concurrent": 1}, "defaults": {"gates": {"onFailure": "closed"}}}`})
		h := gate(hook.Project)
		p := set.Effective(h, events.Of(h))
		if p.OnFailure[hook.ClassCrash] != hook.FailAsk || p.OnFailure[hook.ClassExit] != hook.FailOpen || p.Timeout != 0 || p.Queue != time.Second {
			t.Errorf("%s: the policy is %+v; want what is locked, and the queue", name, p)
		}
		if bounds := set.Bounds(h); len(bounds) != 1 || bounds[0].Limit != 3 {
			t.Errorf("%s: bounds %v, want the machine's alone", name, bounds)
		}
		locked := 0
		for _, f := range set.Findings([]*hook.Hook{h}, events, []string{"claude"}) {
			if f.ID != policy.Locked || !strings.HasSuffix(f.Position.File, name+".json") || f.Fix == "" {
				t.Errorf("%s: finding %+v, want one of the lock", name, f)
			}
			locked++
		}
		if locked != 4 { // onFailure, timeout, limits and defaults
			t.Errorf("%s: %d findings, want 4", name, locked)
		}
	}
}

func TestLockedDefaultsAreTheLeast(t *testing.T) {
	const machine = `{"defaults": {"gates": {"onFailure": {"default": "ask", "crash": "closed"}}}, "lock": ["defaults"]}`
	for name, test := range map[string]struct {
		overlay      string
		crash, other hook.Action
		locked       int
	}{
		"other defaults":  {`{"defaults": {"gates": {"onFailure": "open"}}}`, hook.FailClosed, hook.FailAsk, 1},
		"stricter ones":   {`{"defaults": {"gates": {"onFailure": "closed"}}}`, hook.FailClosed, hook.FailAsk, 1},
		"a laxer rule":    {`{"hooks": [{"onFailure": "open"}]}`, hook.FailClosed, hook.FailAsk, 1},
		"a rule in part":  {`{"hooks": [{"onFailure": {"crash": "ask", "exit": "closed"}}]}`, hook.FailClosed, hook.FailAsk, 1},
		"a stricter rule": {`{"hooks": [{"onFailure": "closed"}]}`, hook.FailClosed, hook.FailClosed, 0},
	} {
		set := load(t, map[policy.Level]string{policy.Machine: machine, policy.Project: test.overlay})
		h := gate(hook.Project)
		p := set.Effective(h, events.Of(h))
		if p.OnFailure[hook.ClassCrash] != test.crash || p.OnFailure[hook.ClassHTTP] != test.other {
			t.Errorf("%s: a crash is %v, others %v; want %v, %v", name, p.OnFailure[hook.ClassCrash], p.OnFailure[hook.ClassHTTP], test.crash, test.other)
		}
		found := set.Findings([]*hook.Hook{h}, events, []string{"claude"})
		if len(found) != test.locked || test.locked > 0 && found[0].ID != policy.Locked {
			t.Errorf("%s: findings %+v, want %d of the lock", name, found, test.locked)
		}
	}
}

func TestAHookWithAnotherPolicyIsNoDuplicate(t *testing.T) {
	set := load(t, map[policy.Level]string{policy.Project: `{"hooks": [{"match": {"source": "project"}, "mode": "shadow"}]}`})
	own, users := set.Apply(gate(hook.Project), events["claude.PreToolUse"]), set.Apply(gate(hook.User), events["claude.PreToolUse"])
	if own.Key == users.Key {
		t.Errorf("both have the key %q, so that the guard would be left out as a duplicate of its shadow", own.Key)
	}
}

func TestAnUntrustedProjectHasNoSayInTheHooksOfOthers(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, policy.FileName)
	if err := os.WriteFile(file, []byte(`{"hooks": [{"onFailure": "closed"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	set, problems := policy.Source{Files: map[policy.Level]string{policy.Project: file}}.Load(dir, true)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for source, want := range map[hook.Source]hook.Action{hook.User: hook.FailOpen, hook.Project: hook.FailClosed} {
		if got := set.Effective(gate(source), events["claude.PreToolUse"]).OnFailure[hook.ClassCrash]; got != want {
			t.Errorf("of a %s hook a crash is %s, want %s", source, got, want)
		}
	}
}

func TestClosedWhereNothingCanBeBlockedIsRefused(t *testing.T) {
	post := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PostToolUse", Command: "log.sh", Source: hook.Project}}
	for name, test := range map[string]struct {
		overlay string
		want    string
	}{
		"by event":                  {`{"hooks": [{"match": {"event": "PostToolUse"}, "onFailure": "closed"}]}`, "claude.PostToolUse cannot block"},
		"by event and class":        {`{"hooks": [{"match": {"event": "claude.Post*"}, "onFailure": {"crash": "closed"}}]}`, "cannot block"},
		"ask":                       {`{"hooks": [{"match": {"event": "PostToolUse"}, "onFailure": "ask"}]}`, "cannot block"},
		"by command":                {`{"hooks": [{"match": {"command": "log.sh"}, "onFailure": "closed"}]}`, `"log.sh"`},
		"events of which one can":   {`{"hooks": [{"match": {"event": "P*"}, "onFailure": "closed"}]}`, ""},
		"all hooks":                 {`{"hooks": [{"onFailure": "closed"}]}`, ""},
		"open":                      {`{"hooks": [{"match": {"event": "PostToolUse"}, "onFailure": "open"}]}`, ""},
		"an event that there isn't": {`{"limits": {"perEvent": {"claude.PreTolUse": 1}}}`, `did you mean "claude.PreToolUse"`},
		"an event of no dialect":    {`{"limits": {"perEvent": {"PreToolUse": 1}}}`, `there is no event "PreToolUse"`},
		"a misspelt dialect":        {`{"limits": {"perEvent": {"cluade.PreToolUse": 1}}}`, `did you mean "claude.PreToolUse"`},
		"an event that none links":  {`{"limits": {"perEvent": {"acme.BeforeTool": 1}}}`, ""},
	} {
		problems := load(t, map[policy.Level]string{policy.Project: test.overlay}).Problems([]*hook.Hook{post}, events)
		if test.want == "" && len(problems) > 0 || test.want != "" && (len(problems) != 1 || !problems[0].Fatal || !strings.Contains(problems[0].String(), test.want) || problems[0].Position.Line != 1) {
			t.Errorf("%s: problems %v, want %q", name, problems, test.want)
		}
	}
}

func TestARecheckOfWhatIsNeverRewrittenIsRefused(t *testing.T) {
	post := &hook.Hook{Identity: hook.Identity{Dialect: "claude", Event: "PostToolUse", Command: "log.sh", Source: hook.Project}}
	for name, test := range map[string]struct{ rule, want string }{
		"by event":                {`{"match": {"event": "PostToolUse"}, "recheck": true}`, "the input of claude.PostToolUse is never rewritten"},
		"by command":              {`{"match": {"command": "log.sh"}, "recheck": true}`, `PostToolUse, the event of "log.sh", is never rewritten`},
		"events of which one can": {`{"match": {"event": "P*"}, "recheck": true}`, ""},
		"a gate":                  {`{"match": {"event": "PreToolUse"}, "recheck": true}`, ""},
		"all hooks":               {`{"recheck": true}`, ""},
		"not":                     {`{"match": {"event": "PostToolUse"}, "recheck": false}`, ""},
	} {
		problems := load(t, map[policy.Level]string{policy.Project: `{"hooks": [` + test.rule + `]}`}).Problems([]*hook.Hook{post}, events)
		if test.want == "" && len(problems) > 0 || test.want != "" && (len(problems) != 1 || !problems[0].Fatal || !strings.Contains(problems[0].String(), test.want)) {
			t.Errorf("%s: problems %v, want %q", name, problems, test.want)
		}
	}
	if problems := load(t, map[policy.Level]string{policy.Machine: `{"recheck": true}`}).Problems([]*hook.Hook{post}, events); len(problems) > 0 {
		t.Errorf("of all gates: problems %v; want none", problems)
	}
}

func TestARuleForAMisspeltEventIsSaid(t *testing.T) {
	for match, want := range map[string]string{
		`{"event": "PreTolUse"}`:                       `there is no event "PreTolUse" (did you mean "PreToolUse"?), so this rule of the policy matches no hook`,
		`{"event": "pretooluse"}`:                      `(did you mean "PreToolUse" or "PostToolUse"?)`,
		`{"event": "*.PreTolUse"}`:                     `(did you mean "PreToolUse"?)`,
		`{"event": "PreTolUse*"}`:                      `(did you mean "PreToolUse"?)`,
		`{"event": "claude.PreTolUse"}`:                `there is no event "claude.PreTolUse" (did you mean "PreToolUse"?)`,
		`{"event": "claude.BeforeTool"}`:               `there is no event "claude.BeforeTool", so`,
		`{"dialect": "claude", "event": "BeforeTool"}`: `there is no event "BeforeTool", so`,
		`{"dialect": "claude", "event": "tool_call"}`:  `claude has no event "tool_call", which is an event of xcsh, so`,
		`{"dialect": "cladue", "event": "PreToolUse"}`: `there is no dialect "cladue" (did you mean "claude"?), so`,
		`{"dialect": "Claude"}`:                        `there is no dialect "Claude" (did you mean "claude"?), so`,
		`{"event": "cladue.PreToolUse"}`:               `there is no event "cladue.PreToolUse" (did you mean "claude.PreToolUse"`,
		`{"dialect": "c*"}`:                            "",
		`{"dialect": "acme"}`:                          "",
		`{"event": "Pre*"}`:                            "",
		`{"event": "xcsh.tool_call"}`:                  "",
		`{"event": "BeforeTool"}`:                      "", // the event may belong to a dialect that is not linked here
		`{"event": "acme.BeforeTool"}`:                 "",
		`{"dialect": "acme", "event": "PreTolUse"}`:    "",
		`{"command": "guard.hs"}`:                      "",
	} {
		set := load(t, map[policy.Level]string{policy.Project: `{"hooks": [{"match": ` + match + `, "onFailure": "closed"}]}`})
		problems := set.Misspelt(events)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || problems[0].Fatal || !strings.Contains(problems[0].String(), want) || problems[0].Position.Line != 1) {
			t.Errorf("%s: problems %v, want %q", match, problems, want)
		}
	}
}

func TestARuleThatMatchesNothingIsFound(t *testing.T) {
	h := gate(hook.Project)
	for name, test := range map[string]struct{ match, want string }{
		"an event":            {`{"event": "PreTolUse"}`, `did you mean "PreToolUse"`},
		"a source":            {`{"source": "managed"}`, `"managed"`},
		"a command":           {`{"command": "guard.hs"}`, `did you mean "guard.sh"`},
		"a name":              {`{"name": "gaurd", "command": "guard.sh"}`, `no hook has the name "gaurd"`},
		"another dialect":     {`{"dialect": "llxprt"}`, "-"},
		"a misspelt dialect":  {`{"dialect": "Claude"}`, `there is no dialect "Claude" (did you mean "claude"?)`},
		"of another dialect":  {`{"dialect": "claude", "event": "tool_call"}`, `claude has no event "tool_call", which is an event of xcsh`},
		"a hook that matches": {`{"command": "guard.sh"}`, "-"},
	} {
		found := load(t, map[policy.Level]string{policy.Project: `{"hooks": [{"match": ` + test.match + `, "mode": "off"}]}`}).Findings([]*hook.Hook{h}, events, []string{"claude"})
		if test.want == "-" && len(found) > 0 || test.want != "-" && (len(found) != 1 || found[0].ID != policy.Unmatched || !strings.Contains(found[0].Message, test.want)) {
			t.Errorf("%s: findings %+v, want %q", name, found, test.want)
		}
	}
}

func TestTheFileOfTheUserFollowsXDG(t *testing.T) {
	there, err := filepath.Abs("/there")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CONFIG_HOME", there)
	if got := policy.Files("/project"); got[policy.User] != filepath.Join(there, "snaphook", "config.json") || got[policy.Project] != filepath.FromSlash("/project/.snaphook.json") {
		t.Errorf("files %v", got)
	}
	t.Setenv("XDG_CONFIG_HOME", "relative")
	t.Setenv("HOME", "/home/u")
	t.Setenv("USERPROFILE", "/home/u")
	if got := policy.Files("/project")[policy.User]; got != filepath.FromSlash("/home/u/.config/snaphook/config.json") {
		t.Errorf("with a relative XDG_CONFIG_HOME the user's file is %s", got)
	}
}

func TestAFileThatIsNamedHasToBeThere(t *testing.T) {
	_, problems := policy.Source{Files: map[policy.Level]string{policy.User: "/no/such/file"}}.Load(t.TempDir(), false)
	if len(problems) != 1 || !problems[0].Fatal {
		t.Errorf("problems %v, want one", problems)
	}
}
