package claude_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

func TestLoadLeavesTheCallersLayersInOrder(t *testing.T) {
	given := []settings.Layer{{Source: hook.Managed, Data: []byte("{}")}, {Source: hook.User, Data: []byte("{}")}}
	if _, err := (claude.Settings{Layers: given}).Load(t.Context(), pipeline.Workspace{Dir: "/p"}); err != nil {
		t.Fatal(err)
	}
	if given[0].Source != hook.Managed || given[1].Source != hook.User {
		t.Errorf("got %v, want them as they were", given)
	}
}

func TestRulesOfARelativeFileCountFromItsDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	loaded, err := claude.Settings{Layers: []settings.Layer{{Source: hook.Flag, File: "flag.json", Data: []byte(
		`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "if": "Write(/docs/**)"}]}]}}`)}}}.Load(t.Context(), pipeline.Workspace{Dir: "/p"})
	if err != nil || len(loaded.Hooks) != 1 {
		t.Fatalf("got %v, %v; want a hook", loaded.Hooks, err)
	}
	input := wire.Object(nil).With("file_path", wire.Quote(dir+"/docs/a.md"))
	if !loaded.Hooks[0].Condition.Holds(hook.ConditionInput{Tool: "Write", Input: input, Dir: "/p"}) {
		t.Error("the rule does not hold for a file below the directory of the settings")
	}
}

func TestWhatIsTakenForHooksAndIsNoneIsAProblem(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                                   `f.json:1:1: got an array, want an object {"hooks": {…}}`,
		`{"PreToolUse": []}`:                   `f.json:1:16: "PreToolUse" stands beside "hooks", where nothing reads it; write {"hooks": {"PreToolUse": …}}`,
		`{"model": "x"}`:                       "",
		`{"hook": {"PreToolUse": []}}`:         `f.json:1:10: nothing reads "hook", which has hooks of PreToolUse; write "hooks"`,
		`{"hooks": {}, "Hooks": {"Stop": []}}`: `f.json:1:24: nothing reads "Hooks", which has hooks of Stop; write "hooks"`,
		`{"hook": {"a": {"PreToolUse": []}}}`:  "",
		``:                                     `f.json:1:1: the file is empty, and may be half written; write {} to set nothing, or remove it`,
	} {
		loaded, err := claude.Settings{Layers: []settings.Layer{{Source: hook.Project, File: "f.json", Data: []byte(text)}}}.Load(t.Context(), pipeline.Workspace{Dir: "/p"})
		got := ""
		for _, p := range loaded.Problems {
			got += p.String()
		}
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
}
