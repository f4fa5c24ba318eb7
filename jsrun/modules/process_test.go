package modules_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

func inNode(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(jsrun.Node); err != nil {
		t.Skip("node is not installed")
	}
}

// A crash blocks the call in progress. At the next call the module runs again: with each of its
// handlers and commands once, and with new state.
func TestAGateWhoseProcessHasEndedBlocksAndIsStartedAgain(t *testing.T) {
	inNode(t)
	h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Node})
	h.written(t, "gate.ts", `import fs from "node:fs";
		let calls = 0;
		export default (pi: any) => {
			pi.on("turn_start", () => pi.logger.debug("turn " + fs.existsSync("/")));
			pi.on("tool_call", (e: any) => {
				if (e.toolName === "crash") process.exit(1);
				calls++;
				return e.toolName === "stop" ? { block: true, reason: "call " + calls } : undefined;
			});
			pi.registerCommand("count", { handler: async () => pi.logger.debug("count " + calls) });
		};`)
	for range 2 {
		if err := h.run(t.Context(), "stop", `{}`); err == nil || !strings.HasPrefix(err.Error(), "call ") {
			t.Errorf("got %v", err)
		}
	}
	h.born(t)
	err := h.run(t.Context(), "crash", `{}`)
	if err == nil || !strings.HasPrefix(err.Error(), "gate.ts: the module is dead: the process of node has ended, exit status 1") {
		t.Errorf("got %v", err)
	}
	testkit.Eventually(t, "the module runs again", func() bool {
		err := h.run(t.Context(), "stop", `{}`)
		if err == nil || err.Error() != "call 1" && !strings.Contains(err.Error(), "it starts again in ") {
			t.Fatalf("got %v", err)
		}
		return err.Error() == "call 1"
	})
	xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{})
	h.Slash(t.Context(), "/count")
	h.heard(t, "DEBUG: turn true", "DEBUG: count 1")
	if infos := h.Infos(); len(infos) != 1 || infos[0].Events["tool_call"] != 1 || !slices.Equal(infos[0].Commands, []string{"count"}) || infos[0].Runtime != jsrun.Node {
		t.Errorf("got %+v", infos)
	}
}

// born checks that the module works at the beginning of a life.
func (h *host) born(t *testing.T) {
	t.Helper()
	xcsh.TurnStart.Fire(t.Context(), h.Modules, &xcsh.TurnStartEvent{})
	h.heard(t, "DEBUG: turn true")
}

// A module whose process ends at once is restarted at growing intervals.
func TestAModuleThatEndsAgainAndAgainIsStartedLessAndLess(t *testing.T) {
	inNode(t)
	h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Node})
	h.written(t, "gate.ts", `export default (pi: any) => pi.on("tool_call", () => process.exit(1));`)
	starts, waits := 0, 0
	for deadline := time.Now().Add(time.Minute); waits == 0 && time.Now().Before(deadline); {
		err := h.run(t.Context(), "bash", `{}`)
		switch {
		case err == nil:
			t.Fatal("the tool ran")
		case strings.Contains(err.Error(), "it starts again in "):
			waits++
		default:
			starts++
		}
	}
	if starts > 12 || waits == 0 {
		t.Errorf("%d starts, and %d calls that had to wait", starts, waits)
	}
	h.heard(t)
}

// With the runtime auto, the modules that the sandbox refuses run in a process, and the others run in the sandbox.
func TestModulesThatNeedMoreRunInAProcess(t *testing.T) {
	inNode(t)
	h := opened(t, xcsh.Config{Session: conversation{}}, &modules.Loader{Runtime: jsrun.Auto, Exec: (*xcsh.API).Exec})
	where := map[string]string{}
	for _, name := range []string{"file-trigger.ts", "custom-compaction.ts", "protected-paths.ts", "status-line.ts"} {
		path, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		h.load(t, path)
		info := h.Infos()[len(where)]
		where[name] = info.Runtime + ": " + info.RuntimeReason
	}
	for name, want := range map[string]string{
		"file-trigger.ts": "node: it imports node:fs (file-trigger.ts:1:21)", "custom-compaction.ts": "node: it imports complete of @mariozechner/pi-ai (custom-compaction.ts:1:10)",
		"protected-paths.ts": "sandbox: it needs nothing of Node.js", "status-line.ts": "sandbox: it needs nothing of Node.js",
	} {
		if where[name] != want {
			t.Errorf("%s: %s, want %s", name, where[name], want)
		}
	}
}

func TestModulesFindTheDirectoryOfTheirAgent(t *testing.T) {
	inNode(t)
	t.Setenv("HOME", "/home/ann")
	t.Setenv("PI_CODING_AGENT_DIR", "")
	t.Setenv("PI_CONFIG_DIR", "")
	text := `import { getAgentDir as pi } from "@earendil-works/pi-coding-agent";
		import { getAgentDir as xcsh } from "@f5xc-salesdemos/xcsh";
		import Type, { Type as same } from "typebox";
		export default api => api.on("tool_call", () => ({ block: true, reason: pi() + " " + xcsh() + " " + (Type === same) }));`
	for dir, want := range map[string]string{"": "/home/ann/.pi/agent /home/ann/.xcsh/agent true", "~/other": "/home/ann/other /home/ann/other true"} {
		t.Setenv("PI_CODING_AGENT_DIR", dir)
		h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Node})
		h.written(t, "gate.ts", text)
		if err := h.run(t.Context(), "bash", "{}"); err == nil || err.Error() != want {
			t.Errorf("with %q: %v, want %s", dir, err, want)
		}
	}
	h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Sandbox})
	h.written(t, "gate.ts", text)
	if err := h.run(t.Context(), "bash", "{}"); err == nil || !strings.Contains(err.Error(), "process.env is not available") {
		t.Errorf("in the sandbox: %v, want an error that says why", err)
	}
}

// Use of a missing part of a package is an error of the call: a gate blocks.
func TestAPackageThatIsNotInstalledFailsTheCallThatUsesIt(t *testing.T) {
	inNode(t)
	h := opened(t, xcsh.Config{}, &modules.Loader{Runtime: jsrun.Node})
	h.written(t, "gate.ts", `import { complete } from "@mariozechner/pi-ai";
		import { isBashToolResult, compact } from "@mariozechner/pi-coding-agent";
		export default (pi: any) => pi.on("tool_call", (e: any) => {
			if (e.toolName === "ours") return { block: true, reason: String(isBashToolResult({ toolName: "bash" })) };
			return e.toolName === "model" ? complete() : compact.name;
		});`)
	for tool, want := range map[string]string{
		"ours":  "true",
		"model": "complete of @mariozechner/pi-ai is not available: the package is not installed; install it beside the module",
		"agent": "compact of @mariozechner/pi-coding-agent is not available: the package is not installed; install it beside the module",
	} {
		if err := h.run(t.Context(), tool, `{}`); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", tool, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(h.dir, "other.ts"), []byte(`import x from "left-out"; export default () => x`), 0o600); err != nil {
		t.Fatal(err)
	}
	errs := h.Load(t.Context(), []string{"other.ts"}, h.dir)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "left-out is not available: ") {
		t.Errorf("got %v", errs)
	}
}

// The published examples of pi and of xcsh load. They are not part of this repository: an environment variable names
// the folders, separated as in PATH. Examples that ask a model need pi-ai, installed by npm in their folder under the
// name that they import; and the example file-trigger needs the file /tmp/agent-trigger.txt, which it watches.
func TestPublishedExamplesLoad(t *testing.T) {
	inNode(t)
	dirs := os.Getenv("SNAPHOOK_EXAMPLES")
	if dirs == "" {
		t.Skip("SNAPHOOK_EXAMPLES names no folders of examples of pi and xcsh")
	}
	var examples []string
	for _, dir := range filepath.SplitList(dirs) {
		files, _ := filepath.Glob(filepath.Join(dir, "*.ts"))
		nested, _ := filepath.Glob(filepath.Join(dir, "*", "index.ts"))
		examples = append(append(examples, files...), nested...)
	}
	for _, runtime := range []string{jsrun.Sandbox, jsrun.Node, jsrun.Bun, jsrun.Auto} {
		t.Run(runtime, func(t *testing.T) {
			if _, err := exec.LookPath(jsrun.Bun); runtime == jsrun.Bun && err != nil {
				t.Skip("bun is not installed")
			}
			loaded, answered := 0, 0
			for _, example := range examples {
				loads, answers := tried(t, example, runtime)
				if loads {
					loaded++
				}
				if answers {
					answered++
				}
			}
			t.Logf("%d of %d load, and the handlers of %d answer all their events", loaded, len(examples), answered)
			if runtime != jsrun.Sandbox && (len(examples) == 0 || loaded*10 < len(examples)*9 || answered*10 < len(examples)*9) {
				t.Error("want nine in ten of both")
			}
		})
	}
}

// tried loads a module and fires the events that it has handlers for.
func tried(t *testing.T, file, runtime string) (loads, answers bool) {
	h := opened(t, xcsh.Config{Session: conversation{}, Models: keyless{}}, &modules.Loader{Runtime: runtime, Exec: (*xcsh.API).Exec})
	defer h.Modules.Close() // closed before the next module starts, because there are many processes
	h.Initialize(xcsh.Host{AppendEntry: func(string, jsontext.Value) error { return nil }})
	if errs := h.Load(t.Context(), []string{file}, h.dir); len(errs) > 0 {
		t.Logf("%v", errs)
		return false, false
	}
	info := h.Infos()[0]
	t.Logf("%s: %s: %s: %v %v", filepath.Base(file), info.Runtime, info.RuntimeReason, info.Events, info.Commands)
	failures := 0
	h.Listen(&xcsh.Listener{Failed: func(e xcsh.HookError) { failures++; t.Logf("  %s: %s", e.Event, e.Message) }})
	for _, event := range xcsh.Events() {
		if event.Active(h.Modules) {
			if _, err := event.FireJSON(t.Context(), h.Modules, []byte(sample)); err != nil {
				failures++
				t.Logf("  %s: %v", event.Name(), err)
			}
		}
	}
	return true, failures == 0
}

// keyless is a registry of models for which the user has no key.
type keyless struct{ xcsh.NoModels }

func (keyless) APIKey(context.Context, xcsh.Model) (string, error) { return "", nil }

// sample has the members that handlers of any event read.
const sample = `{"toolName":"bash","toolCallId":"1","input":{"command":"ls","path":"a.txt"},"content":[],"messages":[],"prompt":"hi","reason":"new",
	"entryId":"0123456789","timestamp":1,"turnIndex":0,"message":{"role":"assistant","content":[]},"toolResults":[],
	"preparation":{"messagesToSummarize":[],"turnPrefixMessages":[],"tokensBefore":1,"firstKeptEntryId":"e","fileOps":{}},"branchEntries":[]}`
