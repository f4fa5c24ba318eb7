package snaphook_test

import (
	"context"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
)

func TestASystemWithLinkedSettingsReadsThoseOfEveryDialect(t *testing.T) {
	dir := testkit.Project(t, map[string]string{
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
		".llxprt/settings.json": `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
	})
	sys := pipeline.NewSystem(pipeline.Config{Load: pipeline.LinkedSettings()})
	defer sys.Close()
	session, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: "s-1", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, h := range session.Hooks() {
		found[h.Dialect] = h.Event
	}
	if found["claude"] != "PreToolUse" || found["llxprt"] != "BeforeTool" {
		t.Errorf("the hooks are %v of %v; want one of each dialect", found, session.Problems())
	}
}

// firedEvents collects the full names of the events that fire.
type firedEvents struct{ names []string }

func (f *firedEvents) FireStart(ctx context.Context, info *pipeline.FireInfo) context.Context {
	f.names = append(f.names, info.Event)
	return ctx
}
func (f *firedEvents) HookEnd(context.Context, *pipeline.Evaluation)                      {}
func (f *firedEvents) FireEnd(context.Context, *pipeline.FireInfo, *pipeline.FireOutcome) {}

func TestObserversFollowEventsWithoutHooksOnDemand(t *testing.T) {
	for idle, want := range map[bool]string{false: "", true: "host.BeforeTool llxprt.BeforeTool"} {
		var seen firedEvents
		s := open(t, snaphook.Config{
			Dialects: []*snaphook.Dialect{snaphook.LLxprt(snaphook.LLxprtConfig{})},
			Observe:  []pipeline.Observer{&seen}, ObserveIdle: idle,
		}, nil)
		if _, err := s.BeforeTool(t.Context(), command("ls")); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(seen.names, " "); got != want {
			t.Errorf("ObserveIdle %v: observed %q, want %q", idle, got, want)
		}
	}
}

func TestARecordKeepsAsMuchOfTheInputAsTheHostWants(t *testing.T) {
	for input, want := range map[record.Input]string{record.Keys: `"cmd":"string"`, record.Full: `"cmd":"ls"`} {
		file := filepath.Join(t.TempDir(), "hooks.jsonl")
		hooks, err := snaphook.Open(snaphook.Config{Record: file, RecordInput: input, Log: testkit.Quiet})
		if err != nil {
			t.Fatal(err)
		}
		s, err := hooks.NewSession(t.Context(), snaphook.SessionConfig{Dir: testkit.Project(t, nil)})
		if err != nil {
			t.Fatal(err)
		}
		snaphook.OnBeforeTool(s, "gate", func(context.Context, snaphook.ToolCall) (v snaphook.Verdict, err error) { return v, nil })
		call := snaphook.ToolCall{Name: "run", Input: []byte(`{"cmd":"ls"}`)}
		if _, err := s.BeforeTool(t.Context(), &call); err != nil {
			t.Fatal(err)
		}
		hooks.Close()
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: the record is %q, %v; want %s in it", input, text, err, want)
		}
	}
}

// The decisions of package snaphook are the same values as in package hook.
func TestDecisionsAreThoseOfPackageHook(t *testing.T) {
	for here, there := range map[hook.Decision]hook.Decision{
		snaphook.Undecided: hook.Undecided, snaphook.Allow: hook.Allow, snaphook.Ask: hook.Ask, snaphook.Deny: hook.Deny,
	} {
		if here != there {
			t.Errorf("%q is not %q", here, there)
		}
	}
}
