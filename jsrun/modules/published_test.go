package modules_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/wire"
)

// conversation is a session with two entries.
type conversation struct{ xcsh.NoSession }

func (conversation) Entries() []xcsh.Entry {
	return []xcsh.Entry{
		{Object: wire.Object(`{"type":"message","id":"u1","parentId":null,"message":{"role":"user","content":"tidy up"}}`)},
		{Object: wire.Object(`{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","content":[{"type":"thinking"},{"type":"text","text":"Moved the parser into a package of its own\nand more"}]}}`)},
	}
}

func (c conversation) LeafEntry() (xcsh.Entry, bool) { return c.Entries()[1], true }

// published loads a module of testdata that is written like published ones.
func published(t *testing.T, name string, dir string) *host {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	h := opened(t, xcsh.Config{Dir: dir, Session: conversation{}}, &modules.Loader{Exec: (*xcsh.API).Exec})
	h.load(t, path)
	return h
}

// repository creates a git repository with one commit.
func repository(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull,
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"} {
		t.Setenv(name, value)
	}
	dir = t.TempDir()
	git(t, dir, "init", "-q")
	save(t, dir, "one")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func save(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestGitCheckpoint(t *testing.T) {
	dir := repository(t)
	h := published(t, "git-checkpoint.ts", dir)
	save(t, dir, "two")
	_, _ = xcsh.ToolResult.Fire(t.Context(), h.Modules, &xcsh.ToolResultEvent{ToolName: "edit"})
	xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{Timestamp: 1})
	git(t, dir, "checkout", "-q", "a.txt")
	h.choice = "Yes, restore code to that point"
	if r, err := xcsh.SessionBeforeBranch.Fire(t.Context(), h.Modules, &xcsh.SessionBeforeBranchEvent{EntryID: "a1"}); r != nil || err != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "two" {
		t.Errorf("restored %q, %v", text, err)
	}
	h.heard(t, "select: Restore code state? [Yes, restore code to that point No, keep current code]", "notify: info Code restored to checkpoint")
}

func TestProtectedPaths(t *testing.T) {
	h := published(t, "protected-paths.ts", "")
	for _, test := range []struct{ tool, input, want string }{
		{"write", `{"path":"src/a.ts"}`, ""}, {"bash", `{"path":".env"}`, ""},
		{"edit", `{"path":"/p/.env"}`, `Path "/p/.env" is protected by .env`},
		{"write", `{}`, "cannot read property 'includes' of undefined"}, // fails closed
	} {
		err := h.run(t.Context(), test.tool, test.input)
		if (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%s %s: %v, want %q", test.tool, test.input, err, test.want)
		}
	}
	h.heard(t, `ran: write {"path":"src/a.ts"}`, `ran: bash {"path":".env"}`, "notify: warning Blocked write to protected path: /p/.env")
}

func TestPathGuard(t *testing.T) {
	h := published(t, "path-guard.ts", "/srv/project")
	for _, test := range []struct{ tool, input, want string }{
		{"read", `{"path":"src/../a.ts"}`, ""},
		{"read", `{"path":"./src/../../other/a.ts"}`, "/srv/other/a.ts is not in the project"},
		{"read", `{"path":"config/.env.local"}`, ".env.local is a secret"},
		{"read", `{"path":"file:///srv/project/%2eenv"}`, ".env is a secret"},
		{"fetch", `{"url":"https://docs.example.org/a"}`, ""},
		{"fetch", `{"url":"https://docs.example.org@evil.example/a"}`, "evil.example is not a known host"},
		{"fetch", `{"url":"http://0x7f.1/"}`, "127.0.0.1 is not a known host"},
		{"fetch", `{"url":"nowhere"}`, "Invalid URL"}, // fails closed
		{"bash", `{"command":"ls"}`, ""},
	} {
		err := h.run(t.Context(), test.tool, test.input)
		if (err == nil) != (test.want == "") || err != nil && err.Error() != test.want {
			t.Errorf("%s %s: %v, want %q", test.tool, test.input, err, test.want)
		}
	}
}

func TestTheDirectoryOfAModuleIsThatOfTheSession(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "hook.ts", `import { resolve } from "node:path";
		export default (pi: any) => pi.on("tool_call", (e: any, ctx: any) => ({ block: true, reason: String(process.cwd() === ctx.cwd && resolve("a") === resolve(ctx.cwd, "a")) }));`)
	if err := h.run(t.Context(), "bash", "{}"); err == nil || err.Error() != "true" {
		t.Errorf("got %v", err)
	}
}

func TestAGateThatNeedsTheEnvironmentBlocksAndSaysWhere(t *testing.T) {
	h := published(t, "env-gate.ts", "")
	err := h.run(t.Context(), "bash", `{"command":"ls"}`)
	const want = "env-gate.ts:6:7: process.env is not available: a module has no environment"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	h.heard(t) // the tool did not run
}

func TestConfirmDestructive(t *testing.T) {
	h := published(t, "confirm-destructive.ts", "")
	for _, yes := range []bool{true, false} {
		h.yes = yes
		for _, reason := range []string{"new", "resume"} {
			r, err := xcsh.SessionBeforeSwitch.Fire(t.Context(), h.Modules, &xcsh.SessionBeforeSwitchEvent{Reason: reason})
			if err != nil || (r != nil && r.Cancel) == yes {
				t.Errorf("%v, %s: %+v, %v", yes, reason, r, err)
			}
		}
	}
	r, err := xcsh.SessionBeforeBranch.Fire(t.Context(), h.Modules, &xcsh.SessionBeforeBranchEvent{EntryID: "0123456789"})
	if err != nil || r == nil || !r.Cancel {
		t.Errorf("a user who chooses nothing: %+v, %v", r, err)
	}
	const newSession = "confirm: Clear session?, This will delete all messages in the current session."
	const other = "confirm: Switch session?, You have messages in the current session. Switch anyway?"
	h.heard(t, newSession, other, newSession, "notify: info Clear cancelled", other, "notify: info Switch cancelled",
		"select: Branch from entry 01234567? [Yes, create branch No, stay in current session]", "notify: info Branch cancelled")
}

func TestAutoCommitOnExit(t *testing.T) {
	dir := repository(t)
	h := published(t, "auto-commit-on-exit.ts", dir)
	xcsh.SessionShutdown.Fire(t.Context(), h.Modules, &xcsh.SessionShutdownEvent{})
	h.heard(t) // there is nothing to commit
	save(t, dir, "two")
	xcsh.SessionShutdown.Fire(t.Context(), h.Modules, &xcsh.SessionShutdownEvent{})
	const want = "[pi] Moved the parser into a package of its own"
	if got := git(t, dir, "log", "-1", "--format=%s"); got != want {
		t.Errorf("committed %q, want %q", got, want)
	}
	h.heard(t, "notify: info Auto-committed: "+want)
}

func TestStatusLine(t *testing.T) {
	h := published(t, "status-line.ts", "")
	xcsh.SessionStart.Fire(t.Context(), h.Modules, &xcsh.SessionStartEvent{})
	xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{})
	xcsh.TurnEnd.Fire(t.Context(), h.Modules, &xcsh.TurnEndEvent{})
	xcsh.SessionSwitch.Fire(t.Context(), h.Modules, &xcsh.SessionSwitchEvent{Reason: "new"})
	h.heard(t, "status: status-demo=<dim>○<dim> Ready", "status: status-demo=<accent>●<dim> Turn 1...",
		"status: status-demo=<success>✓<dim> Turn 1 complete", "status: status-demo")
}

func TestNotifyOnEnd(t *testing.T) {
	h := published(t, "notify-on-end.ts", "")
	h.Initialize(xcsh.Host{UI: h, Model: func() xcsh.Model { return xcsh.Model{Object: wire.Object(`{"id":"m-1"}`)} }})
	messages := []xcsh.Message{
		{Object: wire.Object(`{"role":"assistant","usage":{"totalTokens":40}}`)}, {Object: wire.Object(`{"role":"toolResult"}`)},
		{Object: wire.Object(`{"role":"assistant","usage":{"totalTokens":2}}`)},
	}
	xcsh.AgentEnd.Fire(t.Context(), h.Modules, &xcsh.AgentEndEvent{Messages: messages})
	h.heard(t, "DEBUG: agent done tokens=42 model=m-1", "notify:  Done: 2 answers, 1 tools, 42 tokens")
}

func TestModulesThatNeedWhatIsNotThereDoNotLoad(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	for name, want := range map[string]string{
		"file-trigger.ts":      "Failed to load hook: file-trigger.ts:1:21: node:fs is not available: a module has no file system, processes or network of its own; use what the host's API object offers, such as exec",
		"custom-compaction.ts": "Failed to load hook: custom-compaction.ts:1:10: complete of @mariozechner/pi-ai is not available: only the part of it",
		"foreign-export.ts":    `Failed to load hook: foreign-export.ts:1:24: compact of @mariozechner/pi-coding-agent is not available: only the part of it`,
		"host-package.ts":      "Failed to load hook: pi.pi is not available: the host offers modules no package of its own",
		"nowhere.ts":           "Failed to load hook: Could not resolve",
	} {
		path, _ := filepath.Abs(filepath.Join("testdata", name))
		errs := h.Load(context.Background(), []string{path}, "")
		if len(errs) != 1 || !strings.HasPrefix(errs[0].Err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", name, errs, want)
		}
	}
	if infos := h.Infos(); len(infos) > 0 {
		t.Errorf("loaded %+v", infos)
	}
}
