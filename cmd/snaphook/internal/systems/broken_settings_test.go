package systems

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// breakable is a settings file of a system; broken files are made from its parts.
type breakable struct {
	name, profile string
	of            *Dialect
	file          string // below the home directory, if it begins with ~/
	other         string // another file of the system below the home directory, and its text
	otherText     string

	event, misspelt string
	text            string // has the placeholders EVENT, and ENTRY for more members of a hook
	toml            bool
}

const (
	grouped = `{"hooks": {"EVENT": [{"hooks": [{"type": "command", "command": "true"ENTRY}]}]}}`
	flat    = `{"version": 1, "hooks": {"EVENT": [{"command": "true"ENTRY}]}}`
)

var breakables = []breakable{
	{
		name: "codex", of: &codexRow, file: ".codex/hooks.json", other: ".codex/hooks.json", otherText: strings.Replace(grouped, "EVENT", "Stop", 1),
		event: "PreToolUse", misspelt: "preToolUse", text: grouped,
	},
	{
		name: "codex in TOML", of: &codexRow, file: ".codex/config.toml", other: ".codex/hooks.json", otherText: strings.Replace(grouped, "EVENT", "Stop", 1),
		event: "PreToolUse", misspelt: "preToolUse", toml: true,
		text: "[[hooks.EVENT]]\n[[hooks.EVENT.hooks]]\ntype = 'command'\ncommand = 'true'\nENTRY",
	},
	{
		name: "copilot", of: &copilotRow, file: ".github/hooks/a.json", other: ".copilot/hooks/b.json", otherText: strings.Replace(flat, "EVENT", "agentStop", 1),
		event: "preToolUse", misspelt: "pre_tool_use", text: flat,
	},
	{
		name: "copilot inline", of: &copilotRow, file: ".github/copilot/settings.json", other: ".copilot/hooks/b.json",
		otherText: strings.Replace(flat, "EVENT", "agentStop", 1), event: "preToolUse", misspelt: "pre_tool_use", text: flat,
	},
	{
		name: "vscode", of: &copilotRow, profile: "vscode", file: ".github/hooks/a.json", other: ".copilot/hooks/b.json",
		otherText: strings.Replace(flat, "EVENT", "Stop", 1), event: "preToolUse", misspelt: "pre_tool_use", text: flat,
	},
	{
		name: "cursor", of: &cursorRow, file: ".cursor/hooks.json", other: ".cursor/hooks.json", otherText: strings.Replace(flat, "EVENT", "stop", 1),
		event: "preToolUse", misspelt: "PreToolUse", text: flat,
	},
	{
		name: "qwen", of: &claudeRow, profile: "qwen", file: ".qwen/settings.json", other: ".qwen/settings.json",
		otherText: strings.Replace(grouped, "EVENT", "Stop", 1), event: "PreToolUse", misspelt: "preToolUse", text: grouped,
	},
	{
		name: "goose", of: &claudeRow, profile: "goose", file: ".agents/plugins/p/hooks/hooks.json", other: ".agents/plugins/q/hooks/hooks.json",
		otherText: strings.Replace(grouped, "EVENT", "Stop", 1), event: "PreToolUse", misspelt: "preToolUse", text: grouped,
	},
	{
		name: "devin", of: &claudeRow, profile: "devin", file: ".devin/config.json", other: ".config/devin/config.json",
		otherText: strings.Replace(grouped, "EVENT", "Stop", 1), event: "PreToolUse", misspelt: "preToolUse", text: grouped,
	},
	{
		name: "kimi", of: &claudeRow, profile: "kimi", file: "~/.kimi-code/config.toml", event: "PreToolUse", misspelt: "preToolUse",
		text: "[[hooks]]\nevent = 'EVENT'\ncommand = 'true'\nENTRY", toml: true,
	},
}

// kindOfBreak is a way in which a settings file is broken.
type kindOfBreak struct {
	name    string
	text    func(b *breakable) string // "": the system has no such text
	says    func(b *breakable) string // part of a problem
	nowhere bool                      // the problem has no line
	useless bool                      // no hook of the file runs: its events block under a closed policy
}

func says(text string) func(*breakable) string { return func(*breakable) string { return text } }

// made returns the text of a file with a hook of an event; entry holds further members of the hook.
func (b *breakable) made(event, entry string) string {
	return strings.NewReplacer("EVENT", event, "ENTRY", entry).Replace(b.text)
}

func (b *breakable) entry(name, value string) string {
	if b.toml {
		return fmt.Sprintf("%s = %s\n", name, value)
	}
	return fmt.Sprintf(", %q: %s", name, value)
}

func inJSON(text string) func(*breakable) string {
	return func(b *breakable) string { return lo.Ternary(b.toml, "", text) }
}

func inTOML(text string) func(*breakable) string {
	return func(b *breakable) string { return lo.Ternary(b.toml, text, "") }
}

var kindsOfBreak = []kindOfBreak{
	{name: "empty", text: inJSON(" "), says: says("the file is empty"), useless: true},
	{name: "an array", text: inJSON("[]"), says: says("got an array, want an object"), useless: true},
	{name: "null", text: inJSON("null"), says: says("got null, want an object"), useless: true},
	{name: "cut off", text: func(b *breakable) string { return b.made(b.event, "")[:len(b.made(b.event, ""))-6] }, says: func(b *breakable) string {
		return lo.Ternary(b.toml, "not TOML", "is not closed")
	}, useless: true},
	{name: "nested deep", text: inJSON(`{"hooks": ` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "}"), says: says("nested deeper"), useless: true},
	{name: "nested deep in TOML", text: inTOML("a = " + strings.Repeat("[", 10000) + strings.Repeat("]", 10000)), says: says("nested deeper"), useless: true},
	{name: "10 MB", text: func(b *breakable) string {
		// made only when it is needed: other tests measure memory
		return inJSON(`{"hooks": {}, "x": "` + strings.Repeat("a", 10<<20) + `"}`)(b)
	}, says: says("longer than 1 MiB; shorten it"), nowhere: true, useless: true},
	{name: "10 MB of TOML", text: func(b *breakable) string {
		return inTOML("x = '" + strings.Repeat("a", 10<<20) + "'\n")(b)
	}, says: says("longer than 1 MiB; shorten it"), nowhere: true, useless: true},
	{name: "UTF-16", text: says("\xff\xfe[\x00]\x00"), says: says("not UTF-8|not TOML"), useless: true},
	{name: "hooks that are a list", text: inJSON(`{"hooks": []}`), says: says("got an array, want an object whose members are events"), useless: true},
	{name: "hooks that are a number in TOML", text: inTOML("hooks = 7\n"), says: says("got a number, want "), useless: true},
	{name: "an unknown event", text: func(b *breakable) string { return b.made("WhenEver", "") }, says: says("no event \"WhenEver\"")},
	{name: "an event in another spelling", text: func(b *breakable) string { return b.made(b.misspelt, "") }, says: func(b *breakable) string {
		return lo.Ternary(b.name == "kimi", "no event \"preToolUse\"", `"`+b.event+`"`)
	}},
	{name: "an unknown member", text: func(b *breakable) string { return b.made(b.event, b.entry("timout", "3")) }, says: func(b *breakable) string {
		return lo.Ternary(b.name == "kimi", "no member \"timout\"; write one of", `did you mean "timeout`)
	}},
	{name: "a timeout in words", text: func(b *breakable) string { return b.made(b.event, b.entry("timeout", `"soon"`)) }, says: says("seconds|whole number|a number")},
	{name: "a command that is a number", text: func(b *breakable) string {
		return strings.NewReplacer(`"true"`, "7", `'true'`, "7").Replace(b.made(b.event, ""))
	}, says: says("got a number, want a string|no \"command\"")},
}

// A broken file is reported with the position and a correction, and the other files load. If no hook of the file
// runs, its events block under a closed policy.
func TestBrokenSettingsOfEverySystemAreToldAndBlockWhereClosed(t *testing.T) {
	for i := range breakables {
		b := &breakables[i]
		for _, k := range kindsOfBreak {
			text := k.text(b)
			if text == "" {
				continue
			}
			t.Run(b.name+"/"+k.name, func(t *testing.T) {
				loaded, file := b.load(t, text)
				words := strings.Split(k.says(b), "|")
				told := slices.ContainsFunc(loaded.Problems, func(p settings.Problem) bool {
					return strings.HasSuffix(filepath.ToSlash(p.Position.File), file) && (p.Position.Line > 0) != k.nowhere && !p.Fatal &&
						slices.ContainsFunc(words, func(word string) bool { return strings.Contains(p.Message, word) })
				})
				if !told {
					t.Errorf("problems: %v\nwant %q at a place in %s", loaded.Problems, words, file)
				}
				runs := func(h *hook.Hook) bool {
					return h.Skip == "" && !strings.HasSuffix(filepath.ToSlash(h.Position.File), file)
				}
				if b.other != "" && !slices.ContainsFunc(loaded.Hooks, runs) {
					t.Error("the hook of the other file does not run")
				}
				blocks := func(h *hook.Hook) bool { return h.Type == "file" && h.Skip == hook.Invalid && h.Unusable != "" }
				if got := slices.ContainsFunc(loaded.Hooks, blocks); k.useless && !got {
					t.Error("no hook stands for the file: a closed policy does not block")
				}
			})
		}
	}
}

// A byte order mark is not a mistake.
func TestAByteOrderMarkIsReadOver(t *testing.T) {
	for i := range breakables {
		b := &breakables[i]
		loaded, file := b.load(t, "\ufeff"+b.made(b.event, ""))
		if len(loaded.Problems) > 0 || !slices.ContainsFunc(loaded.Hooks, func(h *hook.Hook) bool {
			return h.Skip == "" && strings.HasSuffix(filepath.ToSlash(h.Position.File), file)
		}) {
			t.Errorf("%s: problems %v", b.name, loaded.Problems)
		}
	}
}

// load writes text to b's file, writes b's other file, and loads the settings of a project. It returns the end of the
// path of b's file as file.
func (b *breakable) load(t *testing.T, text string) (loaded pipeline.Loaded, file string) {
	t.Helper()
	root := t.TempDir()
	dir, home := filepath.Join(root, "project"), filepath.Join(root, "home")
	for name, value := range map[string]string{
		"HOME": home, "SNAPHOOK_ETC": filepath.Join(root, "etc"), "CODEX_HOME": "", "COPILOT_HOME": "", "XDG_CONFIG_HOME": "", "KIMI_CODE_HOME": "",
	} {
		t.Setenv(name, value)
	}
	file = "project/" + b.file
	if below, ofHome := strings.CutPrefix(b.file, "~/"); ofHome {
		file = "home/" + below
	}
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(file, text)
	if b.other != "" {
		put("home/"+b.other, strings.Replace(b.otherText, "ENTRY", "", 1))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	loaded, err := b.of.Load(Origins{Layers: b.of.Discover(dir, b.profile), Profile: b.profile})(t.Context(), pipeline.Workspace{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return loaded, file
}

// The error for a profile that does not exist lists the names of the profiles.
func TestAProfileThatDoesNotExistIsAnErrorWithTheNames(t *testing.T) {
	for _, d := range All {
		err := d.ProfileNamed("zed")
		if err == nil || !strings.Contains(err.Error(), d.Name) || len(d.Profiles) > 0 && !strings.Contains(err.Error(), strings.Join(d.Profiles, ", ")) {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

// If the hooks of a file of Claude Code or LLxprt Code cannot be read at all, the file's events block under a closed
// policy too, unless its hooks are switched off or untrusted.
func TestHooksOfAnotherKindStandForTheFileUnlessItsHooksAreOff(t *testing.T) {
	const list, number, enabled = `{"hooks": []}`, `{"hooks": 7}`, `{"tools": {"enableHooks": true}, "hooks": []}`
	for _, tt := range []struct {
		of         *Dialect
		file, text string
		untrusted  bool
		skip       hook.SkipReason // "": no hook represents the file
	}{
		{of: &claudeRow, file: ".claude/settings.json", text: list, skip: hook.Invalid},
		{of: &claudeRow, file: ".claude/settings.json", text: number, skip: hook.Invalid},
		{of: &claudeRow, file: ".claude/settings.json", text: "[]", skip: hook.Invalid},
		{of: &claudeRow, file: ".claude/settings.json", text: "5", skip: hook.Invalid},
		{of: &claudeRow, file: ".claude/settings.json", text: `{"hooks": null}`},
		{of: &claudeRow, file: ".claude/settings.json", text: `{"hooks": {}}`},
		{of: &claudeRow, file: ".claude/settings.json", text: `{"disableAllHooks": true, "hooks": []}`, skip: hook.Disabled},
		{of: &LLxprt, file: ".llxprt/settings.json", text: enabled, skip: hook.Invalid},
		{of: &LLxprt, file: ".llxprt/settings.json", text: list, skip: hook.Disabled},
		{of: &LLxprt, file: ".llxprt/settings.json", text: "[]", skip: hook.Disabled},
		{of: &LLxprt, file: ".llxprt/settings.json", text: enabled, untrusted: true, skip: hook.Untrusted},
		{of: &LLxprt, file: ".llxprt/settings.json", text: `{"hooks": {}}`},
	} {
		dir := t.TempDir()
		t.Setenv("HOME", filepath.Join(dir, "home"))
		testkit.Write(t, dir, map[string]string{tt.file: tt.text})
		layers := lo.Filter(tt.of.Discover(dir, ""), func(l settings.Layer, _ int) bool { return IsProjects(l.Source) })
		loaded, err := tt.of.Load(Origins{Layers: layers})(t.Context(), pipeline.Workspace{Dir: dir, Untrusted: tt.untrusted})
		if err != nil {
			t.Fatal(err)
		}
		var skip hook.SkipReason
		for _, h := range loaded.Hooks {
			skip = h.Skip
			if h.Type != "file" || (h.Unusable != "") != (h.Skip == hook.Invalid) {
				t.Errorf("%s: %+v", tt.text, h)
			}
		}
		if skip != tt.skip {
			t.Errorf("%s %s: a hook stands for the file with the reason %q, want %q; problems: %v", tt.file, tt.text, skip, tt.skip, loaded.Problems)
		}
	}
}
