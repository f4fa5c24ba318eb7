package records

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	rec "github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracepage"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

// browser starts headless Chromium, and skips the test where Chromium is not installed.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium to open the page in: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1400, 800))
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("%s does not start: %v", path, err)
	}
	return ctx
}

const evil = `</script><script>document.title="hacked"</script><img src=x onerror='document.title="hacked"'>`

// traceOf returns a trace with the given number of fires, every hundredth of which is denied.
func traceOf(fires int) []*tracetree.Node {
	var b tracetree.Builder
	at, exit, took := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), 0, 3.5
	for i := range fires {
		l := &rec.Line{V: 1, ID: fmt.Sprint(i), Time: at.Add(time.Duration(i) * time.Second), Event: "claude.PreToolUse", Session: "s-1", Subject: "Bash", MS: 5,
			Refs: rec.Refs{ToolUseID: fmt.Sprint("toolu_", i/2)}, Input: []byte(`{"tool_name":"Bash","tool_input":{"command":"ls -la"}}`)}
		l.Hooks = []rec.Hook{
			{ID: "a", Command: "guard.sh", Ran: true, Outcome: "success", Exit: &exit, MS: &took, Source: "project"},
			{ID: "b", Command: "other.sh", Why: "matcher", Detail: `matcher "Read" does not match "Bash"`, File: "settings.json:4:9"},
		}
		switch {
		case i == 0:
			l.Event, l.Subject, l.Hooks, l.Input = "claude.UserPromptSubmit", "", nil, []byte(`{"prompt":"fix the test"}`)
		case i%2 == 1:
			l.Event = "claude.PostToolUse"
		}
		if i%100 == 50 {
			l.Decision, l.Reason = "deny", "because of "+evil
			l.Hooks[0].Decision, l.Hooks[0].Reason, l.Hooks[0].Outcome = "deny", l.Reason, "blocking"
		}
		b.Add(l)
	}
	return b.Sessions()
}

// watchedPage is an open page, with the requests and errors that it causes.
type watchedPage struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	seen []string
}

func openPage(t *testing.T, address string) *watchedPage {
	t.Helper()
	w := &watchedPage{t: t, ctx: browser(t)}
	own, _, _ := strings.Cut(address, "#")
	chromedp.ListenTarget(w.ctx, func(e any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := e.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, own) {
				w.seen = append(w.seen, "request "+e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			w.seen = append(w.seen, "exception "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			w.seen = append(w.seen, "console "+string(e.Type))
		}
	})
	w.run("open", network.Enable(), chromedp.Navigate(address), chromedp.WaitReady(`html[data-ready]`, chromedp.ByQuery))
	return w
}

func (w *watchedPage) run(doing string, actions ...chromedp.Action) {
	w.t.Helper()
	if err := chromedp.Run(w.ctx, actions...); err != nil {
		w.t.Fatalf("%s: %v", doing, err)
	}
}

// text returns the value of an expression in the page.
func (w *watchedPage) text(js string) (text string) {
	w.t.Helper()
	w.run(js, chromedp.Evaluate(`"" + (`+js+`)`, &text))
	return text
}

func (w *watchedPage) expect(js, want string) {
	w.t.Helper()
	if got := w.text(js); !strings.Contains(got, want) {
		w.t.Errorf("%s is %.300q, want %q in it", js, got, want)
	}
}

func (w *watchedPage) choose(id, value string) {
	w.t.Helper()
	w.text(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change")); })()`, id, value))
}

// end fails the test if the page has sent a request to another server, or if its scripts have raised an error or
// written to the console.
func (w *watchedPage) end() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range w.seen {
		w.t.Errorf("the page causes a %.300s", what)
	}
}

const (
	countText   = `document.querySelector("#count").textContent`
	detailsText = `document.querySelector("#details").textContent`
	rowNames    = `[...document.querySelectorAll(".row .name")].map(e => e.textContent).join(" | ")`
)

func TestThePageOpensAndCanBeUsed(t *testing.T) {
	const fires = 50_000
	text, err := tracepage.Frozen(traceOf(fires))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	page := openPage(t, (&url.URL{Scheme: "file", Path: file}).String())
	t.Logf("%d fires opened in %s ms", fires, page.text(`document.documentElement.dataset.ready`))
	page.expect(countText, "50000 fires, 99998 hooks looked at")
	if drawn := page.text(`document.querySelectorAll(".row").length > 5 && document.querySelectorAll(".row").length < 200`); drawn != "true" {
		t.Error("not the rows alone that can be seen are drawn")
	}
	// Drawing takes the same time for a list of any length.
	times := page.text(`(() => {
		const best = () => { let least = Infinity; for (let i = 0; i < 60; i++) { const t = performance.now(); draw(); least = Math.min(least, performance.now() - t); } return least; };
		const many = best(), all = shown; shown = all.slice(0, 200); const few = best(); shown = all; draw(); return many <= 3 * few + 1 ? "fine" : many + " ms and " + few;
	})()`)
	if times != "fine" {
		t.Errorf("a picture of all and one of 200 rows take %s ms", times)
	}

	page.run("a key goes to the search", chromedp.KeyEvent("/"))
	page.expect(`document.activeElement.id`, "search")
	page.text(`document.activeElement.value = ""`) // the KeyEvent above has also typed "/" into the field
	page.run("a search", chromedp.SendKeys("#search", "because of", chromedp.ByID))
	page.expect(`[...document.querySelectorAll(".row.hit .name")].map(e => e.textContent).join()`, "guard.sh")
	page.expect(countText, "1000 of ")
	page.expect(`location.hash`, "q=because+of")
	page.run("Enter goes to the first hit, and Enter shows it", chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter))
	page.expect(detailsText, "denied by guard.sh: because of "+evil)
	page.expect(detailsText, "C77 (docs/spec/claude.md)")
	page.expect(`document.title`, "snaphook")
	page.run("Escape closes the details", chromedp.KeyEvent(kb.Escape))
	page.expect(`document.querySelector("#details").hidden`, "true")
	page.run("Escape in the search empties it", chromedp.KeyEvent("/"), chromedp.KeyEvent(kb.Escape))
	page.choose("filter", "skipped")
	page.expect(countText, "49999 of ")
	page.run("a click shows why a hook did not run", chromedp.Click(".row.off .name", chromedp.ByQuery))
	page.expect(detailsText, `matcher "Read" does not match "Bash"`)
	page.choose("filter", "ran")

	page.run("the keyboard moves and folds", chromedp.Evaluate(`list.focus()`, nil), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown))
	page.expect(`document.querySelector(".row.sel .name").textContent`, "turn fix the test")
	page.run("left folds", chromedp.KeyEvent(kb.ArrowLeft))
	page.expect(`document.querySelector(".row.sel").getAttribute("aria-expanded")`, "false")
	page.run("right unfolds, plus zooms", chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent("+"))
	if page.text(`document.querySelector("#axis span").textContent`) == "0µs" {
		t.Error("the axis begins at 0 after a zoom to the middle")
	}
	page.run("all of it again", chromedp.KeyEvent("0"), chromedp.KeyEvent("h"))
	page.expect(`document.querySelector("#hooks").textContent`, "guard.sh")
	page.expect(`document.querySelectorAll("#hooks svg").length > 0`, "true")
	page.expect(`location.hash`, "v=hooks")
	keep(t, page.ctx, "hooks")
	page.run("back to the calls", chromedp.KeyEvent("c"))
	page.run("dark", chromedp.KeyEvent("t"))
	light := page.text(`getComputedStyle(document.body).backgroundColor`)
	page.run("light", chromedp.KeyEvent("t"))
	if light == page.text(`getComputedStyle(document.body).backgroundColor`) {
		t.Error("light and dark are alike")
	}
	page.choose("filter", "blocked")
	page.run("the details", chromedp.Click(".row.bad .name", chromedp.ByQuery))
	screenshots(t, page.ctx)

	page.run("a phone", chromedp.EmulateViewport(400, 800))
	page.expect(`document.documentElement.scrollWidth <= 400 && document.body.scrollWidth <= 400 && list.scrollWidth <= list.clientWidth`, "true")
	page.expect(rowNames, "Bash ls")
	page.expect(`getComputedStyle(document.querySelector("#details")).position`, "fixed")
	keep(t, page.ctx, "phone")
	page.end()
}

// The live page shows fires as they happen, keeps the user's selection, and follows the filters in a link.
func TestTheLivePageIsToldOfFires(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r.jsonl")
	line := func(id int, event, rest string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintf(f, `{"v":1,"id":"%d","time":"2026-01-31T12:00:%02dZ","event":"claude.%s","session":"s-1",%s}`+"\n", id, id, event, rest)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	line(1, "UserPromptSubmit", `"input":{"prompt":"fix the test"},"hooks":[]`)
	line(2, "PreToolUse", `"subject":"Bash","refs":{"tool_use_id":"t1"},"input":{"tool_input":{"command":"git push"}},"decision":"deny","reason":"no","hooks":[{"id":"g","command":"guard.sh","ran":true,"outcome":"blocking","decision":"deny","reason":"no","ms":3}]`)
	live, err := tracepage.New(tracepage.Config{Files: []string{name}, Token: "token", Every: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(live)
	t.Cleanup(func() { _ = live.Close(); server.Close() })
	page := openPage(t, server.URL+"/token/#f=all&id=2")
	page.run("the first frame", chromedp.WaitReady(`html[data-frame]`, chromedp.ByQuery), chromedp.WaitVisible(`#details li`, chromedp.ByQuery))
	page.expect(`document.querySelector("#live").textContent`, "live")
	page.expect(rowNames, "session s-1 | turn fix the test | Bash git push | guard.sh")
	page.expect(detailsText, "denied by guard.sh: no") // the link names the fire
	line(3, "PreToolUse", `"subject":"Bash","refs":{"tool_use_id":"t2"},"input":{"tool_input":{"command":"make <b>test</b>"}},"hooks":[{"id":"g","command":"guard.sh","ran":true,"outcome":"success","ms":2}]`)
	page.run("another call", chromedp.Poll(`rows.some(r => r.n === "Bash make <b>test</b>")`, nil))
	page.expect(detailsText, "denied by guard.sh: no") // the fire stays selected
	page.expect(countText, "3 fires, 2 hooks looked at")
	page.run("the hooks", chromedp.Evaluate(`list.focus()`, nil), chromedp.KeyEvent("h"))
	page.expect(`document.querySelector("#hooks").textContent`, "2 of 2")
	page.end()
}

// screenshots saves pictures for docs, and for inspection.
func screenshots(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, theme := range []string{"light", "dark"} {
		if err := chromedp.Run(ctx, chromedp.Evaluate(`document.documentElement.dataset.theme = "`+theme+`"`, nil)); err != nil {
			t.Error(err)
		}
		keep(t, ctx, theme)
	}
}

// keep saves a picture in the directory that SNAPHOOK_SCREENSHOTS names, if it is set.
func keep(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	to := os.Getenv("SNAPHOOK_SCREENSHOTS")
	if to == "" {
		return
	}
	var png []byte
	err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&png))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "trace-"+name+".png"), png, 0o600)
	}
	if err != nil {
		t.Error(err)
	}
}
