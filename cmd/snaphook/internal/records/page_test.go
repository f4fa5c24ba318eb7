package records

import (
	"context"
	"fmt"
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

// traceOf returns a trace of so many fires, every hundredth of which is denied.
func traceOf(fires int) []*tracetree.Node {
	var b tracetree.Builder
	at, exit, took := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), 0, 3.5
	for i := range fires {
		l := &rec.Line{V: 1, ID: fmt.Sprint(i), Time: at.Add(time.Duration(i) * time.Second), Event: "claude.PreToolUse", Session: "s-1", Subject: "Bash", MS: 5,
			Refs: rec.Refs{ToolUseID: fmt.Sprint("toolu_", i/2)}, Input: []byte(`{"tool_name":"string"}`)}
		l.Hooks = []rec.Hook{
			{ID: "a", Command: "guard.sh", Ran: true, Outcome: "success", Exit: &exit, MS: &took, Source: "project"},
			{ID: "b", Command: "other.sh", Why: "matcher", Detail: `matcher "Read" does not match "Bash"`, File: "settings.json:4:9"},
		}
		switch {
		case i == 0:
			l.Event, l.Subject, l.Hooks = "claude.UserPromptSubmit", "", nil
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

func TestThePageOpensAndCanBeUsed(t *testing.T) {
	ctx := browser(t)
	text, err := pageOf(traceOf(10_000))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []string
	chromedp.ListenTarget(ctx, func(e any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case *network.EventRequestWillBeSent:
			seen = append(seen, "request "+e.Request.URL)
		case *runtime.EventExceptionThrown:
			seen = append(seen, "exception "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			seen = append(seen, "console "+string(e.Type))
		}
	})
	page := (&url.URL{Scheme: "file", Path: file}).String()
	var opened float64
	script := func(js string, to any) chromedp.Action { return chromedp.Evaluate(js, to) }
	if err := chromedp.Run(ctx, network.Enable(), chromedp.Navigate(page), chromedp.WaitReady(`html[data-ready]`, chromedp.ByQuery),
		script(`+document.documentElement.dataset.ready`, &opened)); err != nil {
		t.Fatal(err)
	}
	if opened > 2000 {
		t.Errorf("10 000 fires opened in %.0f ms, want at most 2 s", opened)
	}
	t.Logf("10 000 fires opened in %.0f ms", opened)

	var count, selected, details, title, background, folded, zoomed, found string
	var drawn int
	run := func(what string, actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	expect := func(what, got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q in it", what, got, want)
		}
	}
	run("the page as it opens", script(`document.querySelector("#count").textContent`, &count), script(`document.querySelectorAll(".row").length`, &drawn))
	expect("the count", count, "10000 fires, 19998 hooks looked at")
	if drawn < 10 || drawn > 200 {
		t.Errorf("%d rows are drawn, want those that can be seen", drawn)
	}

	run("a key goes to the search", chromedp.KeyEvent("/"), script(`document.activeElement.id`, &selected), script(`document.activeElement.value = ""`, nil)) // the driver also types the key: clear the field
	expect("the focus", selected, "search")
	run("a search", chromedp.SendKeys("#search", "because of", chromedp.ByID), script(`document.querySelector("#count").textContent`, &count),
		script(`[...document.querySelectorAll(".row.hit .name")].map(e => e.textContent).join()`, &found))
	expect("the hits of a search", found, "guard.sh")
	expect("the count of a search", count, "200 of ")
	run("Enter goes to the first hit, and Enter shows it", chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent(kb.Enter),
		script(`document.querySelector("#details").textContent`, &details), script(`document.title`, &title))
	expect("the details have the reason as text", details, "because of "+evil)
	expect("the title", title, "snaphook trace")

	run("Escape closes the details, and the filter shows hooks that did not run", chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("/"), chromedp.KeyEvent(kb.Escape),
		chromedp.SetValue("#filter", "skipped", chromedp.ByID), script(`document.querySelector("#filter").dispatchEvent(new Event("change"))`, nil),
		script(`document.querySelector("#count").textContent`, &count), script(`document.querySelector("#details").hidden + ""`, &folded))
	expect("the count of the filter", count, "9999 of ")
	expect("the details", folded, "true")
	run("a click shows why it did not run", chromedp.Click(".row.off .name", chromedp.ByQuery), script(`document.querySelector("#details").textContent`, &details))
	expect("the details", details, `matcher "Read" does not match "Bash"`)

	run("everything again, and the keyboard moves and folds", chromedp.SetValue("#filter", "all", chromedp.ByID), script(`document.querySelector("#filter").dispatchEvent(new Event("change"))`, nil),
		script(`document.querySelector("#list").focus()`, nil), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown), script(`document.querySelector(".row.sel .name").textContent`, &selected),
		chromedp.KeyEvent(kb.ArrowLeft), script(`document.querySelector(".row.sel").getAttribute("aria-expanded")`, &folded))
	expect("the selected row", selected, "turn")
	expect("expanded", folded, "false")
	run("zoom", chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent("+"), script(`document.querySelector("#axis span").textContent`, &zoomed))
	if zoomed == "0µs" {
		t.Error("the axis begins at 0 after a zoom to the middle")
	}
	run("dark", chromedp.KeyEvent("t"), script(`getComputedStyle(document.body).backgroundColor + document.documentElement.dataset.theme`, &background))
	light := background
	run("light", chromedp.KeyEvent("t"), script(`getComputedStyle(document.body).backgroundColor + document.documentElement.dataset.theme`, &background))
	if light == background {
		t.Errorf("light and dark are both %s", light)
	}
	if to := os.Getenv("SNAPHOOK_SCREENSHOTS"); to != "" {
		screenshots(t, ctx, to)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range seen {
		if what != "request "+page {
			t.Errorf("the page causes a %.300s", what)
		}
	}
}

// screenshots writes pictures for the documentation and for inspection.
func screenshots(t *testing.T, ctx context.Context, to string) {
	t.Helper()
	for _, theme := range []string{"light", "dark"} {
		var png []byte
		err := chromedp.Run(ctx, chromedp.Evaluate(`document.documentElement.dataset.theme = "`+theme+`"`, nil), chromedp.CaptureScreenshot(&png))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, "trace-"+theme+".png"), png, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
