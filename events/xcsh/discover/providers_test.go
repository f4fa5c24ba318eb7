package discover_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/xcsh/discover"
)

// place creates a project, which is a repository, and a home with files.
func place(t *testing.T, files map[string]string) discover.Place {
	t.Helper()
	root := t.TempDir()
	at := discover.Place{Cwd: filepath.Join(root, "proj"), Home: filepath.Join(root, "home"), User: ".xcsh"}
	for _, dir := range []string{at.Home, filepath.Join(at.Cwd, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "$ROOT", root)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func found(t *testing.T, at discover.Place) (lines []string, f discover.Found) {
	t.Helper()
	f = discover.Standard().Discover(t.Context(), at, discover.Options{})
	lines = lo.Map(f.Items, func(i discover.Item, _ int) string {
		rel, err := filepath.Rel(filepath.Dir(at.Cwd), i.Path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join([]string{i.Source.Provider, i.Source.Level, i.Type, i.Tool, filepath.ToSlash(rel)}, " ")
	})
	return lines, f
}

func TestProvidersKnowTheirPlaces(t *testing.T) {
	got, f := found(t, place(t, map[string]string{
		"proj/.xcsh/hooks/pre/bash.v2.ts":      "",
		"proj/.xcsh/hooks/pre/*.ts":            "",
		"proj/.xcsh/hooks/pre/.hidden.ts":      "",
		"proj/.xcsh/hooks/post/b.ts":           "",
		"proj/.xcsh/hooks/post/a.ts":           "",
		"proj/.xcsh/hooks/loose.ts":            "",
		"home/.xcsh/agent/hooks/pre/bash.sh":   "",
		"home/.claude/hooks/pre/edit.sh":       "",
		"home/.claude/hooks/post/edit.py":      "",
		"proj/.claude/hooks/pre/write.bash":    "",
		"home/.codex/hooks/post-bash.ts":       "",
		"proj/.codex/hooks/pre-edit.js":        "",
		"proj/.codex/hooks/plain.js":           "",
		"proj/.codex/hooks/readme.md":          "",
		"proj/plugin/hooks/pre/task.sh":        "",
		"proj/other/hooks/pre/never.sh":        "",
		"home/.claude/plugins/unrelated.json":  "",
		"home/.xcsh/agent/hooks/pre/dir.ts/in": "",
		"home/.claude/plugins/installed_plugins.json": `{"version": 2, "plugins": {
			"a@market": [{"scope": "project", "installPath": "$ROOT/proj/plugin", "projectPath": "$ROOT/proj"}],
			"b@market": [{"scope": "project", "installPath": "$ROOT/proj/other", "projectPath": "$ROOT/elsewhere"}]}}`,
	}))
	want := []string{
		"native project pre * proj/.xcsh/hooks/pre/*.ts",
		"native project pre bash.v2 proj/.xcsh/hooks/pre/bash.v2.ts",
		"native project post a proj/.xcsh/hooks/post/a.ts",
		"native project post b proj/.xcsh/hooks/post/b.ts",
		"native user pre bash home/.xcsh/agent/hooks/pre/bash.sh",
		"claude user pre edit home/.claude/hooks/pre/edit.sh",
		"claude user post edit.py home/.claude/hooks/post/edit.py",
		"claude project pre write proj/.claude/hooks/pre/write.bash",
		"claude-plugins project pre task proj/plugin/hooks/pre/task.sh",
		"codex user post bash home/.codex/hooks/post-bash.ts",
		"codex project pre plain proj/.codex/hooks/plain.js",
		"codex project pre edit proj/.codex/hooks/pre-edit.js",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(f.Warnings) > 0 {
		t.Errorf("warnings: %q", f.Warnings)
	}
}

func TestWhatGitIgnoresIsNotFoundButNative(t *testing.T) {
	got, _ := found(t, place(t, map[string]string{
		"proj/.gitignore":                   "*.local.*\n",
		"proj/.xcsh/hooks/pre/x.local.ts":   "",
		"proj/.claude/hooks/pre/x.local.sh": "",
		"proj/.codex/hooks/pre-x.local.ts":  "",
		"home/.gitignore":                   "*",
		"home/.codex/hooks/pre-home.ts":     "",
	}))
	want := []string{"native project pre x.local proj/.xcsh/hooks/pre/x.local.ts", "codex user pre home home/.codex/hooks/pre-home.ts"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAProjectsItemTakesNoPlaceOfTheUsers(t *testing.T) {
	got, f := found(t, place(t, map[string]string{
		"proj/.xcsh/hooks/pre/bash.ts":       "",
		"home/.xcsh/agent/hooks/pre/bash.ts": "",
		"home/.xcsh/agent/hooks/pre/bash.sh": "",
	}))
	want := []string{
		"native user pre bash home/.xcsh/agent/hooks/pre/bash.ts", "native project pre bash proj/.xcsh/hooks/pre/bash.ts",
		"native user pre bash home/.xcsh/agent/hooks/pre/bash.sh", // a file with another extension is another item
	}
	if !slices.Equal(got, want) || len(f.All) != 3 || len(f.Warnings) != 1 || !strings.HasSuffix(f.Warnings[0], "both run, the user's first") {
		t.Errorf("got %q, warnings %q of %+v", got, f.Warnings, f.All)
	}
}

func TestABrokenListOfPluginsIsAWarning(t *testing.T) {
	got, f := found(t, place(t, map[string]string{
		"home/.claude/plugins/installed_plugins.json": `{"plugins": 3}`,
		"proj/.codex/hooks/a.ts":                      "",
		"proj/.claude/hooks/pre":                      "a file where a folder should be",
	}))
	if len(got) != 1 || len(f.Warnings) != 2 || !strings.HasPrefix(f.Warnings[1], "[Claude Code plugins] Failed to load: ") || !strings.HasPrefix(f.Warnings[0], "[Claude Code] Failed to read directory: ") {
		t.Errorf("got %q, warnings %q", got, f.Warnings)
	}
}

// A guard behind a broken symbolic link is reported as missing.
func TestAFileThatCannotBeReadIsAWarning(t *testing.T) {
	at := place(t, map[string]string{"proj/.codex/hooks/a.ts": ""})
	for _, link := range []string{filepath.Join(at.Cwd, ".codex", "hooks", "b.ts"), filepath.Join(at.Home, ".claude", "hooks", "pre")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink("gone", link)); err != nil {
			t.Fatal(err)
		}
	}
	got, f := found(t, at)
	if said := strings.Join(f.Warnings, "; "); len(got) != 1 || len(f.Warnings) != 2 || !strings.Contains(said, "b.ts") || !strings.Contains(said, "pre") {
		t.Errorf("got %q, warnings %q; want one for each link", got, f.Warnings)
	}
}

func TestOneInstallationOfAPluginNeedsNoList(t *testing.T) {
	got, _ := found(t, place(t, map[string]string{
		"home/.claude/plugins/installed_plugins.json": `{"version": 1, "plugins": {"a@m": {"installPath": "$ROOT/plugin"}}}`,
		"plugin/hooks/post/x.sh":                      "",
	}))
	if !slices.Equal(got, []string{"claude-plugins user post x plugin/hooks/post/x.sh"}) {
		t.Errorf("got %q", got)
	}
}

func TestProvidersAreAskedAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(id string, after time.Duration, err error) discover.Provider {
			return discover.Provider{ID: id, Load: func(context.Context, discover.Place) ([]discover.Item, []string, error) {
				time.Sleep(after)
				if id == "panics" {
					panic("lost")
				}
				return []discover.Item{{Type: "pre", Tool: "t", Name: id, Path: "/" + id, Source: discover.Source{Provider: id}}, {Name: "nobody's"}}, nil, err
			}}
		}
		start := time.Now()
		r := discover.Registry{Providers: []discover.Provider{slow("a", 3*time.Second, nil), slow("b", time.Second, nil), slow("c", 2*time.Second, errors.New("disk")), slow("panics", 0, nil)}}
		f := r.Discover(t.Context(), discover.Place{}, discover.Options{})
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v, want the 3s of the slowest", took)
		}
		want := []string{
			"[a] Item missing _source metadata, skipping", "[b] Item missing _source metadata, skipping", "[c] Failed to load: disk", "[panics] Failed to load: panic: lost",
		}
		if !slices.Equal(f.Warnings, want) || !slices.Equal(f.Providers, []string{"a", "b"}) {
			t.Errorf("warnings %q from %q, want %q", f.Warnings, f.Providers, want)
		}
	})
}
