package claude

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/pipeline"
)

var update = flag.Bool("update", false, "write docs/claude-events.md")

// described is a list of the events, written by hand from the sources (rules C52, C35; documentation of release
// 2.1.239). types has the initials of command, http, mcp_tool, prompt and agent. two is the effect of exit status 2:
// the event is blocked or not, and the model, the user or no one is told.
var described = []struct {
	name, subject, types, two string
	timeout                   time.Duration
}{
	{"PreToolUse", "tool_name", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"PostToolUse", "tool_name", "CHMPA", "the model is told", 10 * time.Minute},
	{"PostToolUseFailure", "tool_name", "CHMPA", "the model is told", 10 * time.Minute},
	{"PermissionRequest", "tool_name", "CHMPA", "nothing", 10 * time.Minute},
	{"PermissionDenied", "tool_name", "CHMPA", "nothing", 10 * time.Minute},
	{"SessionStart", "source", "CM", "the user is told", 10 * time.Minute},
	{"Setup", "trigger", "CM", "the user is told", 10 * time.Minute},
	{"SessionEnd", "reason", "CHM", "the user is told", 1500 * time.Millisecond},
	{"UserPromptSubmit", "", "CHMPA", "blocks, the user is told", 10 * time.Minute},
	{"Stop", "", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"StopFailure", "error", "CHM", "nothing", 10 * time.Minute},
	{"SubagentStart", "agent_type", "CHM", "the user is told", 10 * time.Minute},
	{"SubagentStop", "agent_type", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"TeammateIdle", "", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"TaskCreated", "", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"TaskCompleted", "", "CHMPA", "blocks, the model is told", 10 * time.Minute},
	{"FileChanged", "the last element of file_path", "CHM", "the user is told", 10 * time.Minute},
	{"CwdChanged", "", "CHM", "the user is told", 10 * time.Minute},
	{"ConfigChange", "source", "CHM", "blocks, no one sees the reason", 10 * time.Minute},
	{"InstructionsLoaded", "load_reason", "CHM", "nothing", 10 * time.Minute},
	{"PreCompact", "trigger", "CHM", "blocks, the user is told", 10 * time.Minute},
	{"PostCompact", "trigger", "CHM", "the user is told", 10 * time.Minute},
	{"Elicitation", "mcp_server_name", "CHM", "blocks, no one sees the reason", 10 * time.Minute},
	{"ElicitationResult", "mcp_server_name", "CHM", "blocks, no one sees the reason", 10 * time.Minute},
	{"WorktreeCreate", "", "CHM", "blocks, the user is told", 10 * time.Minute},
	{"WorktreeRemove", "", "CHM", "no one sees the reason", 10 * time.Minute},
	{"Notification", "notification_type", "CHM", "nothing", 10 * time.Minute},
	{"UserPromptExpansion", "command_name", "CHMPA", "blocks, the user is told", 10 * time.Minute},
	{"PostToolBatch", "", "CHMPA", "blocks, the user is told", 10 * time.Minute},
	{"MessageDisplay", "", "CHM", "no one sees the reason", 10 * time.Second},
	{"DirectoryAdded", "source", "CHM", "no one sees the reason", 10 * time.Minute},
	{"PreModelSwitch", "to_model", "CHMPA", "blocks, the user is told", 30 * time.Second},
	{"PostModelSwitch", "to_model", "CHMPA", "the user is told", 30 * time.Second},
}

// two describes the effect that an event declares for exit status 2.
func two(t *traits) string {
	who := [...]string{logOnly: "no one sees the reason", model: "the model is told", user: "the user is told"}[t.reason]
	switch {
	case !t.exitTwoDenies:
		return "nothing"
	case t.blocks:
		return "blocks, " + who
	}
	return who
}

func letters(k kinds) (s string) {
	for i, c := range "CHMPA" {
		if k&(1<<i) != 0 {
			s += string(c)
		}
	}
	return s
}

func TestEventsAreDeclaredAsTheSourcesDescribeThem(t *testing.T) {
	events := lo.KeyBy(pipeline.Events(Dialect), func(e pipeline.Declared) string { return e.Info().Name })
	if len(events) != len(described) {
		t.Errorf("declared are %v; want %d events", slices.Sorted(maps.Keys(events)), len(described))
	}
	for _, want := range described {
		t.Run(want.name, func(t *testing.T) {
			if events[want.name] == nil {
				t.Fatal("not declared")
			}
			info, own := events[want.name].Info(), table[want.name]
			if info.Subject != want.subject {
				t.Errorf("matchers test %q; want %q", info.Subject, want.subject)
			}
			if got := letters(own.kinds); got != want.types {
				t.Errorf("types are %s; want %s", got, want.types)
			}
			if got := two(own); got != want.two {
				t.Errorf("exit status 2: %s; want %s", got, want.two)
			}
			if info.Rules.Timeout != want.timeout {
				t.Errorf("the timeout is %v; want %v", info.Rules.Timeout, want.timeout)
			}
			if info.Doc == "" || info.FullName() != "claude."+want.name {
				t.Errorf("name %q, doc %q", info.FullName(), info.Doc)
			}
		})
	}
}

// docs/claude-events.md lists the events as they are declared.
func TestThePageListsTheEvents(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "claude-events.md")
	want := page()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the declarations say; run go test ./events/claude -update\n%s", file, want)
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`# The events of Claude Code

Types of hooks: C command, H http, M mcp_tool, P prompt, A agent. The timeout applies to hooks that
set none; a prompt has 30 seconds and an agent 60. The text on standard error goes to the one named
under exit status 2; at PreCompact the user gets it only if the user asked for the compaction.

| event | fires | matchers test | types | exit status 2 | timeout |
|---|---|---|---|---|---|
`)
	for _, e := range pipeline.Events(Dialect) {
		i := e.Info()
		row := fmt.Sprintf("| %s | %s | %s | %s | %s | %v |", i.Name, i.Doc, i.Subject, letters(table[i.Name].kinds), two(table[i.Name]), i.Rules.Timeout)
		b.WriteString(strings.ReplaceAll(row, "|  |", "| |") + "\n")
	}
	return b.String()
}
