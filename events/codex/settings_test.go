package codex_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

func read(t testing.TB, s codex.Settings, at pipeline.Workspace) pipeline.Loaded {
	t.Helper()
	if at.Dir == "" {
		at.Dir = "/project"
	}
	loaded, err := s.Load(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func problems(loaded pipeline.Loaded) string {
	return strings.Join(lo.Map(loaded.Problems, func(p settings.Problem, _ int) string { return p.String() }), "\n")
}

// runnable returns the commands of the hooks that can run.
func runnable(loaded pipeline.Loaded) []string {
	return lo.FilterMap(loaded.Hooks, func(h *hook.Hook, _ int) (string, bool) { return h.Command, h.Skip == "" })
}

// A mistake in a file is reported with its position (rules CX4, CX5 and CX11). The mistake of each row is in the second
// line of the file.
func TestAWrongSettingIsToldAtItsPlace(t *testing.T) {
	const entry = `{"hooks": {"PreToolUse": [{"hooks": [` + "\n"
	for _, tt := range []struct {
		name, text, want string
		lost             bool // the whole file is ignored
	}{
		{"broken JSON", "{\n\"hooks\": oops}", "hooks.json:2:10: ", true},
		{"an array", "{}\n", "", false},
		{"an event beside hooks", "{\"hooks\": {},\n\"Stop\": []}", `hooks.json:2:9: "Stop" stands beside "hooks"`, true},
		{"a member beside hooks", "{\"hooks\": {},\n\"version\": 1}", `hooks.json:2:12: "version" stands beside "hooks"`, true},
		{"hooks that are a list", "{\n\"hooks\": []}", `hooks.json:2:10: got an array, want an object whose members are events`, true},
		{"an event that is an object", "{\"hooks\": {\n\"Stop\": {}}}", `hooks.json:2:9: got an object, want an array of groups`, true},
		{"a group that is text", "{\"hooks\": {\"Stop\": [\n\"x\"]}}", `hooks.json:2:1: got a string, want an object {"matcher"`, true},
		{"a matcher that is a number", "{\"hooks\": {\"Stop\": [{\n\"matcher\": 5, \"hooks\": []}]}}", `hooks.json:2:12: got a number, want a string`, true},
		{"hooks of a group that are an object", "{\"hooks\": {\"Stop\": [{\n\"hooks\": {}}]}}", `hooks.json:2:10: got an object, want an array of hooks`, true},
		{"no type", entry + `{"command": "x"}]}]}}`, `hooks.json:2:1: the hook has no "type"`, true},
		{"a type that Codex lacks", entry + `{"type": "http"}]}]}}`, `hooks.json:2:10: Codex has no hook type "http"; write command or mcp_tool`, true},
		{"no command", entry + `{"type": "command"}]}]}}`, `hooks.json:2:1: the hook has no "command"`, true},
		{"a command that is a list", entry + `{"type": "command", "command": ["x"]}]}]}}`, `hooks.json:2:32: command: got an array, want a string`, true},
		{"half a second", entry + `{"type": "command", "command": "x", "timeout": 0.5}]}]}}`, `hooks.json:2:48: timeout: got a number, want a whole number, such as 30`, true},
		{"a negative time", entry + `{"type": "command", "command": "x", "timeout": -1}]}]}}`, `hooks.json:2:48: timeout: `, true},
		{"async in words", entry + `{"type": "command", "command": "x", "async": "yes"}]}]}}`, `hooks.json:2:46: async: got a string, want true or false`, true},
		{"a null in an input", entry + `{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": [null]}}]}]}}`, `hooks.json:2:59: input: got an object, want an object without null in it`, true},
		{"a blank command", entry + `{"type": "command", "command": " "}]}]}}`, `hooks.json:2:32: the command is blank`, false},
		{"a prompt", entry + `{"type": "prompt", "prompt": "?"}]}]}}`, `hooks.json:2:10: Codex accepts hooks of type "prompt" and runs none`, false},
		{"a blank server", entry + `{"type": "mcp_tool", "server": " ", "tool": "t"}]}]}}`, `hooks.json:2:32: server is blank`, false},
		{"a slip", entry + `{"type": "command", "command": "x", "timout": 3}]}]}}`, `hooks.json:2:47: nothing reads "timout"; did you mean "timeout"?`, false},
		{"look-ahead", "{\"hooks\": {\"PreToolUse\": [{\n\"matcher\": \"^(?!x)\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}", `hooks.json:2:12: `, false},
		{"an unknown event", "{\"hooks\": {\n\"Notification\": []}}", `hooks.json:2:17: there is no event "Notification"`, false},
		{"an event in camel case", "{\"hooks\": {\n\"preToolUse\": []}}", `hooks.json:2:15: "preToolUse" is an event of another system; here it is "PreToolUse"`, false},
		{"an event that is a slip", "{\"hooks\": {\n\"PreToolUses\": []}}", `hooks.json:2:16: there is no event "PreToolUses"; did you mean "PreToolUse"?`, false},
		{"an event twice", "{\"hooks\": {\"Stop\": [],\n\"Stop\": []}}", `hooks.json:2:1: "Stop" is given twice`, false},
		{"broken TOML", "a = 1\n[hooks", "config.toml:2:", true},
		{"a type in TOML", "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'wasm'", `config.toml:3:8: Codex has no hook type "wasm"`, true},
		{"a key of TOML twice", "a = 1\na = 2", "config.toml:2:1: not TOML", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := lo.Ternary(strings.HasPrefix(tt.text, "{"), ".codex/hooks.json", ".codex/config.toml")
			good := layer(hook.User, "user/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "good"}]}]}}`)
			loaded := read(t, codex.Settings{Layers: []settings.Layer{good, layer(hook.Project, file, tt.text)}}, pipeline.Workspace{})
			if got := problems(loaded); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("problems: %s\nwant %s", got, tt.want)
			}
			if ran := runnable(loaded); !slices.Contains(ran, "good") {
				t.Errorf("hooks %q can run; want those of the other file", ran)
			}
			gates := lo.CountBy(loaded.Hooks, func(h *hook.Hook) bool { return h.Type == "file" && h.Unusable != "" })
			if (gates > 0) != tt.lost {
				t.Errorf("%d hooks stand for the file; lost %v", gates, tt.lost)
			}
			if slices.ContainsFunc(loaded.Problems, func(p settings.Problem) bool { return p.Fatal }) {
				t.Error("a problem is fatal; want the other files to load")
			}
		})
	}
}

// Files are found, and their hooks run, in a fixed order (rules CX1, CX2 and CX3).
func TestFilesAreFoundInTheirOrder(t *testing.T) {
	etc, home, dir := t.TempDir(), t.TempDir(), testkit.Dir(t)
	t.Setenv("SNAPHOOK_ETC", etc)
	t.Setenv("HOME", home)
	t.Setenv("CODEX_HOME", "")
	got := lo.Map(codex.Discover(dir), func(l settings.Layer, _ int) string {
		return strings.NewReplacer(etc, "ETC", home, "HOME", dir, "DIR").Replace(filepath.ToSlash(l.File)) + " " + l.Source.String()
	})
	want := []string{
		"ETC/codex/requirements.toml managed", "ETC/codex/hooks.json system", "ETC/codex/config.toml system",
		"HOME/.codex/hooks.json user", "HOME/.codex/config.toml user", "DIR/.codex/hooks.json project", "DIR/.codex/config.toml project",
	}
	if !slices.Equal(got, want) {
		t.Errorf("layers %q\nwant   %q", got, want)
	}
	if err := os.Mkdir(filepath.Join(dir, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CODEX_HOME", filepath.Join(dir, ".codex"))
	if layers := codex.Discover(dir); len(layers) != 5 || layers[4].Source != hook.User {
		t.Errorf("%d layers; want the folder to be read once, as the user's", len(layers))
	}
}

// Switches exclude hooks (rules CX6, CX7, CX8 and CX9).
func TestSwitchesSayWhichHooksRun(t *testing.T) {
	const hooks = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'NAME'\n"
	file := func(source hook.Source, top, tables string) settings.Layer {
		name := lo.Ternary(source == hook.Managed, "requirements.toml", "config.toml")
		return layer(source, "/"+source.String()+"/"+name, top+"\n"+strings.ReplaceAll(hooks, "NAME", source.String())+tables)
	}
	all := func(managed, user, project string) []settings.Layer {
		top, _, _ := strings.Cut(managed, "\n")
		return []settings.Layer{
			file(hook.Managed, top, strings.TrimPrefix(managed, top)), file(hook.SystemWide, "", ""), file(hook.User, "", user), file(hook.Project, "", project),
		}
	}
	const off, on = "[features]\nhooks = false\n", "[features]\nhooks = true\n"
	for name, tt := range map[string]struct {
		layers []settings.Layer
		at     pipeline.Workspace
		want   string
	}{
		"nothing is switched":               {all("", "", ""), pipeline.Workspace{}, "managed system user project"},
		"the user's switch":                 {all("", off, ""), pipeline.Workspace{}, ""},
		"the older name":                    {all("", "[features]\ncodex_hooks = false\n", ""), pipeline.Workspace{}, ""},
		"the project's switch":              {all("", "", off), pipeline.Workspace{}, ""},
		"of a project that is new":          {all("", "", off), pipeline.Workspace{Undecided: true}, "managed system user"},
		"the project switches on again":     {all("", off, on), pipeline.Workspace{}, "managed system user project"},
		"pinned on":                         {all("\n"+on, off, off), pipeline.Workspace{}, "managed system user project"},
		"forced off":                        {all("\n"+off, on, ""), pipeline.Workspace{}, ""},
		"managed hooks only":                {all("allow_managed_hooks_only = true", "", ""), pipeline.Workspace{}, "managed system"},
		"managed only, said by the user":    {all("", "allow_managed_hooks_only = true\n", ""), pipeline.Workspace{}, "managed system user project"},
		"no trust":                          {all("", "", ""), pipeline.Workspace{Untrusted: true}, "managed system user"},
		"one handler of the project is off": {all("", "[hooks.state.\"/project/config.toml:stop:0:0\"]\nenabled = false\n", ""), pipeline.Workspace{}, "managed system user"},
		"managed handlers stay on":          {all("", "[hooks.state.\"/system/config.toml:stop:0:0\"]\nenabled = false\n", ""), pipeline.Workspace{}, "managed system user project"},
		"a state of the project's own":      {all("", "", "[hooks.state.\"/user/config.toml:stop:0:0\"]\nenabled = false\n"), pipeline.Workspace{}, "managed system user project"},
	} {
		t.Run(name, func(t *testing.T) {
			loaded := read(t, codex.Settings{Layers: tt.layers}, tt.at)
			if got := strings.Join(runnable(loaded), " "); got != tt.want || len(loaded.Problems) > 0 {
				t.Errorf("%s can run, problems %s; want %s", got, problems(loaded), tt.want)
			}
		})
	}
}

// The state of a handler belongs to its file, also if a link leads to the project (rule CX9).
func TestAStateCountsThroughLinks(t *testing.T) {
	real := filepath.Join(testkit.Dir(t), "project")
	link := filepath.Join(testkit.Dir(t), "link")
	if err := os.MkdirAll(filepath.Join(real, ".codex"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(".codex", "hooks.json")
	text := []byte(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`)
	if err := os.WriteFile(filepath.Join(real, file), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		opened, written string
		off             bool
	}{{link, real, true}, {real, link, true}, {link, link, true}, {real, real + "2", false}} {
		user := layer(hook.User, "/user/config.toml", "[hooks.state.'"+filepath.Join(tt.written, file)+":stop:0:0']\nenabled = false\n")
		loaded := read(t, codex.Settings{Layers: []settings.Layer{codex.Layer(hook.Project, filepath.Join(tt.opened, file)), user}}, pipeline.Workspace{Dir: tt.opened})
		if off := len(runnable(loaded)) == 0; off != tt.off {
			t.Errorf("opened as %s with a state of %s: off %v", tt.opened, tt.written, off)
		}
	}
}

// The members of an entry have the documented effects (rules CX12, CX13, CX15, CX16, CX17, CX18 and CX39).
func TestAHandlerRunsAsItsEntrySays(t *testing.T) {
	s := project(`{"hooks": {
		"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "a", "timeout": 0, "async": true, "statusMessage": "m"},
			{"type": "mcp_tool", "server": "s", "tool": "t"}]}],
		"Stop": [{"matcher": "[", "hooks": [{"type": "command", "command": "b"}]}],
		"SessionEnd": [{"hooks": [{"type": "command", "command": "c", "timeout": 9, "async": true}, {"type": "mcp_tool", "server": "s", "tool": "t"}]}]}}`)
	s.Environ = []string{"SHELL=/bin/zsh"}
	loaded := read(t, s, pipeline.Workspace{})
	byCommand := lo.KeyBy(loaded.Hooks, func(h *hook.Hook) string { return h.Event + " " + h.Command })
	a, b, c := byCommand["PreToolUse a"], byCommand["Stop b"], byCommand["SessionEnd c"]
	if a.Timeout.Seconds() != 1 || a.Background != hook.Async || a.Status != "m" || !slices.Equal(a.Argv, []string{"/bin/zsh", "-c", "a"}) {
		t.Errorf("timeout %v, background %v, status %q, argv %q", a.Timeout, a.Background, a.Status, a.Argv)
	}
	if !a.Matcher.Match("apply_patch") || a.Matcher.Match("spawn_agent") {
		t.Error("Write does not match apply_patch alone")
	}
	if b.Skip != "" || b.Matcher != nil {
		t.Errorf("a matcher at Stop counts: %s", b.SkipDetail)
	}
	if c.Timeout.Seconds() != 3 || c.Background != hook.Foreground {
		t.Errorf("timeout %v, background %v; want three seconds, and to be waited for", c.Timeout, c.Background)
	}
	for _, want := range []string{"the timeout of a hook of SessionEnd can be at most 3s", "async has no effect at SessionEnd", "SessionEnd runs no tools"} {
		if !strings.Contains(problems(loaded), want) {
			t.Errorf("problems: %s\nwant %s", problems(loaded), want)
		}
	}
}

func FuzzSettings(f *testing.F) {
	f.Add(`{"hooks": {"PreToolUse": [{"matcher": "a", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}`, false)
	f.Add("[features]\nhooks = false\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'x'\n[hooks.state.\"a:stop:0:0\"]\nenabled = false", true)
	f.Add(`{"hooks": {"SessionEnd": [{"hooks": [{"type": "mcp_tool", "server": "a", "tool": "b", "input": {}}, null]}]}}`, false)
	f.Fuzz(func(t *testing.T, text string, isTOML bool) {
		file := lo.Ternary(isTOML, "config.toml", "hooks.json")
		loaded := read(t, codex.Settings{Layers: []settings.Layer{layer(hook.User, "/u/"+file, text), layer(hook.Managed, "/m/"+file, text)}}, pipeline.Workspace{})
		ids := map[string]bool{}
		for _, h := range loaded.Hooks {
			if ids[h.ID] {
				t.Errorf("two hooks have the id %s", h.ID)
			}
			if ids[h.ID] = true; h.Skip == "" && h.Runner == nil || h.Skip != "" && h.SkipDetail == "" {
				t.Errorf("%s: skip %q for %q, runner %v", h.ID, h.Skip, h.SkipDetail, h.Runner)
			}
		}
	})
}
