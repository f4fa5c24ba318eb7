package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/codex"
	"github.com/snaphook-go/snaphook/events/copilot"
	"github.com/snaphook-go/snaphook/events/cursor"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/portable"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// programs lists the programs that the corpus finds in PATH, independent of the machine.
var programs = strings.Fields(`
	bash sh env cat jq git curl npx uvx pipx pwsh python3 node gofmt grep date wc sha256sum touch tee`)

func programPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hooksOf loads the settings of a project as the dialects do.
func hooksOf(t *testing.T, dir string) (hooks []*hook.Hook) {
	t.Helper()
	load := func(l pipeline.Load) {
		loaded, err := l(t.Context(), pipeline.Workspace{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, loaded.Hooks...)
	}
	layer := func(file string) []settings.Layer {
		return []settings.Layer{{Name: "project", Source: hook.Project, File: filepath.Join(dir, file)}}
	}
	load(claude.Settings{Layers: layer(".claude/settings.json")}.Load)
	load(llxprt.Settings{Layers: layer(".llxprt/settings.json")}.Load)
	load(llxprt.Settings{Layers: layer(".gemini/settings.json"), Profile: llxprt.Gemini}.Load)
	load(codex.Settings{Layers: layer(".codex/hooks.json")}.Load)
	load(copilot.Settings{Layers: layer(".github/hooks/own.json")}.Load)
	load(cursor.Settings{Layers: layer(".cursor/hooks.json")}.Load)
	return hooks
}

// systems returns the hook systems that the command line knows.
func systems() []portable.System {
	return slices.Concat(claude.Portable(), codex.Portable(), copilot.Portable(), cursor.Portable(), llxprt.Portable())
}

// corpusCase is one mistake of the corpus, and the same project without it.
type corpusCase struct {
	name       string
	bad, clean map[string]string // text by path
	tools      []string
	mode       func(side, path string) os.FileMode
}

func corpusCases(t *testing.T, file string) (cases []*corpusCase) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		side, path, _ := strings.Cut(rest, "/")
		c, found := lo.Find(cases, func(c *corpusCase) bool { return c.name == name })
		if !found {
			c = newCase(name, string(archive.Comment))
			cases = append(cases, c)
		}
		text := strings.ReplaceAll(string(f.Data), `\r`+"\n", "\r\n")
		if side == "bad" || side == "both" {
			c.bad[path] = text
		}
		if side == "clean" || side == "both" {
			c.clean[path] = text
		}
	}
	return cases
}

// newCase reads the lines about a case: "NAME tools: a b", "NAME mode: PATH 0644 in bad".
func newCase(name, comment string) *corpusCase {
	c := &corpusCase{name: name, bad: map[string]string{}, clean: map[string]string{}}
	c.mode = func(string, string) os.FileMode { return 0o755 }
	for line := range strings.Lines(comment) {
		if rest, ok := strings.CutPrefix(line, name+" tools: "); ok {
			c.tools = strings.Fields(rest)
		}
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), name+" mode: "); ok {
			rest, only, _ := strings.Cut(rest, " in ")
			at := strings.LastIndexByte(rest, ' ')
			mode, _ := strconv.ParseUint(rest[at+1:], 8, 32)
			c.mode = func(side, path string) os.FileMode {
				if path == rest[:at] && (only == "" || only == side) {
					return os.FileMode(mode)
				}
				return 0o755
			}
		}
	}
	return c
}

func (c *corpusCase) write(t *testing.T, side string, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for path, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode(side, path)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (c *corpusCase) check(t *testing.T, dir, path string) []Finding {
	t.Helper()
	modules, err := filepath.Glob(filepath.Join(dir, ".xcsh", "hooks", "*.ts"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, ".*", "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	return Check(t.Context(), Options{Dir: dir, Hooks: hooksOf(t, dir), Files: files, Path: path, Tools: Tools{"": c.tools}, Modules: modules, Systems: systems()})
}

func listed(found []Finding) string {
	return strings.Join(lo.Map(found, func(f Finding, _ int) string {
		return fmt.Sprintf("\n%s: %s: %s [%s] (%s)", f.Position, f.Severity, f.Message, f.ID, f.Fix)
	}), "")
}

// TestEveryMistakeIsFoundAndItsTwinIsNot reads testdata/corpus, which has a file for each rule except the policy rules.
// Each case of a file is a project with a mistake, and the same project without the mistake.
func TestEveryMistakeIsFoundAndItsTwinIsNot(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	path, mistakes := programPath(t), 0
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, c := range corpusCases(t, file) {
			mistakes++
			t.Run(id+"/"+c.name, func(t *testing.T) {
				other := func(f Finding, _ int) bool {
					return f.ID != id && !(slices.Contains([]string{"warm-would-help", "cold-script", "script-relative", "answer-elsewhere"}, f.ID) && f.Severity == Note)
				}
				found := c.check(t, c.write(t, "bad", c.bad), path)
				if !slices.ContainsFunc(found, func(f Finding) bool { return f.ID == id }) {
					t.Errorf("the mistake is not found; found:%s", listed(found))
				}
				if more := lo.Filter(found, other); len(more) > 0 {
					t.Errorf("beside the mistake was found:%s", listed(more))
				}
				clean := c.check(t, c.write(t, "clean", c.clean), path)
				if wrong := lo.Filter(clean, func(f Finding, i int) bool {
					return f.ID == id && (f.Severity != Note || id != "answer-elsewhere") || other(f, i)
				}); len(wrong) > 0 {
					t.Errorf("without the mistake was found:%s", listed(wrong))
				}
			})
		}
		if !known(id) {
			t.Errorf("%s: there is no rule of that name", file)
		}
	}
	if mistakes < 60 {
		t.Errorf("the corpus has %d mistakes, want 60", mistakes)
	}
	t.Logf("%d mistakes", mistakes)
	for _, r := range rules {
		if !slices.Contains(files, filepath.Join("testdata", "corpus", r.ID+".txtar")) && !strings.HasPrefix(r.ID, "policy-") {
			t.Errorf("the corpus has nothing for %s", r.ID)
		}
	}
}
