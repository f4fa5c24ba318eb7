package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// TestFireJSONHasTheDocumentedMembers compares the document of fire --json with the documented
// members: none is missing, and there are no others.
func TestFireJSONHasTheDocumentedMembers(t *testing.T) {
	document := fireJSON(t, "llxprt.BeforeTool", ".llxprt")
	for _, of := range []struct {
		what string
		got  any
		want []string
	}{
		{"the document", document, []string{"event", "blocked", "stop", "reason", "result", "processed", "effects", "hooks"}},
		{"result", document["result"], []string{"success", "finalOutput", "allOutputs", "errors", "totalDuration"}},
		{"processed", document["processed"], []string{"shouldStop", "stopReason", "systemMessage", "suppressOutput"}},
		{"effects", document["effects"], []string{
			"isBlocking", "shouldStop", "effectiveReason", "blockingError", "additionalContext", "modifiedToolInput",
			"syntheticResponse", "modifiedResponse", "modifiedRequest", "toolSelection", "clearContext", "askUser", "decision", "toolResponse",
		}},
		{"a hook", document["hooks"].([]any)[0], []string{
			"id", "type", "command", "name", "source", "file", "outcome", "exitCode", "success", "stdout", "stderr", "truncated",
			"output", "error", "durationMs",
		}},
	} {
		slices.Sort(of.want)
		if diff := cmp.Diff(of.want, namesOf(of.got)); diff != "" {
			t.Errorf("%s has other members than documented (-want +got):\n%s", of.what, diff)
		}
	}
}

// TestEffectsOfClaudeHaveTheDocumentedMembers compares the effects of a fire with the observables in
// conformance/claude/FORMAT.md: none is missing, and there are no others.
func TestEffectsOfClaudeHaveTheDocumentedMembers(t *testing.T) {
	want := []string{
		"permissionDecision", "permissionBehavior", "decision", "reason", "updatedInput", "updatedPermissions", "interrupt",
		"additionalContext", "systemMessages", "continue", "stopReason", "errors", "model_sees", "user_sees", "promptErased",
		"suppressOriginalPrompt", "sessionTitle", "initialUserMessage", "watchPaths", "reloadSkills", "updatedToolOutput",
		"displayContent", "worktreePath", "retry", "elicitation", "terminalSequence", "spilled", "classifierContext", "lifted",
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, namesOf(fireJSON(t, "claude.PreToolUse", ".claude")["effects"])); diff != "" {
		t.Errorf("effects have other members than documented (-want +got):\n%s", diff)
	}
}

func fireJSON(t *testing.T, event, folder string) map[string]any {
	dir := t.TempDir()
	_, name, _ := strings.Cut(event, ".")
	testkit.WriteFile(t, filepath.Join(dir, folder, "settings.json"),
		`{"tools": {"enableHooks": true}, "hooks": {"`+name+`": [{"hooks": [{"type": "command", "command": "true"}]}]}}`, 0o644)
	cmd := exec.Command("snaphook", "fire", event, "--json", "--trusted", "--dir", dir) // testscript.Main put snaphook on PATH
	cmd.Env = append(os.Environ(), "HOME="+dir)
	cmd.Stdin = strings.NewReader(`{"tool_name": "t", "tool_input": {}}`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(out, &document); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return document
}

func namesOf(object any) (names []string) {
	for name := range object.(map[string]any) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
