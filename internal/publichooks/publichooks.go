// Package publichooks compares cold and warm calls of published hooks, which are not part of this repository:
// SNAPHOOK_HOOKS names a folder of copies of their repositories. The hooks are foreign programs: run a test that calls
// Same without a network, as a user who owns nothing; CONTRIBUTING.md has the command. Only tests import the package.
package publichooks

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// Kept is a command that starts cold, and the same command kept warm.
type Kept struct {
	Cold, Warm hook.Runner

	Ran  func() uint64 // returns the number of warm calls
	Next func()        // waits until the next call can be warm; may be nil
	Idle func()        // waits until nothing starts in the background; may be nil
}

func (k Kept) next() {
	if k.Next != nil {
		k.Next()
	}
}

func (k Kept) idle() {
	if k.Idle != nil {
		k.Idle()
	}
}

// Keeper returns a command with the given arguments, environment and directory, or a note that says why it stays cold.
// direct is the function run.Direct.
type Keeper struct {
	Keep   func(t *testing.T, argv []string, environ func(hook.Call) []string, dir string) (k Kept, note string)
	Direct func(script string, vars map[string]string) (argv []string, ok bool)
}

// Same fails the test if a hook does not do the same cold and warm. Each script that a settings file names runs cold
// and warm, unless it uses a network or has to stay cold.
func Same(t *testing.T, keeper Keeper) {
	t.Helper()
	root := os.Getenv("SNAPHOOK_HOOKS")
	if root == "" {
		t.Skip("SNAPHOOK_HOOKS names no folder of repositories with hooks")
	}
	count := &count{of: map[string]int{}, from: map[string]bool{}}
	hooks := find(t, root)
	t.Run("hooks", func(t *testing.T) {
		for _, h := range hooks {
			t.Run(h.name(root), func(t *testing.T) {
				t.Parallel()
				if h.same(t, keeper, count) {
					count.repository(h.name(root))
				}
			})
		}
	})
	t.Logf("%5d repositories with hooks that were compared", len(count.from))
	for _, what := range slices.Sorted(maps.Keys(count.of)) {
		t.Logf("%5d %s", count.of[what], what)
	}
	if count.of["calls compared, warm"] == 0 {
		t.Error("no hook ran warm")
	}
}

// count counts the hooks and their calls by result.
type count struct {
	mu   sync.Mutex
	of   map[string]int
	from map[string]bool
}

func (c *count) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[what] += n
}

// repository notes that a hook of a repository was compared.
func (c *count) repository(name string) {
	name, _, _ = strings.Cut(name, "/")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from[name] = true
}

// published is a command of a settings file.
type published struct {
	settings string
	project  string // the folder of the project, plugin or extension
	event    string
	command  string
}

func (h published) name(root string) string {
	repository, _ := filepath.Rel(root, h.settings)
	repository, _, _ = strings.Cut(repository, string(filepath.Separator))
	return repository + "/" + h.event + "/" + strings.Join(strings.Fields(h.command), "_")
}

// settingsFile matches the files that hold hooks, in the folder of a project, of a
// plugin or of an extension.
var settingsFile = regexp.MustCompile(`(?:\.claude|\.gemini|\.llxprt)/settings(?:\.local)?\.json$|/hooks/hooks\.json$`)

// find finds the commands of all settings files, each once for its event.
func find(t *testing.T, root string) (all []published) {
	t.Helper()
	seen := map[published]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "node_modules" {
			return fs.SkipDir
		}
		if entry.IsDir() || !settingsFile.MatchString(filepath.ToSlash(path)) {
			return nil
		}
		text, _ := os.ReadFile(path)
		var file struct {
			Hooks map[string][]struct {
				Hooks []struct {
					Command string   `json:"command"`
					Args    []string `json:"args"`
				} `json:"hooks"`
			} `json:"hooks"`
		}
		if json.Unmarshal(text, &file) != nil { // the file has another form, from which no system runs hooks
			return nil
		}
		for event, groups := range file.Hooks {
			for _, group := range groups {
				for _, one := range group.Hooks {
					h := published{path, filepath.Dir(filepath.Dir(path)), event, strings.Join(append([]string{one.Command}, one.Args...), " ")}
					if one.Command != "" && !seen[h] {
						seen[h] = true
						all = append(all, h)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b published) int {
		return cmp.Or(cmp.Compare(a.settings, b.settings), cmp.Compare(a.event, b.event), cmp.Compare(a.command, b.command))
	})
	return all
}

// scriptIn matches a script in a command, with the arguments after it.
var scriptIn = regexp.MustCompile(`([\w@.+/-]+\.(py|js|cjs|mjs|sh))"?((?: +[\w.=@/:-]+)*)`)

var programs = map[string]string{"py": "python3", "js": "node", "cjs": "node", "mjs": "node", "sh": "bash"}

// argv returns the arguments that run the command's script in a copy of the project. They are the arguments of the
// command as written if it calls the script, or the interpreter of the script, without a shell. Otherwise they are the
// interpreter, the script and the arguments of the script.
func (h published) argv(dir string, keeper Keeper) (argv []string, script, form string) {
	text := h.command
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "extensionPath", "HOME", "PWD"} {
		text = regexp.MustCompile(`\$`+name+`\b|\$\{`+name+`(:-[^}]*)?\}`).ReplaceAllLiteralString(text, dir)
	}
	text = strings.ReplaceAll(text, "~/", dir+"/")
	for _, found := range scriptIn.FindAllStringSubmatch(text, -1) {
		if script = found[1]; !filepath.IsAbs(script) {
			script = filepath.Join(dir, script)
		}
		if info, err := os.Stat(script); err != nil || !info.Mode().IsRegular() {
			continue
		}
		argv, ok := keeper.Direct(text, nil)
		byItself := ok && argv[0] == found[1]
		byProgram := ok && len(argv) > 1 && argv[1] == found[1] && argv[0] == programs[found[2]]
		if byItself || byProgram {
			return argv, script, "as written"
		}
		return append([]string{programs[found[2]], found[1]}, strings.Fields(found[3])...), script, "script of a command that a shell or another program starts"
	}
	return nil, "", ""
}

var lineOf = regexp.MustCompile(`^line \d+: `)

// callsOut finds programs that use a network.
var callsOut = regexp.MustCompile(`urlopen|requests\.(get|post)|http\.client|aiohttp|httpx|create_connection|\bfetch\(|\bhttps?\.(request|get)\(|` +
	`['"](node:)?(https?|net)['"]|\(['"\x60]npx\b|import (openai|anthropic)|from (openai|anthropic)|axios|WebSocket|` +
	`(?m)^[^#"']*\b(curl|wget|npx|bunx|ssh) +[-$"'h]|^ *git (push|fetch|pull|clone)\b|pip3? install|npm (install|i|ci)\b`)

// same runs the hook cold and warm with the payloads of its event. It returns false if no call was compared, or if no
// call was warm.
func (h published) same(t *testing.T, keeper Keeper, count *count) bool {
	b := newBox(t, h.project)
	argv, script, form := h.argv(b.dir, keeper)
	if argv == nil {
		count.add("hooks left out: no script of the repository", 1)
		return false
	}
	if text, _ := os.ReadFile(script); callsOut.Match(text) {
		count.add("hooks left out: the script calls out to a network", 1)
		return false
	}
	count.add("hooks, "+form, 1)
	env := []string{"PATH=/usr/bin:/bin", "HOME=" + b.dir, "LANG=C.UTF-8", "PWD=" + b.dir, "TMPDIR=" + b.dir, "CLAUDE_PROJECT_DIR=" + b.dir,
		"CLAUDE_PLUGIN_ROOT=" + b.dir, "GEMINI_PROJECT_DIR=" + b.dir, "LLXPRT_PROJECT_DIR=" + b.dir, "extensionPath=" + b.dir}
	k, note := keeper.Keep(t, argv, func(hook.Call) []string { return env }, b.dir)
	if note != "" {
		count.add("hooks that stay cold: "+lineOf.ReplaceAllString(note, ""), 1)
		return false
	}
	calls := 0
	for i, payload := range payloads(h.event, b.dir) {
		call := hook.Call{
			Dir: b.dir, Hook: &hook.Hook{Identity: hook.Identity{Event: h.event}},
			Timeout: 10 * time.Second, Payload: []byte(payload),
		}
		want, steady := b.steady(k.Cold, call)
		if !steady || want.left.Err != "" {
			count.add("calls left out: they differ from call to call when cold, or have no end", 1)
			continue
		}
		for range 3 {
			before := k.Ran()
			if i > 0 {
				k.next()
			}
			got := want.as(b.leaves(k.Warm, call))
			if reflect.DeepEqual(got, want.left) {
				calls++
				k.idle()
				continue
			}
			what := fmt.Sprintf("payload %d, warm %v, %q:\nwant %+v\n got %+v", i, k.Ran() > before, argv, want.left, got)
			if again, steady := b.steady(k.Cold, call); steady && reflect.DeepEqual(again.left, want.left) {
				t.Error(what)
				count.add("calls that differ", 1)
			} else { // the output depends on the time or on another state outside of the project
				t.Log("what cold calls leave has changed too: " + what)
				count.add("calls left out: what cold calls leave has changed meanwhile", 1)
			}
			k.idle()
		}
	}
	count.add("calls compared", calls)
	count.add("calls compared, warm", int(k.Ran()))
	if calls > 0 && k.Ran() == 0 {
		count.add("hooks of which no call was warm", 1)
		t.Logf("no call was warm: %q", argv)
	} else if calls > 0 {
		count.add("hooks compared", 1)
	}
	return calls > 0 && k.Ran() > 0
}

// steadily holds the effect that is the same for every cold call.
type steadily struct {
	left   testkit.Left
	masked bool // numbers are removed from left, because they change from call to call
}

func (s steadily) as(l testkit.Left) testkit.Left {
	if !s.masked {
		return l
	}
	mask := func(text string) string { return number.ReplaceAllString(text, "#") }
	l.Stdout, l.Stderr = mask(l.Stdout), mask(l.Stderr)
	files := map[string]string{}
	for name, text := range l.Files {
		files[mask(name)] = mask(text)
	}
	l.Files = files
	return l
}

// number matches a time, a count, a process, or an identifier.
var number = regexp.MustCompile(`[0-9a-f]{7,}|[0-9]+`)

// steady returns the effect of cold calls. It ignores the first call, which may change something
// outside of the project that later calls see.
func (b *box) steady(cold hook.Runner, call hook.Call) (s steadily, ok bool) {
	b.leaves(cold, call)
	one, two := b.leaves(cold, call), b.leaves(cold, call)
	if reflect.DeepEqual(one, two) {
		return steadily{left: two}, true
	}
	s.masked = true
	s.left = s.as(two)
	return s, reflect.DeepEqual(s.as(one), s.left)
}
