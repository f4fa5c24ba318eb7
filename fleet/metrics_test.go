package fleet

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// get returns the status and the text of a path of a worker.
func get(t testing.TB, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// madeUp is an event that no dialect has.
const madeUp = "MadeUpEvent"

// measuredWorker is a worker that has answered, refused and failed.
func measuredWorker(t testing.TB) http.Handler {
	t.Helper()
	url := startServer(t)
	nc := connect(t, url)
	public, private := newKey(t)
	push(t, nc, private, policyDir(t, "x"))
	load := hooked("claude", "PreToolUse", runner(func(_ context.Context, call hook.Call) (hook.Reply, error) {
		if wire.Object(call.Payload).Text("tool_use_id") == "fails" {
			return hook.Reply{}, errors.New("it fails")
		}
		return hook.Reply{Stdout: []byte(`{"decision":"block","reason":"x"}`)}, nil
	}))
	ctx, cancel := context.WithCancel(context.Background())
	w, err := Work(ctx, nc, WorkOptions{
		Policy: PolicyOptions{Key: public, Cache: t.TempDir(), Log: quiet},
		Serve:  ServeOptions{Log: quiet, Metrics: NewMetrics()},
		Loads:  func(string) []pipeline.Load { return []pipeline.Load{load} },
		System: pipeline.Config{Log: quiet},
	})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); w.Wait() })
	h := w.Handler()
	testkit.Eventually(t, "the worker is ready", func() bool { code, _ := get(t, h, "/readyz"); return code == http.StatusOK })
	for _, input := range []string{bash, strings.Replace(bash, `"t"`, `"fails"`, 1), `[]`} {
		if _, err := nc.Request(FirePrefix+"claude.PreToolUse", []byte(`{"input":`+input+`}`), patience); err != nil {
			t.Fatal(err)
		}
	}
	for _, request := range []string{"{", `{"input":{}}`, `{"eventName":"Other","input":{}}`} {
		if _, err := nc.Request(FirePrefix+"claude."+madeUp, []byte(request), patience); err != nil {
			t.Fatal(err)
		}
	}
	w.metrics.refused(nil)
	return h
}

// The dashboard of the example queries only metrics that a worker has.
func TestTheDashboardShowsWhatAWorkerCounts(t *testing.T) {
	text, err := os.ReadFile("../examples/fleet/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	_, metrics := get(t, measuredWorker(t), "/metrics")
	named, by, asked := regexp.MustCompile(`\bsnaphook_\w+`), regexp.MustCompile(`by \(([\w, ]+)\)`), map[string]bool{}
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			name := named.FindString(target.Expr)
			asked[strings.TrimSuffix(name, "_bucket")] = true
			if !regexp.MustCompile(`(?m)^` + name + `[{ ]`).MatchString(metrics) {
				t.Errorf("%s: a worker has no %q", p.Title, name)
			}
			for _, labels := range by.FindAllStringSubmatch(target.Expr, -1) {
				for label := range strings.SplitSeq(labels[1], ", ") {
					if !regexp.MustCompile(`(?m)^` + name + `\{[^}]*\b` + label + `="`).MatchString(metrics) {
						t.Errorf("%s: %s has no label %s", p.Title, name, label)
					}
				}
			}
		}
	}
	for line := range strings.Lines(metrics) {
		name, isType := strings.CutPrefix(line, "# TYPE snaphook_")
		if name, _, _ = strings.Cut(name, " "); isType && !asked["snaphook_"+name] {
			t.Errorf("the dashboard does not show snaphook_%s", name)
		}
	}
}

func TestHealthSaysWhatIsMissing(t *testing.T) {
	nc := connect(t, startServer(t))
	public, private := newKey(t)
	w, stop := work(t, nc, public, t.TempDir())
	h := w.Handler()
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "there is no policy yet"} {
		if _, text := get(t, h, path); !strings.HasPrefix(text, want) {
			t.Errorf("%s says %q; want %q", path, text, want)
		}
	}
	push(t, nc, private, policyDir(t, "x"))
	testkit.Eventually(t, "the worker is ready", func() bool {
		code, text := get(t, h, "/readyz")
		return code == http.StatusOK && text == "ok, revision 1\n"
	})
	if _, text := get(t, h, "/metrics"); !strings.Contains(text, "snaphook_policy_revision 1\n") {
		t.Errorf("the metrics have no revision: %s", text)
	}
	stop()
	if code, text := get(t, h, "/readyz"); code != http.StatusServiceUnavailable || !strings.HasPrefix(text, "the worker has ended") {
		t.Errorf("after its end the worker says %d %q", code, text)
	}
	if code, _ := get(t, h, "/healthz"); code != http.StatusOK {
		t.Errorf("/healthz says %d", code)
	}
}

// A client can send any event name, and each label of a metric takes memory until the worker ends.
func TestAnEventThatAClientMakesUpIsNoLabel(t *testing.T) {
	if _, metrics := get(t, measuredWorker(t), "/metrics"); strings.Contains(metrics, madeUp) {
		t.Errorf("the metrics have the event %s", madeUp)
	}
}
