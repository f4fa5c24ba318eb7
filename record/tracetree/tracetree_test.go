package tracetree_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	_ "github.com/snaphook-go/snaphook/events/claude" // declares its events
	_ "github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verbs maps the short names in the cases to events.
var verbs = map[string]string{
	"start": "claude.SessionStart", "end": "claude.SessionEnd", "prompt": "claude.UserPromptSubmit", "stop": "claude.Stop", "stopfail": "claude.StopFailure",
	"pre": "claude.PreToolUse", "post": "claude.PostToolUse", "fail": "claude.PostToolUseFailure", "ask": "claude.PermissionRequest", "denied": "claude.PermissionDenied",
	"agent+": "claude.SubagentStart", "agent-": "claude.SubagentStop", "compact": "claude.PreCompact", "compacted": "claude.PostCompact", "notify": "claude.Notification",
	"l.start": "llxprt.SessionStart", "l.end": "llxprt.SessionEnd", "l.prompt": "llxprt.BeforeAgent", "l.stop": "llxprt.AfterAgent", "l.model": "llxprt.BeforeModel", "l.answer": "llxprt.AfterModel",
	"h.start": "host.Start", "h.end": "host.End", "h.prompt": "host.Prompt", "h.stop": "host.Stop", "h.model": "host.BeforeModel", "h.tools": "host.ToolChoice",
	"h.answer": "host.AfterModel", "h.pre": "host.BeforeTool", "h.post": "host.AfterTool", "h.ask": "host.Permission", "h.agent+": "host.SubagentStart", "h.agent-": "host.SubagentStop",
	"c.start": "cursor.sessionStart", "c.prompt": "cursor.beforeSubmitPrompt", "c.pre": "cursor.preToolUse", "c.post": "cursor.postToolUse", "c.stop": "cursor.stop",
	"o.prompt": "copilot.userPromptSubmitted", "o.pre": "copilot.preToolUse", "o.fail": "copilot.postToolUseFailure", "o.stop": "copilot.agentStop",
	"x.prompt": "codex.UserPromptSubmit", "x.pre": "codex.PreToolUse", "x.post": "codex.PostToolUse", "x.stop": "codex.Stop",
	"l.pre": "llxprt.BeforeTool", "l.post": "llxprt.AfterTool", "l.tools": "llxprt.BeforeToolSelection",
}

// step is one event of a case: [SESSION/][TIME>]VERB [NAME[#ID]] [@AGENT] [=DECISION].
type step struct {
	at                                         int
	session, event, subject, id, agent, decide string
}

func parse(t *testing.T, text string, at int) step {
	t.Helper()
	s := step{at: at, session: "s"}
	if name, rest, ok := strings.Cut(text, "/"); ok {
		s.session, text = name, rest
	}
	if when, rest, ok := strings.Cut(text, ">"); ok {
		s.at, _ = strconv.Atoi(when)
		text = rest
	}
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			if s.event = verbs[word]; s.event == "" {
				t.Fatalf("there is no verb %q", word)
			}
		case word[0] == '@':
			s.agent = word[1:]
		case word[0] == '=':
			s.decide = word[1:]
		default:
			s.subject, s.id, _ = strings.Cut(word, "#")
		}
	}
	return s
}

func (s step) line() *record.Line {
	return &record.Line{
		V: 1, ID: fmt.Sprint(s.at), Time: time.Unix(int64(1000+s.at), 0).UTC(), Event: s.event, Session: s.session, Subject: s.subject, Decision: s.decide, MS: 100,
		Refs: record.Refs{ToolUseID: s.id, AgentID: s.agent},
	}
}

// outline returns a tree in one line: s(turn(Bash:t1!failed @a1(Read:t2) *PreCompact)).
func outline(nodes []*tracetree.Node) string {
	var words []string
	for _, n := range nodes {
		word := string(n.Kind)
		switch n.Kind {
		case tracetree.Session:
			word = n.ID
		case tracetree.Tool:
			word = strings.TrimSuffix(n.Name+":"+n.ID, ":")
		case tracetree.Agent:
			word = "@" + n.ID
		case tracetree.Mark:
			word = "*" + strings.Fields(n.Name)[0]
		}
		if n.State != "" {
			word += "!" + string(n.State)
		}
		if len(n.Children) > 0 {
			word += "(" + outline(n.Children) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

var cases = []struct{ name, steps, want string }{
	{"nothing", "", ""},
	{"a session and no more", "start", "s"},
	{"a whole turn", "start; prompt; pre Bash#1; post Bash#1; stop; end", "s(turn(Bash:1))"},
	{"a turn without tools", "start; prompt; stop; end", "s(turn)"},
	{"several turns", "start; prompt; stop; prompt; pre Bash#1; post Bash#1; stop", "s(turn turn(Bash:1))"},
	{"tools one after the other", "prompt; pre Bash#1; post Bash#1; pre Read#2; post Read#2; stop", "s(turn(Bash:1 Read:2))"},
	{"parallel calls are siblings", "prompt; pre Bash#1; pre Read#2; pre Bash#3; post Bash#3; post Bash#1; post Read#2; stop", "s(turn(Bash:1 Read:2 Bash:3))"},
	{"the same tool twice at once", "prompt; pre Bash#1; pre Bash#2; post Bash#2; fail Bash#1; stop", "s(turn(Bash:1!failed Bash:2))"},
	{"a failed tool", "prompt; pre Bash#1; fail Bash#1; stop", "s(turn(Bash:1!failed))"},
	{"a denied tool has no end to wait for", "prompt; pre Bash#1 =deny; pre Read#2; post Read#2; stop", "s(turn(Bash:1!denied Read:2))"},
	{"the permission of a call belongs to it", "prompt; pre Bash#1; ask Bash#1; post Bash#1; stop", "s(turn(Bash:1))"},
	{"a permission that is denied ends the call", "prompt; pre Bash#1; ask Bash#1 =deny; stop", "s(turn(Bash:1!denied))"},
	{"a classifier that denies ends the call", "prompt; pre Bash#1; denied Bash#1; stop", "s(turn(Bash:1!denied))"},
	{"an interrupted turn is closed by the next prompt", "prompt; pre Bash#1; prompt; stop", "s(turn!interrupted(Bash:1!unfinished) turn)"},
	{"an interrupted turn is closed by the end of the session", "prompt; pre Bash#1; post Bash#1; end", "s(turn!interrupted(Bash:1))"},
	{"a turn whose end is missing", "prompt; pre Bash#1; post Bash#1", "s(turn!unfinished(Bash:1))"},
	{"a tool whose end is missing", "prompt; pre Bash#1; pre Read#2; post Read#2; stop", "s(turn(Bash:1!unfinished Read:2))"},
	{"a tool whose start is missing", "prompt; post Bash#1; stop", "s(turn(Bash:1!headless))"},
	{"a tool that ends after its turn", "prompt; pre Bash#1; stop; post Bash#1", "s(turn(Bash:1))"},
	{"a tool that ends in the next turn belongs to its own", "prompt; pre Bash#1; prompt; post Bash#1; stop", "s(turn!interrupted(Bash:1) turn)"},
	{"a prompt that is denied opens no turn", "prompt =deny; pre Bash#1; post Bash#1", "s(turn!denied Bash:1)"},
	{"a turn that a hook makes go on", "prompt; stop =deny; pre Bash#1; post Bash#1; stop", "s(turn(Bash:1))"},
	{"a turn that fails", "prompt; pre Bash#1; post Bash#1; stopfail", "s(turn!failed(Bash:1))"},
	{"tools before any prompt", "start; pre Bash#1; post Bash#1; end", "s(Bash:1)"},
	{"an end of a turn without a start", "stop; prompt; stop", "s(*Stop turn)"},
	{"a sub-agent below the call that started it", "prompt; pre Task#1; agent+ Explore @a; pre Read#2 @a; post Read#2 @a; agent- Explore @a; post Task#1; stop", "s(turn(Task:1(@a(Read:2))))"},
	{"two sub-agents at once", "prompt; pre Task#1; pre Task#2; agent+ X @a; agent+ Y @b; pre Read#3 @b; pre Read#4 @a; post Read#3 @b; post Read#4 @a; agent- X @a; agent- Y @b; post Task#1; post Task#2; stop", "s(turn(Task:1(@a(Read:4)) Task:2(@b(Read:3))))"},
	{"sub-agents two deep", "prompt; pre Task#1; agent+ X @a; pre Task#2 @a; agent+ Y @b; pre Bash#3 @b; post Bash#3 @b; agent- Y @b; post Task#2 @a; agent- X @a; post Task#1; stop", "s(turn(Task:1(@a(Task:2(@b(Bash:3))))))"},
	{"a sub-agent that ends after its parent", "prompt; pre Task#1; agent+ X @a; post Task#1; stop; pre Read#2 @a; post Read#2 @a; agent- X @a", "s(turn(Task:1(@a(Read:2))))"},
	{"a sub-agent that ends in the next turn", "prompt; pre Task#1; agent+ X @a; post Task#1; stop; prompt; pre Read#2 @a; post Read#2 @a; agent- X @a; stop", "s(turn(Task:1(@a(Read:2))) turn)"},
	{"a sub-agent without an end", "prompt; pre Task#1; agent+ X @a; pre Read#2 @a; stop", "s(turn(Task:1!unfinished(@a!unfinished(Read:2!unfinished))))"},
	{"a sub-agent without a start", "prompt; pre Task#1; pre Read#2 @a; post Read#2 @a; agent- X @a; post Task#1; stop", "s(turn(Task:1(@a!headless(Read:2))))"},
	{"a sub-agent without a call", "prompt; agent+ X @a; pre Read#2 @a; post Read#2 @a; agent- X @a; stop", "s(turn(@a(Read:2)))"},
	{"a sub-agent that a hook makes go on", "prompt; pre Task#1; agent+ X @a; agent- X @a =deny; pre Read#2 @a; post Read#2 @a; agent- X @a; post Task#1; stop", "s(turn(Task:1(@a(Read:2))))"},
	{"a sub-agent that is resumed", "prompt; pre Task#1; agent+ X @a; agent- X @a; post Task#1; stop; prompt; agent+ X @a; pre Read#2 @a; post Read#2 @a; agent- X @a; stop", "s(turn(Task:1(@a(Read:2))) turn)"},
	{"calls of the agent and of its sub-agent at once", "prompt; pre Task#1; agent+ X @a; pre Bash#2; pre Bash#3 @a; post Bash#2; post Bash#3 @a; agent- X @a; post Task#1; stop", "s(turn(Task:1(@a(Bash:3)) Bash:2))"},
	{"two sessions interleaved", "prompt; t/prompt; pre Bash#1; t/pre Read#1; t/post Read#1; post Bash#1; t/stop; stop", "s(turn(Bash:1)) t(turn(Read:1))"},
	{"two sessions with the same ids of calls and agents", "prompt; t/prompt; pre Task#1; t/pre Task#1; t/agent+ X @a; agent+ X @a; t/agent- X @a; agent- X @a; post Task#1; t/post Task#1; stop; t/stop", "s(turn(Task:1(@a))) t(turn(Task:1(@a)))"},
	{"a session that is resumed goes on", "start startup; prompt; stop; end; start resume; prompt; pre Bash#1; post Bash#1; stop; end", "s(turn *SessionStart turn(Bash:1))"},
	{"a session that is resumed in the middle of a turn", "start startup; prompt; pre Bash#1; start resume; prompt; stop", "s(turn!interrupted(Bash:1!unfinished) *SessionStart turn)"},
	{"a compaction is a mark", "prompt; pre Bash#1; post Bash#1; compact auto; compacted auto; pre Read#2; post Read#2; stop", "s(turn(Bash:1 *PreCompact *PostCompact Read:2))"},
	{"a compaction between turns", "prompt; stop; compact manual; start compact; prompt; stop", "s(turn *PreCompact *SessionStart turn)"},
	{"a notification in a turn", "prompt; notify idle_prompt; stop", "s(turn(*Notification))"},
	{"an end that comes before its start", "1>prompt; 3>post Bash#1; 2>pre Bash#1; 4>stop", "s(turn(Bash:1))"},
	{"everything backwards", "9>end; 8>stop; 7>agent- X @a; 6>post Read#2 @a; 5>pre Read#2 @a; 4>agent+ X @a; 3>pre Task#1; 2>prompt; 1>start", "s(turn(Task:1!unfinished(@a(Read:2))))"},
	{"an end with a clock that is behind", "1>prompt; 2>post Bash#1; 3>pre Bash#1; 4>stop", "s(turn(Bash:1))"},
	{"a sub-agent whose start comes after its first call", "1>prompt; 2>pre Task#1; 3>pre Read#2 @a; 4>agent+ X @a; 5>post Read#2 @a; 6>agent- X @a; 7>post Task#1; 8>stop", "s(turn(Task:1(@a(Read:2))))"},
	{"models, and the calls that they ask for", "l.start; l.prompt; l.model; l.answer; l.pre read_file; l.post read_file; l.model; l.tools; l.answer; l.stop; l.end", "s(turn(model(read_file) model))"},
	{"calls without ids end in their order", "l.prompt; l.model; l.answer; l.pre grep; l.pre grep; l.post grep; l.post grep; l.stop", "s(turn(model(grep grep)))"},
	{"calls without ids, one without an end", "l.prompt; l.pre grep; l.pre ls; l.post ls; l.stop", "s(turn(grep!unfinished ls))"},
	{"a model without an answer", "l.prompt; l.model; l.stop", "s(turn(model!unfinished))"},
	{"an answer without a request", "l.prompt; l.answer; l.stop", "s(turn(model!headless))"},
	{"a model that a hook blocks", "l.prompt; l.model =deny; l.stop", "s(turn(model!denied))"},
}

// together lists moments at which the events of several systems, or of the program's own hooks, fire.
var together = []struct{ name, steps, want string }{
	{"the program's own hooks alone", "h.start; h.prompt; h.model; h.tools; h.answer; h.pre Bash#1; h.ask Bash#1; h.post Bash#1; h.stop; h.end", "s(turn(model(Bash:1)))"},
	{"its sub-agent", "h.prompt; h.pre Task#1; h.agent+ X @a; h.pre Read#2 @a; h.post Read#2 @a; h.agent- X @a; h.post Task#1; h.stop", "s(turn(Task:1(@a(Read:2))))"},
	{"beside hooks of a system", "h.start; start; h.prompt; prompt; h.pre Bash#1; pre Bash#1; h.post Bash#1; post Bash#1; h.stop; stop; h.end; end", "s(turn(Bash:1))"},
	{"with other names and without ids", "h.prompt; l.prompt; prompt; h.pre bash#1; l.pre run_shell_command; pre Bash#1; h.post bash#1; l.post run_shell_command; post Bash#1; h.pre bash#2; l.pre run_shell_command; pre Bash#2; h.post bash#2; post Bash#2; l.post run_shell_command; h.stop; l.stop; stop",
		"s(turn(bash:1 bash:2))"},
	{"the id comes with the second", "l.prompt; prompt; l.pre run_shell_command; pre Bash#1; post Bash#1; l.post run_shell_command; l.pre run_shell_command; pre Bash#2; l.post run_shell_command; fail Bash#2; stop; l.stop", "s(turn(run_shell_command:1 run_shell_command:2!failed))"},
	{"one of them denies a call", "prompt; h.pre Bash#1; pre Bash#1 =deny; h.pre Read#2; pre Read#2; h.post Read#2; post Read#2; stop", "s(turn(Bash:1!denied Read:2))"},
	{"one of them denies a prompt", "h.prompt; prompt =deny; h.prompt; prompt; stop", "s(turn!denied turn)"},
	{"the first makes the agent go on", "h.prompt; prompt; stop =deny; l.stop; pre Bash#1; post Bash#1; stop; l.stop", "s(turn(Bash:1))"},
	{"the second makes the agent go on", "h.prompt; prompt; l.stop; stop =deny; pre Bash#1; post Bash#1; l.stop; stop", "s(turn(Bash:1))"},
	{"both make a sub-agent go on", "prompt; pre Task#1; h.agent+ X @a; agent+ X @a; h.agent- X @a; agent- X @a =deny; pre Read#2 @a; post Read#2 @a; h.agent- X @a; agent- X @a; post Task#1; stop", "s(turn(Task:1(@a(Read:2))))"},
	{"a model that the second denies", "prompt; h.model; l.model =deny; stop", "s(turn(model!denied))"},
	{"parallel calls with ids", "prompt; h.pre Bash#1; h.pre Read#2; pre Bash#1; pre Read#2; post Read#2; h.post Read#2; h.post Bash#1; post Bash#1; stop", "s(turn(Bash:1 Read:2))"},
	{"the systems without roles until now", "c.start; c.prompt; c.pre Shell#1; c.post Shell#1; c.stop; o.prompt; o.pre bash#2; o.fail bash#2; o.stop; x.prompt; x.pre Bash#3; x.post Bash#3; x.stop", "s(turn(Shell:1) turn(bash:2!failed) turn(Bash:3))"},
	{"an end without a turn, twice", "h.stop; stop; prompt; stop", "s(*Stop turn)"},
	{"a sub-agent whose id the first does not have", "prompt; l.prompt; o.prompt; h.agent+ X; agent+ X @a; pre Read#2 @a; post Read#2 @a; agent- X @a; stop", "s(turn(*SubagentStart @a(Read:2)))"},
}

func TestEventsGiveTheTree(t *testing.T) {
	if len(cases) < 40 {
		t.Errorf("there are %d cases", len(cases))
	}
	for _, test := range append(slices.Clone(cases), together...) {
		t.Run(test.name, func(t *testing.T) {
			var b tracetree.Builder
			for i, text := range strings.Split(test.steps, ";") {
				if text = strings.TrimSpace(text); text != "" {
					b.Add(parse(t, text, 10*(i+1)).line())
				}
			}
			nodes := b.Sessions()
			if got := outline(nodes); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			for _, n := range nodes {
				n.Walk(func(n *tracetree.Node, _ int) bool {
					if n.End.Before(n.Start) || n.Start.IsZero() || len(n.Fires) == 0 && n.State != tracetree.Headless && n.Kind != tracetree.Session {
						t.Errorf("%s %s is from %v to %v, with %d fires", n.Kind, n.ID, n.Start, n.End, len(n.Fires))
					}
					return true
				})
			}
		})
	}
}

// inputs are the members that events need in addition to the members of a step.
var inputs = map[string]string{
	"claude.SessionStart": `"source":%q`, "claude.SessionEnd": `"reason":"other"`, "claude.UserPromptSubmit": `"prompt":"go"`, "claude.Stop": `"stop_hook_active":false`,
	"claude.StopFailure": `"error":"rate_limit"`,
	"claude.PreToolUse":  `"tool_name":%q,"tool_input":{}`, "claude.PostToolUse": `"tool_name":%q,"tool_input":{},"tool_response":{}`,
	"claude.PostToolUseFailure": `"tool_name":%q,"tool_input":{},"error":"bad"`, "claude.PermissionRequest": `"tool_name":%q,"tool_input":{}`,
	"claude.PermissionDenied": `"tool_name":%q,"tool_input":{},"reason":"no"`, "claude.SubagentStart": `"agent_type":%q`, "claude.SubagentStop": `"agent_type":%q,"stop_hook_active":false`,
	"claude.PreCompact": `"trigger":%q,"custom_instructions":null`, "claude.PostCompact": `"trigger":%q,"compact_summary":""`, "claude.Notification": `"notification_type":%q,"message":"hi"`,
	"llxprt.SessionStart": `"source":"startup"`, "llxprt.SessionEnd": `"reason":"exit"`, "llxprt.BeforeAgent": `"prompt":"go"`, "llxprt.AfterAgent": `"prompt":"go","prompt_response":"done","stop_hook_active":false`,
	"llxprt.BeforeModel": `"llm_request":{"model":"m","messages":[]}`, "llxprt.AfterModel": `"llm_request":{"model":"m","messages":[]},"llm_response":{"candidates":[]}`,
	"llxprt.BeforeTool": `"tool_name":%q,"tool_input":{}`, "llxprt.AfterTool": `"tool_name":%q,"tool_input":{},"tool_response":{}`,
	"llxprt.BeforeToolSelection": `"llm_request":{"model":"m","messages":[]}`,
}

// The tree of an observer in the engine equals the tree from the record of the same fires. A step with a time begins at
// this time; the fires end in the order of the steps. A step with a decision has a hook that makes this decision.
func TestLiveAndFileGiveTheSameTree(t *testing.T) {
	events := map[string]pipeline.Declared{}
	for _, e := range pipeline.Events(nil) {
		events[e.Info().FullName()] = e
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				live := tracetree.NewLive()
				var text bytes.Buffer
				file := record.New(&text, record.Config{Log: slog.New(slog.DiscardHandler)})
				sys := pipeline.NewSystem(pipeline.Config{
					Observe: []pipeline.Observer{live, file}, ObserveIdle: true, Log: slog.New(slog.DiscardHandler),
					Load: []pipeline.Load{decides},
				})
				play(t, sys, events, test.steps)
				sys.Close() // closes both observers
				var b tracetree.Builder
				for _, l := range record.Lines(&text, func(n int, err error) { t.Errorf("line %d: %v", n, err) }) {
					b.Add(l)
				}
				fromFile, fromLive := outline(b.Sessions()), outline(live.Sessions())
				if fromFile != fromLive || fromLive != test.want {
					t.Errorf("live %s\nfile %s\nwant %s", fromLive, fromFile, test.want)
				}
			})
		})
	}
}

// turnKey is the context key of the channel that a fire's hook waits for, and decisionKey is the
// key of the decision that the hook then makes.
type turnKey struct{}
type decisionKey struct{}

// waits is a hook that ends when its fire may end.
type waits struct{}

func (waits) Run(ctx context.Context, c hook.Call) (hook.Reply, error) {
	if turn, ok := ctx.Value(turnKey{}).(chan struct{}); ok {
		<-turn
	}
	switch denies := ctx.Value(decisionKey{}) == "deny"; {
	case denies && c.Hook.Event == "PermissionRequest": // no exit status denies at this event
		return hook.Reply{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}`)}, nil
	case denies:
		return hook.Reply{Exit: 2, Stderr: []byte("no")}, nil
	}
	return hook.Reply{}, nil
}

// decides loads one hook, a waits, for every event.
func decides(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
	var all []*hook.Hook
	for _, e := range pipeline.Events(nil) {
		i := e.Info()
		all = append(all, &hook.Hook{Identity: hook.Identity{ID: i.FullName(), Dialect: i.Dialect, Event: i.Name, Type: "command", Command: "decides"}, Runner: waits{}})
	}
	return pipeline.Loaded{Hooks: all}, nil
}

// play fires the steps. A fire begins at the time of its step, and the fires end in the order of the steps.
func play(t *testing.T, sys *pipeline.System, events map[string]pipeline.Declared, steps string) {
	t.Helper()
	var turns []chan struct{}
	ended := make(chan struct{}, 100)
	began := time.Now()
	for i, one := range strings.Split(steps, ";") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		s, turn := parse(t, one, i+1), make(chan struct{})
		turns = append(turns, turn)
		ctx := context.WithValue(context.WithValue(t.Context(), turnKey{}, turn), decisionKey{}, s.decide)
		go func() {
			testkit.Sleep(time.Until(began.Add(time.Duration(s.at) * time.Second)))
			fire(t, ctx, sys, events, s)
			ended <- struct{}{}
		}()
	}
	testkit.Sleep(100 * time.Second) // at this time all fires have begun
	for _, turn := range turns {
		close(turn)
		<-ended
	}
}

func fire(t *testing.T, ctx context.Context, sys *pipeline.System, events map[string]pipeline.Declared, s step) {
	t.Helper()
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: s.session, Dir: t.TempDir()})
	if err != nil {
		t.Error(err)
		return
	}
	members := []string{inputs[s.event]}
	if strings.Contains(members[0], "%q") {
		members[0] = fmt.Sprintf(members[0], s.subject)
	}
	for name, value := range map[string]string{"tool_use_id": s.id, "agent_id": s.agent} {
		if value != "" {
			members = append(members, fmt.Sprintf("%q:%q", name, value))
		}
	}
	slices.Sort(members)
	if _, err := events[s.event].FireJSON(ctx, ses, []byte("{"+strings.Join(members, ",")+"}")); err != nil {
		t.Errorf("%s: %v", s.event, err)
	}
}

func TestABuilderKeepsTheLatest(t *testing.T) {
	b := tracetree.Builder{Most: 3}
	for i, text := range []string{"prompt", "stop", "prompt", "pre Bash#1", "post Bash#1"} {
		b.Add(parse(t, text, i).line())
	}
	if got := outline(b.Sessions()); got != "s(turn!unfinished(Bash:1))" || b.Dropped() != 2 {
		t.Errorf("%s, %d dropped", got, b.Dropped())
	}
}

// The time for a record is not quadratic in its length: neither for nested agents, nor for calls
// that could have started any of the agents, nor for calls without ids.
func TestNoRecordTakesTimeLikeItsSquare(t *testing.T) {
	shapes := map[string]func(b *tracetree.Builder, n int){
		"nested": func(b *tracetree.Builder, n int) {
			for i := range n {
				b.Add(step{at: 2 * i, session: "s", event: verbs["pre"], subject: "Task", id: fmt.Sprint("t", i), agent: fmt.Sprint("a", i)}.line())
				b.Add(step{at: 2*i + 1, session: "s", event: verbs["agent+"], agent: fmt.Sprint("a", i+1)}.line())
			}
		},
		"wide": func(b *tracetree.Builder, n int) {
			for i := range n {
				b.Add(step{at: i, session: "s", event: verbs["pre"], subject: "Task", id: fmt.Sprint("t", i)}.line())
				b.Add(step{at: n + i, session: "s", event: verbs["agent+"], agent: fmt.Sprint("a", i)}.line())
			}
		},
		"without ids": func(b *tracetree.Builder, n int) {
			for i := range n {
				b.Add(step{at: i, session: "s", event: verbs["l.pre"], subject: "x"}.line())
				b.Add(step{at: n + i, session: "s", event: verbs["l.post"], subject: "x"}.line())
			}
		},
	}
	plain := func(b *tracetree.Builder, n int) {
		for i := range n {
			b.Add(step{at: i, session: "s", event: verbs["pre"], subject: "Bash", id: fmt.Sprint("t", i)}.line())
			b.Add(step{at: n + i, session: "s", event: verbs["post"], subject: "Bash", id: fmt.Sprint("t", i)}.line())
		}
	}
	for name, add := range shapes {
		t.Run(name, func(t *testing.T) {
			var quickest [2]time.Duration
			for i, add := range []func(*tracetree.Builder, int){plain, add} {
				var b tracetree.Builder
				add(&b, 20_000)
				quickest[i] = time.Hour
				for range 4 {
					start := time.Now()
					roots := b.Sessions()
					quickest[i] = min(quickest[i], time.Since(start))
					roots[0].Walk(func(_ *tracetree.Node, depth int) bool {
						if depth > 130 {
							t.Fatalf("a node is %d deep", depth)
						}
						return true
					})
				}
			}
			if ratio := float64(quickest[1]) / float64(quickest[0]); ratio > 20 { // quadratic growth has ratio 200
				t.Errorf("it takes %.0f times as long as plain calls: %v, %v", ratio, quickest[0], quickest[1])
			}
		})
	}
}
