package snaphook_test

import (
	"cmp"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/snaphook-go/snaphook"

// arrows lists the packages of this module that a package may import. No package of the engine
// imports a dialect, and no dialect imports another dialect.
var arrows = parseArrows(`
hook:
hooktest: hook wire run stages pipeline
internal/environ: internal/lazyregexp
internal/bounded:
internal/lazyregexp:
internal/scratch: internal/bounded
internal/errorline: internal/lazyregexp
internal/bash: internal/bounded internal/lazyregexp
internal/splice: internal/bash internal/lazyregexp
trust: hook run internal/bash internal/bounded pipeline policy internal/lazyregexp
internal/deep:
internal/processor:
internal/common: hook
wire: hook internal/common
match: hook wire internal/bounded
internal/permission: wire internal/bash internal/bounded internal/lazyregexp
internal/inprocess:
run: hook wire internal/processor internal/bash internal/bounded internal/scratch internal/inprocess internal/lazyregexp
internal/within: hook internal/processor
internal/tomlform: settings
internal/portable:
run/request: hook wire internal/within internal/lazyregexp
run/judge: hook internal/unread internal/within
run/llm: wire run/judge
settings: hook internal/bounded
policy: hook settings internal/environ internal/lazyregexp
state: internal/environ internal/bounded
reducers: hook
jsonform: hook wire
stages: hook wire
internal/unread: wire
pipeline: hook wire internal/processor internal/common internal/errorline internal/unread jsonform stages reducers settings policy state internal/environ internal/bounded internal/scratch
entries: hook settings pipeline
bus: wire jsonform pipeline
record/tracetree: record
record: hook internal/environ internal/bounded pipeline
events/llxprt/genai: wire
events/llxprt: hook wire match run settings internal/environ reducers pipeline entries events/llxprt/genai internal/bounded internal/splice internal/portable internal/lazyregexp
events/claude: hook wire stages internal/common internal/errorline internal/unread match internal/permission run run/request run/judge settings internal/environ pipeline entries internal/bounded internal/splice internal/portable internal/lazyregexp
events/claude/toml: events/claude internal/tomlform
events/codex/door: . hook wire pipeline events/codex events/format
events/format: hook wire internal/common internal/unread
events/codex: hook wire stages match run run/request settings internal/environ internal/bounded internal/tomlform pipeline entries events/format internal/portable
events/copilot/door: . hook wire pipeline events/copilot events/format
events/cursor/door: . hook wire pipeline events/cursor events/format
events/cursor: internal/unread hook wire stages match run run/judge settings internal/environ internal/bounded pipeline entries events/format internal/portable
events/copilot: hook wire stages match run run/request settings internal/environ internal/unread pipeline entries events/format internal/portable internal/lazyregexp
.: hook wire internal/rename pipeline policy record run settings events/claude events/llxprt events/llxprt/genai events/xcsh events/xcsh/discover
events/xcsh: internal/unread hook wire run internal/environ reducers pipeline events/xcsh/discover
events/xcsh/discover: internal/gitignore internal/bounded internal/environ internal/lazyregexp
internal/gitignore: internal/bounded
internal/rename: wire
internal/adapter: . hook wire events/llxprt/genai
internal/adaptertest: .
internal/testkit: hook
internal/publichooks: hook internal/testkit
docs:
record/explain: record wire
internal/tail: internal/bounded
record/tracepage: internal/bounded internal/tail record record/explain record/tracetree
internal/transporttest: bus events/llxprt hook pipeline wire
`)

// parseArrows reads lines with a package and the packages that it may import; "." is the root.
func parseArrows(text string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		all[name] = strings.Fields(imports)
	}
	return all
}

// libraries lists the libraries that an embedder downloads; DESIGN.md has the reason for each.
var libraries = []string{
	"github.com/bmatcuk/doublestar/v4",
	"github.com/dlclark/regexp2/v2",
	"github.com/go-json-experiment/json",
	"github.com/gofrs/flock",
	"github.com/google/renameio/v2",
	"github.com/pelletier/go-toml/v2",
	"github.com/samber/lo",
	"github.com/sourcegraph/conc",
	"github.com/tailscale/hujson",
	"golang.org/x/sync",
	"golang.org/x/sys",
	"golang.org/x/text",
	"mvdan.cc/sh/v3",
}

func TestImportsPointAtWords(t *testing.T) {
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		path, imports, _ := strings.Cut(line, " ")
		name := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), ".")
		if strings.HasPrefix(name, "examples/") {
			continue // examples may import any package
		}
		allowed, known := arrows[name]
		if !known && name != "bench" && name != "internal/faults" && name != "internal/foreign" {
			t.Errorf("package %s is new: say here what it may import", name)
		}
		for imported := range strings.FieldsSeq(imports) {
			ours, is := strings.CutPrefix(imported, module)
			if ours = cmp.Or(strings.TrimPrefix(ours, "/"), "."); is && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s", name, ours)
			}
		}
	}
}

// testPackages lists the packages that only tests import.
var testPackages = []string{"hooktest", "internal/testkit", "internal/publichooks", "internal/transporttest"}

// testLibraries lists the libraries of hooktest, which only tests import. hooktest is a package of this module and not
// a separate module: this module's tests use it too, and go mod tidy cannot handle modules that need each other. An
// embedder downloads only the libraries that its build links, and therefore none of the libraries of tests.
var testLibraries = []string{"pgregory.net/rapid"}

func TestEmbeddersDownloadFewLibraries(t *testing.T) {
	linked := map[string]bool{}
	for _, line := range goList(t, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...") {
		path, imports, _ := strings.Cut(line, " ")
		for _, name := range testPackages {
			ours := strings.TrimPrefix(path, module+"/")
			if slices.Contains(strings.Fields(imports), module+"/"+name) && !slices.Contains(testPackages, ours) {
				t.Errorf("%s imports %s: only tests may", path, name)
			}
		}
	}
	for _, path := range goList(t, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./...") {
		if path != "" && path != module && !slices.Contains(testLibraries, path) {
			linked[path] = true
		}
	}
	for path := range linked {
		if !slices.Contains(libraries, path) {
			t.Errorf("the core links %s, which is not on the list", path)
		}
	}
	for _, path := range libraries {
		if !linked[path] {
			t.Errorf("the core does not link %s any more: take it off the list", path)
		}
	}
}

// Package hook imports only the standard library.
func TestWordsDependOnNothing(t *testing.T) {
	for _, path := range goList(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./hook") {
		if path != "" && path != module+"/hook" {
			t.Errorf("hook depends on %s", path)
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// Only programs that use Codex or Kimi Code link the TOML parser.
func TestOnlyThoseWhoNeedTOMLLinkIt(t *testing.T) {
	for _, path := range goList(t, "-deps", "-f", "{{.ImportPath}}", ".", "./events/claude", "./events/llxprt", "./events/xcsh") {
		if strings.Contains(path, "go-toml") || path == module+"/events/codex" {
			t.Errorf("a host without Codex links %s", path)
		}
	}
}
