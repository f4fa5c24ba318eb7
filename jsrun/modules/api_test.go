package modules_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// told runs text as a handler of session_start, and compares the events that the host has recorded with want.
func told(t *testing.T, h *host, text string, want ...string) {
	t.Helper()
	h.written(t, "hook.ts", `export default pi => pi.on("session_start", async (event, ctx) => {
		const say = (...values) => pi.logger.debug(values.map(v => JSON.stringify(v) ?? "undefined").join(" "));
		const failing = async f => { try { await f(); say("no error"); } catch (e) { say(e.message); } };
		`+text+`
	})`)
	xcsh.SessionStart.Fire(t.Context(), h.Modules, &xcsh.SessionStartEvent{})
	h.heard(t, want...)
}

func TestMessagesAndEntries(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.Initialize(xcsh.Host{AppendEntry: func(customType string, data jsontext.Value) error {
		h.say("entry: %s %s", customType, string(data))
		return errors.Join(map[string]error{"full": errors.New("no space")}[customType])
	}})
	told(t, h, `
		pi.sendMessage({ customType: "a", content: [{ type: "text", text: "x" }], display: true });
		pi.sendMessage({ customType: "b", content: "x" }, { triggerTurn: 1, deliverAs: "followUp" });
		pi.sendMessage({ customType: "c", content: "x" }, true);
		pi.appendEntry("n", { n: 1 });
		pi.appendEntry("none");
		await failing(() => pi.appendEntry("full", null));
		try { pi.sendMessage({ customType: { no: 1 } }); } catch (e) { say(e.message.slice(0, 11)); }`,
		`message: a [{"type":"text","text":"x"}] {false }`, `message: b "x" {true followUp}`, `message: c "x" {false }`,
		`entry: n {"n":1}`, "entry: none ", "entry: full null", `DEBUG: "no space"`,
		`DEBUG: "argument 1:"`)
}

func TestMessagesBeforeThereIsAHost(t *testing.T) {
	m, _ := bare(t)
	err := m.Add("x", load(t, `export default pi => pi.sendMessage({ customType: "a", content: "x" })`))
	if err == nil || !strings.HasSuffix(err.Error(), "Failed to load hook: sendMessage handler not initialized") {
		t.Errorf("got %v", err)
	}
}

func TestExecIsTheHostsToGrant(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	told(t, h, `await failing(() => pi.exec("echo", ["x"]));`, `DEBUG: "pi.exec is not available: the host does not let modules run programs"`)

	echoAlone := func(api *xcsh.API, ctx context.Context, program string, args []string, opt xcsh.ExecOptions) (xcsh.ExecResult, error) {
		if program != "echo" {
			return xcsh.ExecResult{}, errors.New(program + " is not on the list")
		}
		return api.Exec(ctx, program, args, opt)
	}
	h = opened(t, xcsh.Config{}, &modules.Loader{Exec: echoAlone})
	told(t, h, `say(await pi.exec("echo", ["x"])); await failing(() => pi.exec("rm", ["-rf", "/"]));`,
		`DEBUG: {"stdout":"x\n","stderr":"","code":0,"killed":false}`, `DEBUG: "rm is not on the list"`)
}

func TestExec(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{Exec: (*xcsh.API).Exec})
	start := time.Now()
	told(t, h, `
		say(await pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"]));
		say((await pi.exec("pwd", [], { cwd: "/" })).stdout);
		say((await pi.exec("pwd")).stdout.trim() === ctx.cwd);
		const late = await pi.exec("sleep", ["60"], { timeout: 20 });
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 20);
		const aborted = await pi.exec("sleep", ["60"], { signal: controller.signal });
		say(late, aborted, (await pi.exec("true", [], { timeout: Infinity, signal: AbortSignal.abort() })).killed);
		await pi.exec("no-such-program").catch(e => say(e.message.slice(0, 30)));`,
		`DEBUG: {"stdout":"out\n","stderr":"err\n","code":3,"killed":false}`, `DEBUG: "/\n"`, "DEBUG: true",
		`DEBUG: {"stdout":"","stderr":"","code":-1,"killed":true} {"stdout":"","stderr":"","code":-1,"killed":true} true`,
		`DEBUG: "cannot start \"no-such-program\""`)
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestLoggerAndConsole(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "hook.js", `
		console.log("top");
		export default pi => {
			pi.logger.error("e", { n: 1 });
			pi.logger.warn("w", "no attributes");
			pi.logger.debug("d", { text: "x" });
			console.info("i", [1]); console.warn("cw"); console.error("ce"); console.debug("cd");
		}`)
	h.heard(t, "INFO: top", "ERROR: e n=1", "WARN: w", "DEBUG: d text=x", "INFO: i [1]", "WARN: cw", "ERROR: ce", "DEBUG: cd")

	var lines []string
	l := &modules.Loader{}
	l.Options.Console = func(level, text string) { lines = append(lines, level+" "+text) }
	opened(t, xcsh.Config{}, l).written(t, "hook.js", `console.log("top"); export default () => console.error("in");`)
	if strings.Join(lines, ", ") != "log top, error in" {
		t.Errorf("got %q", lines)
	}
}

func TestRenderers(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.written(t, "hook.ts", `export default pi => {
		pi.registerMessageRenderer("text", (m, { expanded }, theme) => theme.fg("red", m.content) + theme.bold(String(expanded)) + theme.bg("blue", m.details.n));
		pi.registerMessageRenderer("lines", async () => ["a", "b"]);
		pi.registerMessageRenderer("nothing", () => {});
		pi.registerMessageRenderer("component", () => ({ width: "w", render(width) { return [this.width + width]; }, invalidate() {} }));
		pi.registerMessageRenderer("component, later", async () => ({ render: () => ["a", "b"] }));
		pi.registerMessageRenderer("one that fails", () => ({ render() { throw new Error("no"); } }));
		pi.registerMessageRenderer("what JSON cannot hold", () => ({ draw: () => ["a"] }));
	}`)
	message := xcsh.CustomMessage{Content: xcsh.Text("hi"), Details: jsontext.Value(`{"n":1}`)}
	for _, test := range [][2]string{
		{"text", "<red>hitrue[blue]1"}, {"lines", "a\nb"}, {"nothing", ""}, {"component", "w80"}, {"component, later", "a\nb"},
		{"one that fails", ""}, {"what JSON cannot hold", ""},
	} {
		render, found := h.Renderer(test[0])
		if !found {
			t.Fatalf("there is no renderer for %s", test[0])
		}
		if got := render(message, true, h); got != test[1] {
			t.Errorf("%s: %q, want %q", test[0], got, test[1])
		}
	}
	h.heard(t, `ERROR: a renderer failed customType= error=hook.ts: no`,
		`ERROR: a renderer failed customType= error=hook.ts: "draw" of the result is a function, which JSON cannot hold`)
}

func TestComponentsOfTheTerminalPackagesAreText(t *testing.T) {
	h := published(t, "message-card.ts", "")
	for content, want := range map[string]string{
		`"one\ntwo"`:                       "[customMessageBg]<accent>Card\n[customMessageBg]\n[customMessageBg]one\n[customMessageBg]two",
		`[{"type":"text","text":"**a**"}]`: "[customMessageBg]<accent>Card\n[customMessageBg]\n[customMessageBg]**a**",
	} {
		render, _ := h.Renderer("card")
		if got := render(xcsh.CustomMessage{CustomType: "card", Content: jsontext.Value(content)}, true, h); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", content, got, want)
		}
		if got, want := render(xcsh.CustomMessage{CustomType: "card", Content: jsontext.Value(content)}, false, h), "<accent>Card"; got != want {
			t.Errorf("%s, not expanded: %q, want %q", content, got, want)
		}
	}
	h.heard(t)
}

func TestWhatAModuleRegistersHasToBeRight(t *testing.T) {
	for text, want := range map[string]string{
		`pi.on("x")`:                         "argument 2 is not a function",
		`pi.registerCommand("x", {})`:        "the command x has no handler",
		`pi.registerCommand("x", "handler")`: "argument 2: ",
		`pi.registerMessageRenderer("x", 5)`: "argument 2 is not a function",
		`pi.pi.compact()`:                    "pi.pi is not available: the host offers modules no package of its own",
	} {
		m, _ := bare(t)
		if err := m.Add("x", load(t, `export default pi => { `+text+` }`)); err == nil || !strings.Contains(err.Error(), ": Failed to load hook: "+want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
		if n := len(m.Infos()); n > 0 {
			t.Errorf("%s: it was loaded", text)
		}
	}
}

func TestMatch(t *testing.T) {
	for path, want := range map[string]bool{
		"a.ts": true, "/x/a.mts": true, "a.cts": true, "a.js": true, "a.mjs": true, "A.CJS": true,
		"a.tsx": false, "a.sh": false, "ts": false, "a.json": false, "": false,
	} {
		if got := (&modules.Loader{}).Match(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

func TestAModuleWithoutAFactory(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	for _, text := range []string{"", "export const a = 1;", "export default { on() {} };"} {
		errs := h.Load(t.Context(), []string{saved(t, text)}, "")
		if len(errs) != 1 || !errors.Is(errs[0], xcsh.ErrNoFactory) || errs[0].Err.Error() != "Hook must export a default function" {
			t.Errorf("%s: %v", text, errs)
		}
	}
}

func TestTheHostCanOfferModules(t *testing.T) {
	l := &modules.Loader{}
	l.Options.Modules = map[string]string{"@acme/policy": "export const banned: string[] = ['rm'];"}
	h := opened(t, xcsh.Config{}, l)
	h.written(t, "hook.ts", `import { banned } from "@acme/policy";
		import * as agent from "@mariozechner/pi-coding-agent";
		export default pi => pi.on("tool_call", e => ({ block: banned.includes(e.toolName) || agent.isBashToolResult(e) }))`)
	for tool, want := range map[string]bool{"rm": true, "bash": true, "ls": false} {
		if r, err := h.call(t.Context(), tool, "{}"); err != nil || r.Block != want {
			t.Errorf("%s: %+v, %v", tool, r, err)
		}
	}
}
