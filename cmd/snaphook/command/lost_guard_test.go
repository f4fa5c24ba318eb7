package command

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
)

// guarded is a project of one hook system with one guard, which lets the call pass.
type guarded struct {
	folder, event, switchOff string
	args                     []string
	headless                 bool // trust does not cover the bytes of scripts
}

var guardedSystems = map[string]guarded{
	"llxprt":                {".llxprt", "BeforeTool", `"hooksConfig": {"disabled": ["g"]}`, []string{"--interactive"}, false},
	"gemini":                {".gemini", "BeforeTool", `"hooksConfig": {"disabled": ["g"]}`, nil, false},
	"claude":                {".claude", "PreToolUse", `"disableAllHooks": true`, []string{"--interactive"}, false},
	"claude without a user": {".claude", "PreToolUse", `"disableAllHooks": true`, nil, true},
}

// settings returns settings with a guard, changed by pairs of old and new text.
func (g guarded) settings(pairs ...string) string {
	entry := `{"type": "command", "name": "g", "command": "./guard.sh"@}`
	if g.folder == ".claude" {
		entry = `{"type": "command", "command": "./guard.sh"@}`
	}
	text := `{"tools": {"enableHooks": true}, "hooks": {"EVENT": [{"matcher": "^write_", "hooks": [` + entry + `]}]}}`
	if g.folder == ".claude" {
		text = strings.Replace(text, `"tools": {"enableHooks": true}, `, "", 1)
	}
	return strings.NewReplacer(append(pairs, "EVENT", g.event, "@", "")...).Replace(text)
}

// lostGuardChange is a way in which the project in dir, with its settings in file, loses its guard.
type lostGuardChange struct {
	name     string
	do       func(t *testing.T, g guarded, dir, file string)
	passes   bool // the guard still works after the change
	inScript bool // only bytes and permissions of the script change
	only     string
}

// lostGuardChanges lists the ways in which a project loses its guard.
func lostGuardChanges() []lostGuardChange {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	settings := func(text func(g guarded) string) func(*testing.T, guarded, string, string) {
		return func(t *testing.T, g guarded, _, file string) { write(t, file, text(g)) }
	}
	with := func(pairs ...string) func(*testing.T, guarded, string, string) {
		return settings(func(g guarded) string { return g.settings(pairs...) })
	}
	is := func(text string) func(*testing.T, guarded, string, string) {
		return settings(func(guarded) string { return text })
	}
	overlay := func(text string) func(*testing.T, guarded, string, string) {
		return func(t *testing.T, _ guarded, dir, _ string) { write(t, filepath.Join(dir, policy.FileName), text) }
	}
	script := func(text string) func(*testing.T, guarded, string, string) {
		return func(t *testing.T, _ guarded, dir, _ string) { write(t, filepath.Join(dir, "guard.sh"), text) }
	}
	entry := func(more string) func(*testing.T, guarded, string, string) {
		return with("@", ", "+more)
	}
	return []lostGuardChange{
		{name: "no change", do: func(*testing.T, guarded, string, string) {}, passes: true},
		{name: "white space", do: settings(func(g guarded) string { return g.settings() + "\n\n" }), passes: true},
		{name: "off by its switch", do: settings(func(g guarded) string {
			return strings.Replace(g.settings(), "{", "{"+g.switchOff+", ", 1)
		})},
		{name: "enableHooks false", do: with(`"enableHooks": true`, `"enableHooks": false`), only: ".llxprt .gemini"},
		{name: "another matcher", do: with("^write_", "^read_")},
		{name: "an invalid matcher", do: with("^write_", "^write_(")},
		{name: "a longer matcher", do: with("^write_", "^write_files_")},
		{name: "the event in lower case", do: settings(func(g guarded) string { return g.settings("EVENT", strings.ToLower(g.event)) })},
		{name: "the event with a hyphen", do: settings(func(g guarded) string { return g.settings("EVENT", g.event[:3]+"-"+g.event[3:]) })},
		{name: "another event", do: settings(func(g guarded) string {
			return g.settings("EVENT", map[string]string{"BeforeTool": "AfterTool", "PreToolUse": "PostToolUse"}[g.event])
		})},
		{name: "an unknown event", do: with("EVENT", "Nothing")},
		{name: "no hooks", do: is(`{"hooks": {}, "tools": {"enableHooks": true}}`)},
		{name: "hooks null", do: is(`{"hooks": null}`)},
		{name: "hooks a list", do: is(`{"hooks": []}`)},
		{name: "an empty object", do: is(`{}`)},
		{name: "an empty file", do: is("")},
		{name: "white space alone", do: is(" \n")},
		{name: "null", do: is("null")},
		{name: "broken JSON", do: is(`{"hooks": {"PreToolUse": [`)},
		{name: "a BOM before nothing", do: is("\ufeff{}")},
		{name: "a BOM", do: settings(func(g guarded) string { return "\ufeff" + g.settings("^write_", "^read_") })},
		{name: "UTF-16", do: is("\xff\xfe{\x00}\x00")},
		{name: "hooks twice", do: settings(func(g guarded) string {
			text := g.settings()
			return text[:len(text)-1] + `, "hooks": {}}`
		})},
		{name: "the event twice", do: settings(func(g guarded) string {
			return strings.Replace(g.settings(), `]}]}}`, `]}], "`+g.event+`": []}}`, 1)
		})},
		{name: "no settings", do: func(t *testing.T, _ guarded, _, file string) { must(t, os.Remove(file)) }},
		{name: "no folder", do: func(t *testing.T, _ guarded, _, file string) { must(t, os.RemoveAll(filepath.Dir(file))) }},
		{name: "a file for a folder", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.RemoveAll(filepath.Dir(file)))
			write(t, filepath.Dir(file), "")
		}},
		{name: "a folder for settings", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o755))
		}},
		{name: "settings of another name", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.Rename(file, filepath.Join(filepath.Dir(file), "settings.bak.json")))
		}},
		{name: "settings of the user for the project", only: ".claude", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.Rename(file, filepath.Join(filepath.Dir(file), "settings.local.json")))
		}, inScript: true}, // the guard still exists
		{name: "a link to an empty object", do: func(t *testing.T, _ guarded, dir, file string) {
			write(t, filepath.Join(dir, "other.json"), "{}")
			must(t, os.Remove(file))
			must(t, os.Symlink(filepath.Join(dir, "other.json"), file))
		}},
		{name: "a link to nothing", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.Remove(file))
			must(t, os.Symlink("nothing.json", file))
		}},
		{name: "a link to /dev/null", do: func(t *testing.T, _ guarded, _, file string) {
			must(t, os.Remove(file))
			must(t, os.Symlink("/dev/null", file))
		}},
		{name: "the other profile beside it", only: ".gemini", do: func(t *testing.T, _ guarded, dir, _ string) {
			write(t, filepath.Join(dir, ".llxprt", "settings.json"), `{"hooks": {"AfterTool": []}}`)
		}},
		{name: "the other profile with hooks", only: ".gemini", do: func(t *testing.T, _ guarded, dir, _ string) {
			write(t, filepath.Join(dir, ".llxprt", "settings.json"),
				`{"tools": {"enableHooks": true}, "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
		}},
		{name: "in the background", do: entry(`"async": true`), only: ".claude"},
		{name: "a condition", do: entry(`"if": "Bash(nothing)"`), only: ".claude"},
		{name: "another type", do: with(`"type": "command"`, `"type": "prompt"`)},
		{name: "no type", do: with(`"type": "command", `, "")},
		{name: "an unknown type", do: with(`"type": "command"`, `"type": "script"`)},
		{name: "another command", do: with("./guard.sh", "true")},
		{name: "another command under its name", do: with("./guard.sh", "true #")},
		{name: "no command", do: with(`"./guard.sh"`, `""`)},
		{name: "a timeout of nothing", do: entry(`"timeout": 0.001`), inScript: true},
		{name: "the script is gone", do: func(t *testing.T, _ guarded, dir, _ string) {
			must(t, os.Remove(filepath.Join(dir, "guard.sh")))
		}, inScript: true},
		{name: "the script has another name", do: func(t *testing.T, _ guarded, dir, _ string) {
			must(t, os.Rename(filepath.Join(dir, "guard.sh"), filepath.Join(dir, "Guard.sh")))
		}, inScript: true},
		{name: "the script may not run", do: func(t *testing.T, _ guarded, dir, _ string) {
			must(t, os.Chmod(filepath.Join(dir, "guard.sh"), 0o644))
		}, inScript: true},
		{name: "the script lets all pass", do: script("#!/bin/sh\nexit 0 # \n"), inScript: true},
		{name: "the script is empty", do: script(""), inScript: true},
		{name: "the script is a link", do: func(t *testing.T, _ guarded, dir, _ string) {
			must(t, os.Remove(filepath.Join(dir, "guard.sh")))
			must(t, os.Symlink("/bin/true", filepath.Join(dir, "guard.sh")))
		}, inScript: true},
		{name: "overlay off", do: overlay(`{"hooks": [{"mode": "off"}]}`)},
		{name: "overlay off for its command", do: overlay(`{"hooks": [{"match": {"command": "*guard*"}, "mode": "off"}]}`)},
		{name: "overlay shadow", do: overlay(`{"hooks": [{"mode": "shadow"}]}`)},
		{name: "overlay open", do: overlay(`{"hooks": [{"onFailure": "open"}]}`), inScript: true},
		{name: "overlay broken", do: overlay(`{"hooks": [`)},
		{name: "overlay and settings", do: func(t *testing.T, g guarded, dir, file string) {
			write(t, filepath.Join(dir, policy.FileName), `{"hooks": [{"mode": "off"}]}`)
			write(t, file, g.settings("^write_", "^read_"))
		}},
	}
}

// After a grant no change removes a guard in silence: the call is denied, or the fire decides nothing and its error
// names the file. Without a user Claude Code does not ask for trust, and the bytes of scripts may change; even then a
// guard that is no longer in the plan is reported.
func TestNoChangeAfterAGrantLosesAGuard(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the guard is a script of sh")
	}
	policies := map[string]string{
		"no policy": "", "closed by the user": `{"defaults": {"gates": {"onFailure": "closed"}}}`,
		"open by the user": `{"defaults": {"gates": {"onFailure": "open"}}}`,
	}
	const call = `{"tool_name": "write_file", "tool_input": {}}`
	tried := 0
	for system, g := range guardedSystems {
		for policyName, userPolicy := range policies {
			for _, change := range lostGuardChanges() {
				if change.only != "" && !strings.Contains(change.only, g.folder) {
					continue
				}
				tried++
				dir, home := t.TempDir(), t.TempDir()
				t.Setenv("HOME", home)
				t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
				t.Setenv("LLXPRT_SYSTEM_SETTINGS_PATH", filepath.Join(home, "none.json"))
				file := filepath.Join(dir, g.folder, "settings.json")
				for path, text := range map[string]string{
					file:                           g.settings(),
					filepath.Join(dir, "guard.sh"): "#!/bin/sh\nexit 0\n",
					filepath.Join(home, ".config", "snaphook", "config.json"): userPolicy,
				} {
					if text == "" {
						continue
					}
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				if status, said := executed(t, "", "trust", "grant", "--dir", dir); status != 0 {
					t.Fatalf("%s: %s", system, said)
				}
				dialect := map[string]string{".claude": "claude."}[g.folder]
				if dialect == "" {
					dialect = "llxprt."
				}
				fire := append([]string{"fire", dialect + g.event, "--dir", dir}, g.args...)
				change.do(t, g, dir, file)
				status, said := executed(t, call, fire...)
				mayPass := change.passes || g.headless && change.inScript
				if status == 0 && !mayPass {
					t.Errorf("%s, %s, %s: the call goes ahead: %s", system, policyName, change.name, said)
				}
				if status != 0 && change.passes {
					t.Errorf("%s, %s, %s: the call is denied: %s", system, policyName, change.name, said)
				}
				if status == 1 && !strings.Contains(said, "/") {
					t.Errorf("%s, %s, %s: the error names no file: %s", system, policyName, change.name, said)
				}
			}
		}
	}
	t.Logf("%d combinations", tried)
}

// If the default for gates is onFailure closed, every failure at every gate blocks. Without this default, Copilot
// blocks after most failures, but goes ahead after a timeout and after an answer that cannot be used.
func TestADefaultThatClosesGatesClosesEveryFailure(t *testing.T) {
	overlay, problems := policy.Parse(policy.User, ".snaphook.json", []byte(`{"defaults": {"gates": {"onFailure": "closed"}}}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	set, problems := policy.Source{Overlays: []policy.Overlay{*overlay}}.Load(t.TempDir(), false)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	gates := 0
	for name, event := range pipeline.PolicyEvents() {
		if !event.Gate {
			continue
		}
		gates++
		dialect, bare, _ := strings.Cut(name, ".")
		for _, closed := range []bool{false, true} {
			h := &hook.Hook{
				Identity:  hook.Identity{Dialect: dialect, Event: bare, Source: hook.User},
				Execution: hook.Execution{FailClosed: closed},
			}
			for class, action := range set.Effective(h, event).OnFailure {
				if action != hook.FailClosed {
					t.Errorf("%s, an entry that fails closed %v: failures of class %s are %s", name, closed, class, action)
				}
			}
		}
	}
	if gates < 20 {
		t.Errorf("%d gates were looked at", gates)
	}
}
