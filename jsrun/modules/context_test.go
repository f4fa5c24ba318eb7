package modules_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/events/xcsh"
	"github.com/snaphook-go/snaphook/jsrun/modules"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// bare returns modules without a host.
func bare(t *testing.T) (*xcsh.Modules, *pipeline.System) {
	t.Helper()
	sys := pipeline.NewSystem(pipeline.Config{})
	t.Cleanup(func() { sys.Close() })
	ses, err := sys.NewSession(context.Background(), pipeline.SessionConfig{ID: "s", Dir: "/tmp"})
	if err != nil {
		t.Fatal(err)
	}
	m := xcsh.New(ses, xcsh.Config{})
	t.Cleanup(func() { m.Close() })
	return m, sys
}

// saved writes a module to a new directory.
func saved(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "hook.ts")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load returns the factory of a module with that text.
func load(t *testing.T, text string) xcsh.Factory {
	t.Helper()
	f, closer, err := (&modules.Loader{}).Load(context.Background(), saved(t, text), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closer.Close() })
	return f
}

func TestContextWithAUser(t *testing.T) {
	h := opened(t, xcsh.Config{Dir: "/tmp"}, &modules.Loader{})
	h.yes, h.choice = true, "b"
	h.Initialize(xcsh.Host{
		UI: h, HasUI: true, Abort: func() { h.say("aborted") }, IsIdle: func() bool { return false },
		HasQueuedMessages: func() bool { return true }, Model: func() xcsh.Model { return xcsh.Model{Object: wire.Object(`{"id":"m"}`)} },
	})
	told(t, h, `
		const { ui, ...rest } = { ...ctx };
		say(ctx.hasUI, ctx.cwd, ctx.model, ctx.isIdle(), rest.hasQueuedMessages(), ctx.hasPendingMessages(), ctx.abort());
		say(await ui.select("Which?", ["a", "b"]), await ui.confirm("Sure?"), await ui.input("Name?", "me"), await ui.editor("Text?", "once"));
		ui.notify("hi"); ui.notify("no", "error");
		ui.setStatus("k", "v"); ui.setStatus("k", undefined); ui.setStatus("k", null);
		ui.setEditorText("x");
		const { theme } = ui;
		say(ui.getEditorText(), theme.fg("red", "x"), theme.bg("blue", "y"), theme.bold("z"));
		await failing(() => ui.custom(() => {}));
		await ui.select("Which?", [{}]).catch(e => say(e.message.slice(0, 11)));`,
		"aborted", `DEBUG: true "/tmp" {"id":"m"} false true true undefined`,
		"select: Which? [a b]", "confirm: Sure?, ", "input: Name?, me", "editor: Text?, once", `DEBUG: "b" true "b" "b"`,
		"notify:  hi", "notify: error no", "status: k=v", "status: k", "status: k", "editor text: x",
		`DEBUG: "draft" "<red>x" "[blue]y" "z"`,
		`DEBUG: "ctx.ui.custom is not available: components cannot be passed to the host; use select, confirm, input or editor"`,
		`DEBUG: "argument 2:"`)
}

func TestContextWithoutAUser(t *testing.T) {
	h := opened(t, xcsh.Config{Dir: "/tmp"}, &modules.Loader{})
	h.Initialize(xcsh.Host{})
	told(t, h, `
		const { ui } = ctx;
		say(ctx.hasUI, ctx.model, ctx.isIdle(), ctx.hasQueuedMessages());
		say(await ui.select("?", ["a"]), await ui.confirm("?", "!"), await ui.input("?"), await ui.editor("?"), await ui.custom(() => {}));
		ui.notify("x"); ui.setStatus("k", "v"); ui.setEditorText("x");
		say(ui.getEditorText(), ui.theme.fg("red", "x"));`,
		"DEBUG: false undefined true false", "DEBUG: undefined false undefined undefined undefined", `DEBUG: "" "x"`)
}

// kept is a session that stores everything, and a registry of models.
type kept struct {
	conversation
	xcsh.NoModels
	h *host
}

func (kept) SessionFile() string                { return "/s/1.jsonl" }
func (kept) LeafID() string                     { return "a1" }
func (kept) Label(id string) string             { return map[string]string{"u1": "start"}[id] }
func (k kept) Branch(string) []xcsh.Entry       { return k.Entries()[:1] }
func (kept) Tree() jsontext.Value               { return jsontext.Value(`[{"id":"u1"}]`) }
func (kept) ArtifactPath(string) (string, bool) { return "/s/7.log", true }

func (k kept) Entry(id string) (xcsh.Entry, bool) { return k.Entries()[0], id == "u1" }

func (kept) AllocateArtifactPath(kind string) (path, id string, err error) {
	return "/s/8." + kind, "8", nil
}

func (k kept) SaveArtifact(content, kind string) (string, error) {
	k.h.say("saved: %s %s", content, kind)
	return "7", nil
}

func (k kept) PutBlob(data []byte) (string, error) {
	k.h.say("blob: %v", data)
	return "blob:1", nil
}

func (kept) Find(provider, id string) (xcsh.Model, bool) {
	return xcsh.Model{Object: wire.Object(`{"provider":"p","id":"m"}`)}, provider+id == "pm"
}

func (kept) APIKey(_ context.Context, m xcsh.Model) (string, error) {
	if m.ID() == "" {
		return "", errors.New("which model?")
	}
	return map[string]string{"m": "key"}[m.ID()], nil
}

func TestSessionManagerAndModelRegistry(t *testing.T) {
	k := &kept{}
	h := opened(t, xcsh.Config{Session: k, Models: k}, &modules.Loader{})
	k.h = h
	told(t, h, `
		const { sessionManager: s, modelRegistry: r } = ctx;
		say(s.getSessionFile(), s.getLeafId(), s.getLabel("u1"), s.getLabel("x"), s.getBranch().length, s.getTree(), s.getEntry("u1").id, s.getEntry("x"));
		say(s.getLeafEntry().id, s.getEntries().length, await s.getArtifactPath("7"), await s.allocateArtifactPath("txt"), await s.saveArtifact("text", "log"));
		say(await s.putBlob("ab"), await s.putBlob([1, 2]), await s.putBlob(new Uint8Array([3, 4])));
		say(r.find("p", "m"), r.find("p", "x"), r.getAvailable(), await r.getApiKey(r.find("p", "m")), await r.getApiKey({ id: "x" }));
		await failing(() => r.getApiKey({}));`,
		`DEBUG: "/s/1.jsonl" "a1" "start" undefined 1 [{"id":"u1"}] "u1" undefined`,
		"saved: text log", `DEBUG: "a1" 2 "/s/7.log" {"id":"8","path":"/s/8.txt"} "7"`,
		"blob: [97 98]", "blob: [1 2]", "blob: [3 4]", `DEBUG: {"ref":"blob:1"} {"ref":"blob:1"} {"ref":"blob:1"}`,
		`DEBUG: {"provider":"p","id":"m"} undefined [] "key" undefined`, `DEBUG: "which model?"`)
}

func TestSessionManagerOfNothing(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	told(t, h, `
		const s = ctx.sessionManager;
		say(s.getCwd(), s.getSessionDir(), s.getSessionId(), s.getSessionFile(), s.getSessionName(), s.getArtifactsDir(), s.getLeafId(), s.getLeafEntry());
		say(s.getEntry("x"), s.getLabel("x"), s.getBranch(), s.getHeader(), s.getEntries(), s.getTree(), s.getUsageStatistics(), await s.getArtifactPath("x"));
		for (const f of [() => s.allocateArtifactPath("x"), () => s.saveArtifact("x", "y"), () => s.putBlob("x")]) await failing(f);
		await failing(() => ctx.modelRegistry.getApiKey({}));`,
		`DEBUG: "" "" "" undefined undefined null null undefined`, `DEBUG: undefined undefined [] null [] [] {} null`,
		`DEBUG: "the host stores no artifacts"`, `DEBUG: "the host stores no artifacts"`, `DEBUG: "the host stores no artifacts"`,
		`DEBUG: "the host has no key for the model"`)
}

// writer writes the first entries of a session.
type writer struct{ h *host }

func (w writer) AppendMessage(m xcsh.Message) (string, error) {
	w.h.say("first: %s", m.Text("content"))
	return "e1", nil
}

func (w writer) AppendCustomEntry(customType string, data jsontext.Value) (string, error) {
	w.h.say("first entry: %s %s", customType, data)
	return "e2", nil
}

func TestCommandsControlSessions(t *testing.T) {
	h := opened(t, xcsh.Config{}, &modules.Loader{})
	h.Initialize(xcsh.Host{
		WaitForIdle: func(context.Context) error { h.say("idle"); return nil },
		NewSession: func(ctx context.Context, opt xcsh.NewSession) (bool, error) {
			h.say("new session after %q", opt.ParentSession)
			if opt.Setup == nil {
				return true, nil
			}
			return false, opt.Setup(ctx, writer{h})
		},
		Branch: func(_ context.Context, id string) (bool, error) {
			return true, errors.Join(map[string]error{"": errors.New("no entry")}[id])
		},
		NavigateTree: func(_ context.Context, id string, opt xcsh.NavigateTree) (bool, error) {
			h.say("to %s, %v", id, opt.Summarize)
			return true, nil
		},
	})
	h.written(t, "hook.ts", `export default pi => pi.registerCommand("all", { description: "All of it", async handler(args, ctx) {
		const say = (...values) => pi.logger.debug(values.map(v => JSON.stringify(v) ?? "undefined").join(" "));
		say(args, await ctx.waitForIdle(), ctx.hasUI, ctx.sessionManager.getEntries());
		say(await ctx.newSession({ parentSession: "p", setup: async s => say(s.appendMessage({ role: "user", content: args }), s.appendCustomEntry("c", { n: 1 })) }));
		say(await ctx.newSession());
		say(await ctx.branch("e1"), await ctx.navigateTree("t", { summarize: true }), await ctx.navigateTree("t"));
		await ctx.branch("");
	}})`)
	if c := h.Commands(); len(c) != 1 || c[0].Name != "all" || c[0].Description != "All of it" {
		t.Errorf("the commands are %+v", c)
	}
	if !h.Slash(t.Context(), "/all the  way ") {
		t.Error("there is no /all")
	}
	h.heard(t, "idle", `DEBUG: "the  way " undefined false []`, `new session after "p"`, "first: the  way ", `first entry: c {"n":1}`,
		`DEBUG: "e1" "e2"`, `DEBUG: {"cancelled":false}`, `new session after ""`, `DEBUG: {"cancelled":true}`, "to t, true", "to t, false", `DEBUG: {"cancelled":true} {"cancelled":true} {"cancelled":true}`,
		"failed: command:all, command: no entry")
}
