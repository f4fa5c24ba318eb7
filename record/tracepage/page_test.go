package tracepage_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/record/tracepage"
	"github.com/snaphook-go/snaphook/record/tracetree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>` + "\u2028"

func text(id, event, rest string) string {
	return `{"v":1,"id":"` + id + `","time":"2026-01-31T12:00:0` + id[:1] + `.5Z","event":"claude.` + event + `","session":"s-1"` + rest + `}` + "\n"
}

var session = text("1", "UserPromptSubmit", `,"input":{"prompt":"fix the test"},"hooks":[]`) +
	text("2", "PreToolUse", `,"subject":"Bash","refs":{"tool_use_id":"t1"},"input":{"tool_input":{"command":"git push --force"}},"decision":"deny","reason":"because","hooks":[{"id":"g","command":"guard.sh","ran":true,"outcome":"blocking","decision":"deny","reason":"because","ms":3},{"id":"o","command":"other.sh","ran":false,"why":"matcher"}]`) +
	text("3", "PreToolUse", `,"subject":"Read","refs":{"tool_use_id":"t2"},"input":{"tool_input":{"file_path":"a.go"}},"hooks":[]`) +
	text("4", "Stop", `,"hooks":[{"id":"s","command":"stop.sh","ran":true,"outcome":"success","ms":1}]`)

func page(t *testing.T, cfg tracepage.Config) *tracepage.Page {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Every = time.Millisecond
	p, err := tracepage.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func write(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// looking is a browser that receives the events of a page.
type looking struct {
	t    *testing.T
	in   *bufio.Scanner
	stop func()
}

func look(t *testing.T, address string) *looking {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	l := &looking{t, bufio.NewScanner(answer.Body), func() { cancel(); _ = answer.Body.Close() }}
	l.in.Buffer(nil, 64<<20)
	t.Cleanup(l.stop)
	return l
}

// until reads events until one contains a text.
func (l *looking) until(want string) (kind, data string) {
	l.t.Helper()
	for l.in.Scan() {
		line := l.in.Text()
		if is, ok := strings.CutPrefix(line, "event: "); ok {
			kind = is
		}
		if is, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(is, want) {
			return kind, is
		}
	}
	l.t.Fatalf("no event has %q: %v", want, l.in.Err())
	return "", ""
}

func TestAPageFollowsRecords(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "two.jsonl")
	write(t, one+".1", text("1", "SessionStart", `,"hooks":[{"id":"old","command":"oldest.sh","ran":true}]`))
	write(t, one, session)
	p := page(t, tracepage.Config{Files: []string{one, two}})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	b := look(t, server.URL+"/")
	defer b.stop()
	kind, data := b.until("stop.sh")
	if kind != "frame" && kind != "patch" {
		t.Errorf("the first event is %s", kind)
	}
	_ = data
	write(t, two, text("5", "Notification", `,"subject":"later","hooks":[]`)) // the record did not exist before
	if kind, _ := b.until("later"); kind != "patch" {
		t.Errorf("a change is a %s, want a patch", kind)
	}
	if err := os.Rename(one, one+".1"); err != nil { // a rotation
		t.Fatal(err)
	}
	write(t, one, text("6", "Notification", `,"subject":"rotated","hooks":[]`))
	b.until("rotated")
	b = look(t, server.URL+"/") // a browser that connects later
	kind, data = b.until("rotated")
	if kind != "frame" || !strings.Contains(data, "oldest.sh") || !strings.Contains(data, "later") {
		t.Errorf("a browser that comes later gets a %s: %.500s", kind, data)
	}
}

// Rows name calls by their commands and turns by their prompts, and are in the order of time.
func TestRowsAreReadable(t *testing.T) {
	var b tracetree.Builder
	for _, l := range record.Lines(strings.NewReader(session), nil) {
		b.Add(l)
	}
	html, err := tracepage.Frozen(b.Sessions())
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, want := range []string{`"n":"session s-1"`, `"n":"turn fix the test"`, `"n":"Bash git push --force"`, `"n":"guard.sh"`, `"n":"other.sh"`, `"n":"Read a.go"`, `"n":"stop.sh"`} {
		next := bytes.Index(html, []byte(want))
		if next <= at {
			t.Errorf("%s is at %d, want it after %d", want, next, at)
		}
		at = next
	}
	if bytes.Contains(html, []byte(`"unfinished"`)) {
		t.Error("a call whose turn has ended is unfinished")
	}
	if !bytes.Contains(html, []byte(`"because":"denied by guard.sh: because"`)) {
		t.Error("the explanation is not in the page")
	}
}

func TestTextsOfHooksAreNoHTML(t *testing.T) {
	for i, member := range []string{"event", "session", "subject", "reason"} {
		l := &record.Line{V: 1, ID: "1", Event: "claude.PreToolUse", Decision: "deny", Hooks: []record.Hook{
			{ID: evil, Command: evil, Matcher: evil, File: evil, Ran: true, Reason: evil, Error: evil, Answer: evil, Stderr: evil, Notes: []string{evil}, Policy: map[string]string{evil: evil}},
		}, Input: []byte(`{"prompt":"</script>"}`), Conflicts: []record.Conflict{{Key: evil, Hooks: []string{evil}}}}
		*[]*string{&l.Event, &l.Session, &l.Subject, &l.Reason}[i] += evil
		var b tracetree.Builder
		b.Add(l)
		html, err := tracepage.Frozen(b.Sessions())
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(html, []byte("</script>")); n != 2 || bytes.Contains(html, []byte("<img")) || bytes.Contains(html, []byte("\u2028")) {
			t.Errorf("%s: a text ends an element: %d scripts end", member, n)
		}
	}
	script, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "setAttribute(\"on", "srcdoc", "http://", "https://"} {
		if strings.Contains(string(script), sink) {
			t.Errorf("the page has %s", sink)
		}
	}
}

func TestOnlyTheUserOfThisMachineIsAnswered(t *testing.T) {
	p := page(t, tracepage.Config{Token: "secret", Hosts: []string{"hooks.example"}})
	p.Add(&record.Line{V: 1, ID: "a", Event: "claude.Stop", Time: time.Unix(1, 0)})
	tests := map[string]struct {
		method, path, host string
		header             [2]string
		status             int
	}{
		"the page":                {path: "/secret/", status: 200},
		"an explanation":          {path: "/secret/explain?id=a", status: 200},
		"a fire that is not":      {path: "/secret/explain?id=b", status: 404},
		"another path":            {path: "/secret/../etc/passwd", status: 404},
		"no token":                {path: "/", status: 403},
		"a wrong token":           {path: "/wrong/", status: 403},
		"the beginning of it":     {path: "/secre/", status: 403},
		"the token without slash": {path: "/secret", status: 403},
		"events without a token":  {path: "/events", status: 403},
		"a name that was rebound": {path: "/secret/", host: "evil.example:80", status: 421},
		"a name like ours":        {path: "/secret/", host: "localhost.evil.example", status: 421},
		"a name that is allowed":  {path: "/secret/", host: "hooks.example:443", status: 200},
		"localhost":               {path: "/secret/", host: "localhost:8080", status: 200},
		"IPv6":                    {path: "/secret/", host: "[::1]:8080", status: 200},
		"no name":                 {path: "/secret/", host: " ", status: 421},
		"another origin":          {path: "/secret/", header: [2]string{"Origin", "http://evil.example"}, status: 403},
		"another port":            {path: "/secret/", header: [2]string{"Origin", "http://127.0.0.1:1"}, status: 403},
		"a null origin":           {path: "/secret/", header: [2]string{"Origin", "null"}, status: 403},
		"our origin":              {path: "/secret/", header: [2]string{"Origin", "http://127.0.0.1:80"}, status: 200},
		"a site that embeds it":   {path: "/secret/", header: [2]string{"Sec-Fetch-Site", "cross-site"}, status: 403},
		"another port that does":  {path: "/secret/", header: [2]string{"Sec-Fetch-Site", "same-site"}, status: 403},
		"a person":                {path: "/secret/", header: [2]string{"Sec-Fetch-Site", "none"}, status: 200},
		"a change":                {method: "POST", path: "/secret/", status: 405},
		"a deletion":              {method: "DELETE", path: "/secret/explain?id=a", status: 405},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.method == "" {
				test.method = http.MethodGet
			}
			r := httptest.NewRequest(test.method, test.path, nil)
			if r.Host = "127.0.0.1:80"; test.host != "" {
				r.Host = test.host
			}
			if test.header[0] != "" {
				r.Header.Set(test.header[0], test.header[1])
			}
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("got %d, want %d: %s", w.Code, test.status, w.Body)
			}
			policy := w.Header().Get("Content-Security-Policy")
			if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") ||
				w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("the headers are %v", w.Header())
			}
		})
	}
}

func TestRecordsThatCannotBeFollowed(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{dir: "not a regular file", filepath.Join(dir, "no", "r.jsonl"): "no such file"} {
		p, err := tracepage.New(tracepage.Config{Files: []string{filepath.Join(dir, "fine.jsonl"), name}})
		if err == nil {
			_ = p.Close()
			t.Errorf("%s is followed", name)
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q and the name", err, want)
		}
	}
}

// A closed page ends its responses to browsers, and refuses new requests for events.
func TestClosingEndsAnswers(t *testing.T) {
	p := page(t, tracepage.Config{})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	b := look(t, server.URL+"/")
	b.until(`"fires":0`)
	_ = p.Close()
	for b.in.Scan() {
	}
	b.stop()
	answer, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a closed page answers %d", answer.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A large record is read in bounded memory: the oldest fires are dropped.
func TestALargeRecordIsFollowedInBoundedMemory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large.jsonl")
	size := int64(128 << 20)
	if testing.Short() {
		size = 64 << 20
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriterSize(f, 1<<20)
	pad := strings.Repeat("x", 3500)
	n := 0
	for written := int64(0); written < size; n++ {
		w, err := fmt.Fprintf(out, `{"v":1,"id":"%d","time":"2026-01-31T12:00:00.5Z","event":"claude.Notification","session":"s","subject":"n%d","input":{"x":"%s"},"hooks":[]}`+"\n", n, n, pad)
		if err != nil {
			t.Fatal(err)
		}
		written += int64(w)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := page(t, tracepage.Config{Files: []string{name}, MostFires: 1000})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	most := uint64(0)
	done := make(chan struct{})
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var mem runtime.MemStats
			runtime.ReadMemStats(&mem)
			most = max(most, mem.HeapAlloc)
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	b := look(t, server.URL+"/")
	b.until(fmt.Sprintf(`"n":"Notification n%d"`, n-1))
	close(done)
	<-sampled
	if most > 96<<20 {
		t.Errorf("%d MiB of memory for a record of %d MiB", most>>20, size>>20)
	}
	t.Logf("%d fires of %d MiB in %d MiB", n, size>>20, most>>20)
}

func TestMountedBelowAPath(t *testing.T) {
	p := page(t, tracepage.Config{})
	mux := http.NewServeMux()
	mux.Handle("/hooks/", http.StripPrefix("/hooks", p))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer, err := http.Get(server.URL + "/hooks/")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil || answer.StatusCode != 200 || !strings.Contains(string(body), "<!doctype html>") || strings.Contains(string(body), "{{") {
		t.Errorf("%d, %v: %.100s", answer.StatusCode, err, body)
	}
}
