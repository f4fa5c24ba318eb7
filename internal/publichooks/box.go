package publichooks

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// box is a copy of a project, which is restored after each call.
type box struct {
	t         *testing.T
	from, dir string
	was       map[string]fs.FileInfo
}

// Limits of the copy of a project.
const (
	mostFiles = 4000
	mostSize  = 1 << 20
)

func newBox(t *testing.T, from string) *box {
	b := &box{t: t, from: from, dir: testkit.Outlived(t), was: map[string]fs.FileInfo{}}
	_ = filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		if err != nil || entry.Name() == ".git" || len(b.was) > mostFiles {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() && info.Mode().IsRegular() && info.Size() < mostSize {
			b.restore(name)
		}
		return nil
	})
	return b
}

// restore writes a file with the content that the repository has.
func (b *box) restore(name string) {
	text, err := os.ReadFile(filepath.Join(b.from, name))
	info, wrong := os.Stat(filepath.Join(b.from, name))
	if err != nil || wrong != nil {
		b.t.Fatal(err, wrong)
	}
	to := filepath.Join(b.dir, name)
	_ = os.MkdirAll(filepath.Dir(to), 0o755)
	if err := os.WriteFile(to, text, 0o600); err != nil {
		b.t.Fatal(err)
	}
	_ = os.Chmod(to, info.Mode().Perm()|0o600)
	if b.was[name], err = os.Lstat(to); err != nil {
		b.t.Fatal(err)
	}
}

// unchanged reports whether a file is the same as before: neither replaced nor written, and with the same mode.
func unchanged(was, now fs.FileInfo) bool {
	return os.SameFile(was, now) && was.ModTime().Equal(now.ModTime()) &&
		was.Size() == now.Size() && was.Mode() == now.Mode()
}

// leaves runs a call, returns its output and the files that it changed, and undoes the changes.
func (b *box) leaves(c hook.Runner, call hook.Call) testkit.Left {
	l := testkit.Leaves(c, hook.Call{Dir: call.Dir, Hook: call.Hook, Timeout: call.Timeout, Payload: call.Payload})
	l.Files = map[string]string{}
	there := map[string]bool{}
	_ = filepath.WalkDir(b.dir, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(b.dir, path)
		if err != nil || entry.IsDir() || strings.Contains(name, "__pycache__") {
			return nil
		}
		there[name] = true
		info, err := entry.Info()
		if was := b.was[name]; err != nil || was != nil && unchanged(was, info) {
			return nil
		}
		text, _ := os.ReadFile(path)
		l.Files[name] = fmt.Sprint(info.Mode(), " ", string(text))
		return nil
	})
	for name := range b.was {
		if !there[name] {
			l.Files[name] = "is gone"
		}
	}
	for name := range l.Files {
		if _, had := b.was[name]; had {
			_ = os.Remove(filepath.Join(b.dir, name))
			b.restore(name)
			continue
		}
		// remove the file, and the folders that are then empty
		for path := filepath.Join(b.dir, name); path != b.dir; path = filepath.Dir(path) {
			if os.Remove(path) != nil {
				break
			}
		}
	}
	return l
}

// payloads returns payloads that an event may have; the last is cut off.
func payloads(event, dir string) (all []string) {
	const bash, write, edit = `{"command":"rm -rf build && git push --force","description":"d"}`, `{"file_path":"DIR/.env","content":"API_KEY=sk-123\n"}`,
		`{"file_path":"DIR/README.md","old_string":"a","new_string":"b","path":"DIR/README.md"}`
	var parts []string
	switch event {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied":
		const after = `,"tool_use_id":"toolu_1","tool_response":{"stdout":"done","success":true},"error":"no"`
		parts = []string{`"tool_name":"Bash","tool_input":` + bash + after, `"tool_name":"Write","tool_input":` + write + after, `"tool_name":"Edit","tool_input":` + edit + after}
	case "BeforeTool", "AfterTool":
		const after = `,"tool_response":{"llmContent":"done","returnDisplay":"done"}`
		parts = []string{`"tool_name":"run_shell_command","tool_input":` + bash + after, `"tool_name":"write_file","tool_input":` + write + after}
	case "UserPromptSubmit", "BeforeAgent", "AfterAgent":
		parts = []string{`"prompt":"Implement a plan that fixes the failing tests of the API","prompt_response":"done"`, `"prompt":"/help"`}
	case "SessionStart", "SessionEnd", "Setup":
		parts = []string{`"source":"startup","reason":"exit","model":"m","trigger":"init"`, `"source":"resume","reason":"clear"`}
	default:
		parts = []string{`"stop_hook_active":false,"message":"waiting for your input","trigger":"manual","agent_id":"a","agent_type":"Explore","last_assistant_message":"done"`,
			`"stop_hook_active":true,"trigger":"auto","message":"permission"`}
	}
	for _, part := range parts {
		text := `{"session_id":"5f0c3b1e","transcript_path":"DIR/transcript.jsonl","cwd":"DIR","permission_mode":"default","hook_event_name":` + strconv.Quote(event) + `,` + part + "}\n"
		all = append(all, strings.ReplaceAll(text, "DIR", dir))
	}
	return append(all, all[0][:40])
}
