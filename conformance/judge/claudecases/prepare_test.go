package claudecases

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/samber/lo"
)

func TestPrepareMakesTheWorldOfACase(t *testing.T) {
	p := mustParse(t, `"scripts": {"a.sh": "#!/bin/bash\necho {{DIR}}\n", "bin/b": ""}`).Prepare(t, "")
	if whole, err := filepath.EvalSymlinks(p.Dir); err != nil || whole != p.Dir {
		t.Errorf("the project %s is a link to %s, error %v", p.Dir, whole, err)
	}
	if below, err := filepath.Rel(p.Dir, p.Home); err != nil || filepath.IsLocal(below) {
		t.Errorf("the home %s is in the project %s", p.Home, p.Dir)
	}
	for name, mode := range map[string]os.FileMode{"a.sh": 0o755, "bin/b": 0o755, "transcript.jsonl": 0o644, ".claude/settings.json": 0o644} {
		info, err := os.Stat(filepath.Join(p.Dir, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: got %v, error %v; want mode %v", name, info, err, mode)
		}
	}
	if got, want := mustRead(t, p.path("a.sh")), "#!/bin/bash\necho "+p.Dir+"\n"; got != want {
		t.Errorf("a.sh holds %q, want %q", got, want)
	}
	if got := mustRead(t, p.Transcript); got != "" {
		t.Errorf("the transcript holds %q", got)
	}
}

func TestSettingsAreWrittenAsTheyAreSpelled(t *testing.T) {
	p := mustParse(t, `"settings": {"z": 1.50, "a": [12345678901234567890, "{{DIR}}"], "{{DIR}}": "oops"}`).Prepare(t, "")
	want := `{"z":1.50,"a":[12345678901234567890,"DIR"],"DIR":"oops"}`
	if got := strings.ReplaceAll(mustRead(t, p.path(".claude/settings.json")), p.Dir, "DIR"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(p.LayerFiles) != 1 || p.LayerFiles[0].Name != "project" || string(p.LayerFiles[0].Data) != mustRead(t, p.LayerFiles[0].File) {
		t.Errorf("got layers %v, want the project's alone", p.LayerFiles)
	}
}

func TestLayersHaveFilesOfTheirOwn(t *testing.T) {
	p := mustParse(t, `"layers": {"user": {"n": "user"}, "project": {"n": "project"}, "managed": {"n": "managed"}, "flag": {"n": "flag"}, "local": {"n": "local"}}`).Prepare(t, "")
	for i, name := range []string{"managed", "flag", "local", "project", "user"} {
		l := p.LayerFiles[i]
		if want := `{"n":"` + name + `"}`; l.Name != name || string(l.Data) != want || mustRead(t, l.File) != want {
			t.Errorf("got %s: %s in %s, want %s: %s", l.Name, l.Data, l.File, name, want)
		}
		inside := strings.HasPrefix(l.File, p.Dir+"/") || strings.HasPrefix(l.File, p.Home+"/")
		if inside != (i >= 2) {
			t.Errorf("%s is written to %s", name, l.File)
		}
	}
	for _, file := range []string{p.path(".claude/settings.json"), p.path(".claude/settings.local.json"), p.Home + "/.claude/settings.json"} {
		mustRead(t, file)
	}
}

func TestOnlyPluginsThatAreThereAreWritten(t *testing.T) {
	p := mustParse(t, `"scripts": {"plugins/p1/h.sh": ""}, "plugins": [
		{"name": "p1", "marketplace": "mk", "root": "{{DIR}}/plugins/p1", "hooks": {"hooks": {"n": 1.0}}, "options": {"k": "v 1"}},
		{"name": "gone", "root": "{{DIR}}/plugins/gone", "hooks": {"hooks": {}}}]`).Prepare(t, "")
	here := p.Plugins[0]
	if here.Root != p.path("plugins/p1") || here.Marketplace != "mk" || here.Options["k"] != "v 1" || string(here.Hooks) != `{"hooks":{"n":1.0}}` {
		t.Errorf("got plugin %+v", here)
	}
	if got := mustRead(t, here.Root+"/hooks/hooks.json"); got != string(here.Hooks) {
		t.Errorf("hooks.json holds %s", got)
	}
	wantContains(t, mustRead(t, here.Root+"/.claude-plugin/plugin.json"), `{"name": "p1"}`)
	if _, err := os.Stat(p.Plugins[1].Root); !os.IsNotExist(err) {
		t.Errorf("the root of a plugin that is gone exists: %v", err)
	}
}

func TestAVariantReplacesWholeKeys(t *testing.T) {
	c := mustParse(t, `"expect": {"ran": ["a"], "blocked": true}, "then": [{"action": "refresh_snapshot"}], "variants": {"new": {"expect": {"ran": ["{{DIR}}"]}}}`)
	if p := c.Prepare(t, ""); p.Level != "" || len(p.Expect) != 2 {
		t.Errorf("got level %q and %v, want the case itself", p.Level, p.Expect)
	}
	p := c.Prepare(t, "new")
	if want := show(map[string]any{"ran": []string{p.Dir}}); p.Level != "new" || show(p.Expect) != want || len(p.Then) != 1 || p.File != "n.json" {
		t.Errorf("got level %q, %s and then %v; want new, %s and the case's", p.Level, show(p.Expect), p.Then, want)
	}
	if _, err := c.prepareIn(t.TempDir(), "newer", p.server); err == nil {
		t.Error("a variant that the case does not have is prepared")
	}
}

func TestPrepareKeepsOutOfOtherFolders(t *testing.T) {
	server := startServer()
	defer server.close()
	for _, name := range []string{"../a.sh", "/a.sh", "{{DIR}}", "sub/../../a.sh"} {
		c := mustParse(t, `"scripts": {"`+name+`": ""}`)
		if _, err := c.prepareIn(t.TempDir(), "", server); err == nil || !strings.Contains(err.Error(), "not below the project") {
			t.Errorf("%s: got error %v, want a refusal", name, err)
		}
	}
	if _, err := (Case{Name: "n"}).prepareIn(t.TempDir(), "", server); err == nil {
		t.Error("a case that was not loaded is prepared")
	}
}

func TestScriptsCanBeStartedWhileOthersAreWritten(t *testing.T) {
	c := mustParse(t, `"scripts": {"a.sh": "#!/bin/bash\n"}`)
	server := startServer()
	defer server.close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				p, err := c.expanded("", "{{DIR}}", "/p")
				if err == nil {
					project := &Prepared{Case: p, Dir: t.TempDir(), scratch: t.TempDir(), Home: t.TempDir()}
					err = project.write()
					if err == nil {
						err = exec.CommandContext(t.Context(), project.path("a.sh")).Run()
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestEnviron(t *testing.T) {
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CLAUDECODE", "XDG_CONFIG_HOME", "HOOK_LOG", "CHANGED", "KEPT"} {
		t.Setenv(name, "outer=1")
	}
	p := mustParse(t, `"env": {"CHANGED": "a b\n$c", "NEW": "{{DIR}}", "EMPTY": "", "CLAUDE_CODE_X": "1"}`).Prepare(t, "")
	got := p.Environ()
	for name, want := range map[string]string{
		"KEPT": "outer=1", "CHANGED": "a b\n$c", "NEW": p.Dir, "EMPTY": "", "CLAUDE_CODE_X": "1",
		"HOME": p.Home, "HOOK_LOG": p.Dir + "/hook.log", "PATH": os.Getenv("PATH"),
	} {
		if !slices.Contains(got, name+"="+want) {
			t.Errorf("%s=%s is missing", name, want)
		}
	}
	names := lo.Map(got, func(pair string, _ int) string { return strings.SplitN(pair, "=", 2)[0] })
	for _, name := range names {
		if name != "CLAUDE_CODE_X" && (strings.HasPrefix(name, "CLAUDE") || name == "XDG_CONFIG_HOME") {
			t.Errorf("%s is set", name)
		}
	}
	if twice := lo.FindDuplicates(names); len(twice) > 0 {
		t.Errorf("%q are there more than once", twice)
	}
}

func TestInputIsLaidOverTheBaseFields(t *testing.T) {
	p := mustParse(t, ``).Prepare(t, "")
	base := `{"session_id":"s-1","transcript_path":"` + p.Transcript + `","cwd":"`
	got, err := p.input("Stop", nil)
	if want := base + p.Dir + `","permission_mode":"default","hook_event_name":"Stop"}`; err != nil || string(got) != want {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
	got, err = p.input("Stop", jsontext.Value(`{"z": 1.50, "cwd": "/other", "a": {"n": 12345678901234567890}}`))
	want := base + `/other","permission_mode":"default","hook_event_name":"Stop","z":1.50,"a":{"n":12345678901234567890}}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, error %v; want %s", got, err, want)
	}
}
