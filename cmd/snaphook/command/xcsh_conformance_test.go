package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
)

// TestXcsh judges the built binary by the cases that consist of one fire. It writes modules in
// JavaScript that behave as the case describes. Without SNAPHOOK_TIMES it takes every fourth case.
func TestXcsh(t *testing.T) {
	dir, found := llxprtcases.Dir("xcsh")
	if !found {
		t.Skip("there are no xcsh cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := xcshcases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := build(t)
	for _, c := range testkit.Part(cases, 4) {
		t.Run(c.Name, func(t *testing.T) {
			if reason := xcshUnspeakable(&c); reason != "" {
				t.Skip(reason)
			}
			judgeXcsh(t, program, &c)
		})
	}
}

// xcshUnspeakable returns why a case cannot be expressed as a command line; empty if it can.
func xcshUnspeakable(c *xcshcases.Case) string {
	fires := []string{"emit", "emitToolCall", "emitContext", "emitBeforeAgentStart"}
	calls := func(h xcshcases.Hook) bool {
		return len(h.FactoryAPI) > 0 || slices.ContainsFunc(h.Handlers, func(h xcshcases.Handler) bool { return len(h.API) > 0 })
	}
	switch {
	case len(c.Steps) > 1:
		return "every invocation loads the modules anew, so that there is one fire"
	case !slices.Contains(fires, c.Steps[0].Op):
		return "the command line fires events, and does not " + c.Steps[0].Op
	case c.Runner.Initialize != nil:
		return "the command line is the host, with a model, a user and a state of its own"
	case slices.ContainsFunc(c.Hooks, calls):
		return "the command line is a host that takes what modules send"
	case len(c.Expect.LoadErrors) > 0:
		return "the command line fires nothing if a module that is named cannot be loaded"
	}
	event, _ := xcshFire(&c.Steps[0])
	if _, known := xcsh.Lookup(event); !known {
		return "the command line fires no events of a host's own"
	}
	return ""
}

// xcshFire returns the event and the input of the only fire of a case.
func xcshFire(s *xcshcases.Step) (event string, input any) {
	switch s.Op {
	case "emitToolCall":
		return "tool_call", s.Event
	case "emitContext":
		return "context", map[string]any{"messages": s.Messages}
	case "emitBeforeAgentStart":
		in := map[string]any{"prompt": s.Prompt, "systemPrompt": s.SystemPrompt}
		if s.Images != nil {
			in["images"] = s.Images
		}
		return "before_agent_start", in
	}
	var named struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(s.Event, &named)
	return named.Type, s.Event
}

func judgeXcsh(t *testing.T, program string, c *xcshcases.Case) {
	event, in := xcshFire(&c.Steps[0])
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	dialect := lo.Ternary(c.Runtime == "extension", "xcsh-extension.", "xcsh.")
	args := []string{"fire", dialect + event, "--json", "--dir", dir}
	for _, h := range c.Hooks {
		testkit.WriteFile(t, filepath.Join(dir, h.Path), xcshcases.GenerateJS(h), 0o644)
		args = append(args, "--module", h.Path)
	}
	fired, err := fireXcsh(t.Context(), program, dir, input, args)
	if err != nil {
		t.Fatalf("%s\n%s: %v", c.Title, c.Path, err)
	}
	compareXcsh(t, c, event, input, fired)
}

func compareXcsh(t *testing.T, c *xcshcases.Case, event string, input []byte, fired pipeline.JSONResult) {
	want := c.Expect.Steps[0]
	if got, wanted := outcomeXcsh(fired, event, input, want), ownMembers(event, want); !reflect.DeepEqual(got, wanted) {
		t.Errorf("%s\n%s\nwant %v\ngot  %v", c.Title, c.Path, wanted, got)
	}
	if ran := len(fired.Hooks); ran != len(c.Expect.Trace) {
		t.Errorf("%s\n%s: %d handlers ran, want %d", c.Title, c.Path, ran, len(c.Expect.Trace))
	}
	failed := lo.CountBy(fired.Hooks, func(h pipeline.HookRun) bool { // failures that the runtime passes to listeners
		return h.Error != nil && (h.Outcome == pipeline.NonBlockingError || c.Runtime == "extension")
	})
	if c.Runner.Listeners == nil && failed != len(c.Expect.HookErrors) {
		t.Errorf("%s\n%s: %d handlers failed, want %d", c.Title, c.Path, failed, len(c.Expect.HookErrors))
	}
}

func fireXcsh(ctx context.Context, program, dir string, input []byte, args []string) (fired pipeline.JSONResult, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fired, err
	}
	if err := json.Unmarshal(out, &fired); err != nil {
		return fired, fmt.Errorf("%w; exit status %d: %s", err, cmd.ProcessState.ExitCode(), said.String())
	}
	if want := lo.Ternary(fired.Blocked, cli.Refused, 0); cmd.ProcessState.ExitCode() != want {
		return fired, fmt.Errorf("exit status %d, want %d with %s", cmd.ProcessState.ExitCode(), want, out)
	}
	return fired, nil
}

// outcomeXcsh returns a fire as the outcome of a step. Members that cannot be observed from outside the process are
// copied from want.
func outcomeXcsh(fired pipeline.JSONResult, event string, input []byte, want map[string]any) map[string]any {
	value, _ := fired.Effects.(map[string]any)
	got := map[string]any{"ok": true}
	if after, has := want["inputAfter"]; has {
		got["inputAfter"] = after // cannot be observed: the list is in another process
	}
	_, failed := want["error"]
	switch {
	case failed && fired.Blocked && len(value) == 0:
		got["ok"], got["error"] = false, strings.TrimPrefix(*fired.Reason, "Hook failed, blocking execution: ")
		if want["nonError"] == true {
			got["nonError"] = true
		}
	case event == "context":
		got["value"] = messagesOf(value, input)
	case len(value) > 0:
		got["value"] = value
	}
	return got
}

func messagesOf(value map[string]any, input []byte) any {
	if messages, changed := value["messages"]; changed {
		return messages
	}
	var in struct {
		Messages any `json:"messages"`
	}
	_ = json.Unmarshal(jsontext.Value(input), &in)
	return in.Messages
}

// ownMembers removes from an expected result the members that the event does not have, and reads
// yes-or-no members as JavaScript does.
func ownMembers(event string, want map[string]any) map[string]any {
	value, is := want["value"].(map[string]any)
	if !is {
		return want
	}
	own := lo.PickBy(value, func(name string, v any) bool {
		known := slices.Contains(fire.ModuleResults[event], name) || slices.Contains([]string{"messages", "systemPrompt", "isError"}, name)
		return known && v != nil && v != false && v != "" && v != 0.0
	})
	for _, name := range []string{"block", "cancel", "skipConversationRestore"} {
		if _, said := own[name]; said {
			own[name] = true
		}
	}
	if want = lo.Assign(want); len(own) == 0 {
		delete(want, "value")
	} else {
		want["value"] = own
	}
	return want
}
