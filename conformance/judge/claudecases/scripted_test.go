package claudecases

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/internal/testkit"
)

// ask sends a request as a hook would, over a new connection.
func ask(ctx context.Context, method, url, body string) (status int, answer string, header http.Header, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	r.Header.Set("X-A", "1")
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), res.Header, err
}

func TestTheServerAnswersAsScripted(t *testing.T) {
	p := mustParse(t, `"settings": {"url": "{{HTTP}}"}, "http": {"/hook": {"status": 307, "headers": {"Location": "{{HTTP}}/other"}, "body": "b"}}`).Prepare(t, "")
	url := p.server.web.URL
	wantContains(t, string(p.Settings), url)
	status, body, header, err := ask(t.Context(), http.MethodPost, url+"/hook", `{"a": 1}`)
	if err != nil || status != 307 || body != "b" || header.Get("Location") != url+"/other" {
		t.Errorf("got %d %q %v, error %v; want the scripted answer", status, body, header, err)
	}
	for _, tt := range []struct {
		method, path string
		status       int
	}{{"GET", "/hook", 307}, {"POST", "/other", 404}, {"PUT", "/hook", 405}} {
		if status, _, _, err := ask(t.Context(), tt.method, url+tt.path, ""); err != nil || status != tt.status {
			t.Errorf("%s %s: got %d, error %v; want %d", tt.method, tt.path, status, err, tt.status)
		}
	}
	got := p.server.received()
	if len(got) != 4 || got[0].Method != http.MethodPost || got[0].Path != "/hook" || got[0].Body != `{"a": 1}` || got[0].Header["x-a"] != "1" || got[2].Path != "/other" {
		t.Errorf("received %+v, want every request in order", got)
	}
}

func TestADelayEndsWithItsClientAndWithTheServer(t *testing.T) {
	start := time.Now()
	t.Run("case", func(t *testing.T) {
		p := mustParse(t, `"http": {"/slow": {"status": 200, "delay_ms": 60000}}`).Prepare(t, "")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, _, _, err := ask(ctx, "POST", p.server.web.URL+"/slow", "{}"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v, want the client to give up", err)
		}
		go ask(context.WithoutCancel(t.Context()), "POST", p.server.web.URL+"/slow", "{}") // a client that never gives up
		testkit.Eventually(t, "the server has received both requests", func() bool { return len(p.server.received()) == 2 })
	})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the server closed after %v", took)
	}
}

func TestADelayIsKept(t *testing.T) {
	p := mustParse(t, `"http": {"/slow": {"status": 200, "delay_ms": 30}}`).Prepare(t, "")
	start := time.Now()
	status, _, _, err := ask(t.Context(), "POST", p.server.web.URL+"/slow", "{}")
	if took := time.Since(start); err != nil || status != 200 || took < 30*time.Millisecond {
		t.Errorf("got %d after %v, error %v; want 200 after 30ms", status, took, err)
	}
}

func TestTheDeadURLRefuses(t *testing.T) {
	p := mustParse(t, `"settings": {"url": "{{DEAD}}"}`).Prepare(t, "")
	url := strings.TrimSuffix(strings.TrimPrefix(string(p.Settings), `{"url":"`), `"}`)
	_, _, _, err := ask(t.Context(), "POST", url+"/hook", "{}")
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%s: got error %v, want the connection refused", url, err)
	}
}

func TestTheModelRepliesInOrder(t *testing.T) {
	p := mustParse(t, `"llm": [{"reply": "one"}, {"error": "overloaded"}, {"reply": "late", "delay_ms": 60000}]`).Prepare(t, "")
	if reply, err := p.Model.Generate(t.Context(), "prompt", "", "a"); reply != "one" || err != nil {
		t.Errorf("got %q, error %v; want one", reply, err)
	}
	if _, err := p.Model.Generate(t.Context(), "agent", "m", "b"); err == nil || err.Error() != "overloaded" {
		t.Errorf("got error %v, want overloaded", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := p.Model.Generate(ctx, "prompt", "", "c"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want the error of the context", err)
	}
	if _, err := p.Model.Generate(t.Context(), "prompt", "", "d"); err == nil {
		t.Error("there is a reply more than in the case")
	}
	want := `[{"kind":"prompt","model":"","prompt":"a"},{"kind":"agent","model":"m","prompt":"b"},{"kind":"prompt","model":"","prompt":"c"},{"kind":"prompt","model":"","prompt":"d"}]`
	if got := show(p.Model.requests()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheUserPicksInOrder(t *testing.T) {
	p := mustParse(t, `"user_selects": ["no"]`).Prepare(t, "")
	if key, ok := p.User.Select("Really?", []string{"yes", "no"}); key != "no" || !ok {
		t.Errorf("got %q, %v; want no", key, ok)
	}
	if key, ok := p.User.Select("Again?", nil); key != "" || ok {
		t.Errorf("got %q, %v; want the user to be gone", key, ok)
	}
	if got, want := show(p.User.prompts()), `[{"keys":["yes","no"],"message":"Really?"},{"keys":[],"message":"Again?"}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := mustParse(t, ``).Prepare(t, ""); p.User != nil || len(p.User.prompts()) != 0 {
		t.Error("a case without user_selects has a user")
	}
}
