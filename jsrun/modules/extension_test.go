package modules_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// runtimes runs a test with modules in the sandbox, and with modules in a process of Node.js.
func runtimes(t *testing.T, test func(t *testing.T, loader *modules.Loader)) {
	for _, runtime := range []string{jsrun.Sandbox, jsrun.Node} {
		t.Run(runtime, func(t *testing.T) {
			if runtime == jsrun.Node {
				inNode(t)
			}
			test(t, &modules.Loader{Runtime: runtime})
		})
	}
}

// A module may register other things than hooks: it loads, and the host gets its registrations.
func TestWhatAnExtensionRegistersIsTheHosts(t *testing.T) {
	runtimes(t, func(t *testing.T, loader *modules.Loader) {
		h := opened(t, xcsh.Config{}, loader)
		h.written(t, "all.ts", `import { Type } from "@sinclair/typebox";
			import { StringEnum } from "@mariozechner/pi-ai";
			export default pi => {
				pi.registerFlag("strict", { description: "no shell", type: "boolean", default: true });
				pi.registerShortcut("ctrl+x", { description: "x", handler: async () => {} });
				pi.registerProvider("mine", { baseUrl: "https://example.org" });
				pi.registerTool({ name: "greet", parameters: Type.Object({ name: Type.String({ description: "whom" }), how: Type.Optional(StringEnum(["loud"])) }),
					async execute(id, params) { return { content: [{ type: "text", text: id + ": hello " + params.name }] }; } });
				pi.registerTool({ name: "greet", label: "again", parameters: pi.typebox.Type.Object({ name: Type.String() }),
					execute: (id, params) => { if (params.name === "") throw new Error("a name is missing"); return { text: id + ": hi " + params.name }; } });
				pi.on("tool_call", e => e.toolName === "bash" && pi.getFlag("strict") ? { block: true, reason: "strict " + pi.getFlag("other") } : undefined);
			};`)
		if err := h.run(t.Context(), "bash", "{}"); err == nil || err.Error() != "strict undefined" {
			t.Errorf("the gate says %v", err)
		}
		var got []string
		var call func(context.Context, string, ...any) (jsontext.Value, error)
		for _, r := range h.Infos()[0].Others {
			got, call = append(got, r.Kind+" "+r.Name+" "+string(r.Definition)), r.Call
		}
		if want := []string{
			`flag strict {"description":"no shell","type":"boolean","default":true}`, `shortcut ctrl+x {"description":"x"}`,
			`provider mine {"baseUrl":"https://example.org"}`,
			`tool greet {"name":"greet","label":"again","parameters":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}`,
		}; !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if v, err := call(t.Context(), "execute", "1", map[string]string{"name": "you"}); err != nil || string(v) != `{"text":"1: hi you"}` {
			t.Errorf("the tool returned %s, %v", v, err)
		}
		if _, err := call(t.Context(), "execute", "1", map[string]string{"name": ""}); err == nil || err.Error() != "a name is missing" {
			t.Errorf("a tool that throws: %v", err)
		}
		if _, err := call(t.Context(), "render"); err == nil || err.Error() != "the tool greet has no function render" {
			t.Errorf("a function that it lacks: %v", err)
		}
	})
}

// A function that could restrict the agent fails where no host carries it out; the others return
// empty values.
func TestWhatAnExtensionAsksForWithoutAHostForIt(t *testing.T) {
	runtimes(t, func(t *testing.T, loader *modules.Loader) {
		h := opened(t, xcsh.Config{}, loader)
		told(t, h, `
			say(pi.getAllTools(), pi.getActiveTools(), pi.getCommands(), pi.getSessionName(), pi.getThinkingLevel());
			say(ctx.getContextUsage(), ctx.getSystemPrompt(), ctx.ui.setWidget("a", ["b"]), ctx.ui.setFooter(() => {}), typeof ctx.ui.onTerminalInput(() => {}), ctx.ui.setTheme("x").success);
			await failing(() => pi.setActiveTools(["read"]));
			await failing(() => pi.setModel({ id: "m" }));
			await failing(() => ctx.compact());`,
			`DEBUG: [] [] [] undefined "off"`, `DEBUG: undefined "" undefined undefined "function" false`,
			`DEBUG: "pi.setActiveTools is not available: the host supports only hooks"`,
			`DEBUG: "pi.setModel is not available: the host supports only hooks"`,
			`DEBUG: "ctx.compact is not available: the host supports only hooks"`)
	})
}

// A host with an Extension function carries out the calls that it knows.
func TestWhatAnExtensionAsksForIsTheHostsToCarryOut(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.Initialize(xcsh.Host{UI: h, Extension: func(_ context.Context, member string, args []jsontext.Value) (jsontext.Value, error) {
		switch member {
		case "pi.getActiveTools":
			return jsontext.Value(`["read"]`), nil
		case "pi.setActiveTools", "ctx.ui.setWidget":
			h.say("%s %s", member, args)
			return nil, nil
		case "pi.setLabel":
			return nil, errors.New("no such entry")
		}
		return nil, errors.ErrUnsupported
	}})
	told(t, h, `
		pi.setActiveTools(["read", "grep"]);
		ctx.ui.setWidget("plan", ["1. look"]);
		say(pi.getActiveTools(), pi.getAllTools());
		await failing(() => pi.setLabel("e", "x"));
		await failing(() => pi.setSessionName("x"));`,
		`pi.setActiveTools [["read","grep"]]`, `ctx.ui.setWidget ["plan" ["1. look"]]`, `DEBUG: ["read"] []`, `DEBUG: "no such entry"`,
		`DEBUG: "pi.setSessionName is not available: the host supports only hooks"`)
	h.Initialize(xcsh.Host{UI: h}) // this host has no Extension: the earlier function stays
	xcsh.SessionStart.Fire(t.Context(), h.Modules, &xcsh.SessionStartEvent{})
	if said := h.log.Lines(); len(said) == 0 || said[0] != `pi.setActiveTools [["read","grep"]]` {
		t.Errorf("got %q", said)
	}
}

// The event bus of a module passes values between its handlers.
func TestTheEventBusOfAModule(t *testing.T) {
	runtimes(t, func(t *testing.T, loader *modules.Loader) {
		h := opened(t, xcsh.Config{}, loader)
		told(t, h, `
			const off = pi.events.on("a", data => say("one", data));
			pi.events.on("a", () => { throw new Error("broken"); });
			pi.events.on("a", data => say("three", data));
			pi.events.emit("a", { n: 1 });
			pi.events.emit("b", 1);
			await new Promise(r => setTimeout(r, 5));
			off();
			pi.events.emit("a", 2);
			await new Promise(r => setTimeout(r, 5));
			say(pi.events === pi.events);`,
			`DEBUG: "one" {"n":1}`, `DEBUG: "three" {"n":1}`, `ERROR: a listener of a: Error: broken`, `DEBUG: "three" 2`, `ERROR: a listener of a: Error: broken`, `DEBUG: true`)
	})
}
