package snaphook_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/wire"
)

// heard holds the effect of an answer at one event.
type heard struct {
	blocked bool
	err     error // the hook's error
	notes   []string
	message string
}

// gate is an event that can block, fired with one hook.
type gate struct {
	dialect, event string
	textCounts     bool // the event accepts plain text as an answer
	fire           func(t *testing.T, s *pipeline.Session) heard
}

func hear[Out any](t *testing.T, res *hook.Result[Out], err error, blocked bool) heard {
	t.Helper()
	if err != nil || len(res.Reports) != 1 {
		t.Fatalf("%d reports, %v", len(res.Reports), err)
	}
	r := &res.Reports[0]
	return heard{blocked, r.Err, r.Notes, res.Message + res.Context}
}

var gates = []gate{
	{"claude", "PreToolUse", false, func(t *testing.T, s *pipeline.Session) heard {
		res, err := claude.PreToolUse.Fire(t.Context(), s, &claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{}`)})
		return hear(t, res, err, res.Stop || res.Specific.PermissionDecision == hook.Deny)
	}},
	{"claude", "PermissionRequest", false, func(t *testing.T, s *pipeline.Session) heard {
		in := claude.PermissionRequestInput{PreToolUseInput: claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{}`)}}
		res, err := claude.PermissionRequest.Fire(t.Context(), s, &in)
		d := res.Specific.Decision
		return hear(t, res, err, res.Stop || d != nil && d.Behavior == "deny")
	}},
	{"claude", "UserPromptSubmit", true, func(t *testing.T, s *pipeline.Session) heard {
		res, err := claude.UserPromptSubmit.Fire(t.Context(), s, &claude.UserPromptSubmitInput{Prompt: "go"})
		return hear(t, res, err, res.Stop || res.Blocked())
	}},
	{"llxprt", "BeforeTool", true, func(t *testing.T, s *pipeline.Session) heard {
		in := llxprt.BeforeToolInput{Name: "run_shell_command", Input: wire.Object(`{}`)}
		res, err := llxprt.BeforeTool.Fire(t.Context(), s, &in)
		return hear(t, res, err, !llxprt.ApplyBeforeTool(&in, res).Run)
	}},
	{"llxprt", "BeforeAgent", true, func(t *testing.T, s *pipeline.Session) heard {
		res, err := llxprt.BeforeAgent.Fire(t.Context(), s, &llxprt.BeforeAgentInput{Prompt: "go"})
		return hear(t, res, err, !llxprt.ApplyBeforeAgent(res).Run)
	}},
}

// answers fires a gate with one hook that gives the reply, under an overlay's failure policy.
func (g gate) answers(t *testing.T, reply hook.Reply, overlay string) heard {
	t.Helper()
	cfg := pipeline.Config{Log: slog.New(slog.DiscardHandler)}
	if overlay != "" {
		o, problems := policy.Parse(policy.Project, ".snaphook.json", []byte(overlay))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		cfg.Policy = policy.Source{Overlays: []policy.Overlay{*o}}
	}
	cfg.Load = []pipeline.Load{func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: []*hook.Hook{{
			Identity: hook.Identity{ID: "guard", Dialect: g.dialect, Event: g.event, Command: "guard", Type: "command", Source: hook.Project},
			Runner:   replies(reply),
		}}}, nil
	}}
	sys := pipeline.NewSystem(cfg)
	defer sys.Close()
	s, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return g.fire(t, s)
}

const (
	closedByRule    = `{"hooks": [{"match": {"command": "guard"}, "onFailure": "closed"}]}`
	closedByDefault = `{"defaults": {"gates": {"onFailure": "closed"}}}`
)

// own returns an answer with members of hookSpecificOutput. EVENT is replaced by the event's name.
func own(part string) string {
	return `{"hookSpecificOutput":{"hookEventName":"EVENT"` + part + `}}`
}

// garbled lists outputs that contain a denial, but that events cannot parse, or can parse only in part.
var garbled = map[string]string{
	"text before it":             "Shell ready\nDENIAL",
	"text before it inline":      "result: DENIAL",
	"text after it":              "DENIAL\ndone",
	"a second document":          "{\"continue\":true}\nDENIAL",
	"an empty one first":         "{}DENIAL",
	"in a fence":                 "```json\nDENIAL\n```",
	"in a list":                  "[DENIAL]",
	"under another member":       `{"output":DENIAL}`,
	"under result":               `{"hookSpecificOutput":{"hookEventName":"EVENT","result":DENIAL}}`,
	"after a comment":            "// no\nDENIAL",
	"before a comment":           "DENIAL // no",
	"with colours":               "\x1b[31mDENIAL\x1b[0m",
	"with a semicolon":           "DENIAL;",
	"as a variable":              "export default DENIAL",
	"in parentheses":             "(DENIAL)",
	"in XML":                     "<answer>DENIAL</answer>",
	"as JSON lines":              "{\"log\":1}\n{\"log\":2}\nDENIAL\n{\"log\":3}",
	"as an event stream":         "data: DENIAL\n\n",
	"after an echo of its input": "{\"tool_name\":\"Bash\"}\nDENIAL",
	"after NULs":                 "\x00\x00DENIAL",
}

var denials = map[string]string{
	"a decision":   `{"decision":"block","reason":"no"}`,
	"a permission": own(`,"permissionDecision":"deny","permissionDecisionReason":"no"`),
	"a stop":       `{"continue":false,"stopReason":"no"}`,
}

// misspelt lists answers with a denial in words that their systems do not read.
var misspelt = map[string]string{
	"a name in other case":        `{"Decision":"block"}`,
	"a name in capitals":          `{"DECISION":"BLOCK"}`,
	"a word in other case":        `{"decision":"BLOCK"}`,
	"a word with a space":         `{"decision":" deny"}`,
	"another word":                `{"decision":"denied"}`,
	"a third word":                `{"decision":"reject"}`,
	"a top-level permission":      `{"permissionDecision":"deny"}`,
	"a top-level behavior":        `{"behavior":"deny"}`,
	"names as in Python":          `{"hook_specific_output":{"permission_decision":"deny"}}`,
	"a name in Python's case":     own(`,"permission_decision":"deny"`),
	"a name in lower case":        own(`,"permissiondecision":"deny"`),
	"a nested object":             `{"output":{"decision":"block"}}`,
	"block":                       `{"block":true}`,
	"block with a reason":         `{"block":true,"reason":"no"}`,
	"Block":                       `{"Block":true}`,
	"blocked":                     `{"blocked":true}`,
	"deny":                        `{"deny":true}`,
	"deny with a text":            `{"deny":"no"}`,
	"allow false":                 `{"allow":false}`,
	"allowed false":               `{"allowed":false}`,
	"approve false":               `{"approve":false}`,
	"ok false":                    `{"ok":false,"reason":"no"}`,
	"Continue":                    `{"Continue":false}`,
	"single quotes":               `{'decision': 'block'}`,
	"no quotes":                   `{decision: "block"}`,
	"as Node prints it":           `{ decision: 'block', reason: 'no' }`,
	"a trailing comma":            `{"decision":"block",}`,
	"NaN":                         `{"decision":"block","x":NaN}`,
	"None":                        `{"decision":"block","x":None}`,
	"cut":                         `{"decision":"block","reason":"n`,
	"cut after the word":          `{"decision":"block"`,
	"a raw line end":              "{\"decision\":\"block\",\"reason\":\"a\nb\"}",
	"a raw tab":                   "{\"decision\":\"block\",\"reason\":\"a\tb\"}",
	"a bad escape":                `{"decision":"block","reason":"\x41"}`,
	"Windows paths":               `{"decision":"block","reason":"C:\dir"}`,
	"another one first":           `{"decision":"block","decision":"approve"}`,
	"a stop that is taken back":   `{"continue":false,"continue":true}`,
	"UTF-16":                      utf16LE(`{"decision":"block"}`),
	"YAML":                        "decision: block\nreason: no\n",
	"a shell assignment":          `decision=block`,
	"the word alone":              "block",
	"the word in quotes":          `"block"`,
	"a line":                      "BLOCKED: rm is prohibited",
	"an escaped object in a text": `result "{\"decision\":\"deny\"}"`,
	"deep":                        `{"decision":"block","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}",
	"long, with text before":      strings.Repeat("x\n", 100_000) + `{"decision":"block"}` + strings.Repeat("\nx", 100_000),
	"of another event, misspelt":  `{"hookSpecificOutput":{"hookEventname":"EVENT","permissionDecision":"deny"},"decison":"block"}`,
}

// useless lists outputs without a denial. An event that takes no plain text cannot parse them.
var useless = map[string]string{
	"cut in the word":         `{"decision":"blo`,
	"cut in the name":         `{"deci`,
	"a brace":                 `{`,
	"two answers":             `{}{}`,
	"an answer and a text":    `{} ok`,
	"a list":                  `[]`,
	"a list with an answer":   `[{"decision":"approve"}]`,
	"a member too many":       `{"decision":"approve","verdict":"sure"}`,
	"a name misspelt":         `{"decison":"approve"}`,
	"a top-level permission":  `{"permissionDecision":"allow"}`,
	"a permission misspelt":   own(`,"permissionDecison":"allow"`),
	"a word that is none":     `{"decision":"maybe"}`,
	"a word in capitals":      `{"decision":"APPROVE"}`,
	"a number":                `{"decision":7}`,
	"a reason that is a list": `{"decision":"approve","reason":["a"]}`,
	"continue as a text":      `{"continue":"yes"}`,
	"a part that is a text":   `{"hookSpecificOutput":"allow"}`,
	"a trailing comma":        `{"decision":"approve",}`,
	"twice":                   `{"reason":"a","reason":"b"}`,
	"true":                    `true`,
	"a positive number":       `5`,
}

func TestWordsOfADenialAreNeverASuccess(t *testing.T) {
	answers := map[string]string{}
	for how, output := range garbled {
		for name, denial := range denials {
			answers[how+", "+name] = strings.ReplaceAll(output, "DENIAL", denial)
		}
	}
	for name, answer := range misspelt {
		answers[name] = answer
	}
	for _, g := range gates {
		for name, answer := range answers {
			reply := hook.Reply{Stdout: []byte(strings.ReplaceAll(answer, "EVENT", g.event))}
			open := g.answers(t, reply, "")
			if !open.blocked && (open.err == nil || hook.ClassOf(open.err) != hook.ClassOutput) {
				t.Errorf("%s.%s, %s: it goes ahead, error %v, notes %q; want an error of class output",
					g.dialect, g.event, name, open.err, open.notes)
			}
			for _, overlay := range []string{closedByRule, closedByDefault} {
				if got := g.answers(t, reply, overlay); !got.blocked {
					t.Errorf("%s.%s, %s, %s: it goes ahead, error %v, notes %q", g.dialect, g.event, name, overlay, got.err, got.notes)
				}
			}
		}
	}
}

func TestAnswersThatCannotBeUsedDenyWhereFailuresAreClosed(t *testing.T) {
	for _, g := range gates {
		for name, answer := range useless {
			reply := hook.Reply{Stdout: []byte(strings.ReplaceAll(answer, "EVENT", g.event))}
			if got := g.answers(t, reply, ""); got.blocked {
				t.Errorf("%s.%s, %s: it is blocked without a policy", g.dialect, g.event, name)
			}
			if got := g.answers(t, reply, closedByRule); !got.blocked || hook.ClassOf(got.err) != hook.ClassOutput {
				if g.textCounts && (name == "true" || name == "a positive number") && g.dialect == "claude" {
					continue // the output is plain text, which is context
				}
				t.Errorf("%s.%s, %s: blocked %v, error %v", g.dialect, g.event, name, got.blocked, got.err)
			}
		}
		for name, text := range map[string]string{"a text": "all good here", "several lines": "one\ntwo { three }\n"} {
			got := g.answers(t, hook.Reply{Stdout: []byte(text)}, closedByRule)
			if got.blocked == g.textCounts || g.textCounts && !strings.Contains(got.message, "o") {
				t.Errorf("%s.%s, %s: blocked %v, says %q, error %v", g.dialect, g.event, name, got.blocked, got.message, got.err)
			}
		}
	}
}

func TestAnswersThatCanBeUsedCountWhereFailuresAreClosed(t *testing.T) {
	for _, g := range gates {
		for name, answer := range map[string]string{
			"silence": "", "white space": " \n", "an empty object": "{}", "a message": `{"systemMessage":"m"}`,
			"go on": `{"continue":true,"suppressOutput":true}`, "a context": own(`,"additionalContext":"c"`), "a part": own(""),
			"a reason of words": `{"systemMessage":"wrote {\"decision\":\"block\"} and \"block\": true"}`,
		} {
			got := g.answers(t, hook.Reply{Stdout: []byte(strings.ReplaceAll(answer, "EVENT", g.event))}, closedByRule)
			if got.blocked || got.err != nil || len(got.notes) > 0 {
				t.Errorf("%s.%s, %s: blocked %v, error %v, notes %q", g.dialect, g.event, name, got.blocked, got.err, got.notes)
			}
		}
	}
}

func TestTheErrorOfALostDenialSaysWhereItStands(t *testing.T) {
	for answer, want := range map[string]string{
		"Shell ready\n{\"decision\":\"block\"}":                "text stands before the object, which begins at line 2, column 1",
		"{\"continue\":true}\n{\"decision\":\"block\"}":        "a second JSON document follows the first at line 2, column 1",
		"{\"decision\":\"block\",\"reason\":\"line1\nline2\"}": "the JSON breaks off (invalid character '\\n' in string",
	} {
		got := gates[0].answers(t, hook.Reply{Stdout: []byte(answer)}, "")
		lost, is := errors.AsType[*hook.UnreadError](got.err)
		if !is || !lost.Denies || !strings.Contains(lost.Why, want) || !strings.Contains(strings.Join(got.notes, "\n"), want) {
			t.Errorf("%q: error %v, notes %q; want %s", answer, got.err, got.notes, want)
		}
	}
}

func utf16LE(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return string(b)
}
