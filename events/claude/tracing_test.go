package claude_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/wire"
)

// A plugin that traces an agent gets its data from nine events, with hooks in the background: the
// paths of the transcripts, the call and the agent that an event belongs to, and the last message
// (C27, C28, C65, C72, C81).
func TestHooksThatTraceHaveWhatTheyNeed(t *testing.T) {
	out := testkit.Dir(t)
	events := []string{"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "StopFailure", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd"}
	text := `{"hooks":{`
	for i, event := range events {
		if i > 0 {
			text += ","
		}
		text += `"` + event + `":[{"hooks":[{"type":"command","async":true,"command":"\"${CLAUDE_PLUGIN_ROOT}\"/keep ` + event + `"}]}]`
	}
	root := testkit.Write(t, filepath.Join(out, "plug in"), map[string]string{
		"hooks/hooks.json": text + "}}",
		"keep":             "#!/bin/sh\ncat > \"$OUT/$1\"\n",
	})
	w := project(`{}`)
	w.Plugins = []claude.Plugin{{Root: root}}
	w.Environ = append(w.Environ, "OUT="+out)
	w.host.Transcript = "/t/s-1.jsonl"
	s := w.open(t)

	agent := claude.CommonInput{AgentID: "a-1", AgentType: "Explore", PromptID: "p-1"}
	call := claude.PreToolUseInput{CommonInput: agent, Name: "Agent", Input: wire.Object(`{"prompt":"look"}`), ID: "toolu_1"}
	mustFire(t, claude.UserPromptSubmit, s, claude.UserPromptSubmitInput{CommonInput: claude.CommonInput{PromptID: "p-1"}, Prompt: "go"})
	mustFire(t, claude.PreToolUse, s, call)
	mustFire(t, claude.PostToolUse, s, claude.PostToolUseInput{PreToolUseInput: call, Response: jsontext.Value(`{"agentId":"a-2"}`), Duration: 12})
	mustFire(t, claude.SubagentStop, s, claude.SubagentStopInput{
		StopInput: claude.StopInput{CommonInput: agent, Message: "looked"}, Transcript: "/t/a-1.jsonl",
	})
	mustFire(t, claude.Stop, s, claude.StopInput{Active: true, Message: "done"})
	mustFire(t, claude.StopFailure, s, claude.StopFailureInput{Error: "rate_limit", Details: "429", Message: "do"})
	mustFire(t, claude.PreCompact, s, claude.PreCompactInput{Trigger: "auto"})
	mustFire(t, claude.PostCompact, s, claude.PostCompactInput{Trigger: "auto", Summary: "all of it"})
	if err := s.Wait(t.Context()); err != nil { // a hook of SessionEnd has 1.5 s, which others must not use up
		t.Fatal(err)
	}
	mustFire(t, claude.SessionEnd, s, claude.SessionEndInput{Reason: "clear"})
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}

	for event, want := range map[string]string{
		"UserPromptSubmit": `{"prompt_id":"p-1","prompt":"go"}`,
		"PreToolUse":       `{"prompt_id":"p-1","agent_id":"a-1","agent_type":"Explore","tool_name":"Agent","tool_use_id":"toolu_1"}`,
		"PostToolUse":      `{"agent_id":"a-1","agent_type":"Explore","tool_name":"Agent","tool_use_id":"toolu_1","tool_response":{"agentId":"a-2"},"duration_ms":12}`,
		"Stop":             `{"stop_hook_active":true,"last_assistant_message":"done"}`,
		"StopFailure":      `{"error":"rate_limit","error_details":"429","last_assistant_message":"do"}`,
		"SubagentStop":     `{"agent_id":"a-1","agent_type":"Explore","agent_transcript_path":"/t/a-1.jsonl","last_assistant_message":"looked","stop_hook_active":false}`,
		"PreCompact":       `{"trigger":"auto","custom_instructions":null}`,
		"PostCompact":      `{"trigger":"auto","compact_summary":"all of it"}`,
		"SessionEnd":       `{"reason":"clear"}`,
	} {
		wantMembers(t, event, filepath.Join(out, event), want)
		wantMembers(t, event, filepath.Join(out, event), `{"session_id":"s-1","transcript_path":"/t/s-1.jsonl","cwd":`+string(mustEncode(t, s.Dir()))+`,"hook_event_name":"`+event+`"}`)
	}
}

// wantMembers compares members of the object in a file.
func wantMembers(t *testing.T, event, file, want string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%s: the hook did not run: %v", event, err)
		return
	}
	for name, value := range wire.Object(want).Members() {
		if got := wire.Object(text).Get(name); string(got) != string(value) {
			t.Errorf("%s: %s is %s, want %s", event, name, got, value)
		}
	}
}
