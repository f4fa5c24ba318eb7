package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/run/llm"
	"github.com/snaphook-go/snaphook/run/request"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// failing is one way in which a real hook fails.
type failing struct {
	transport string
	class     hook.Class
	entry     string // the hook in the settings; %URL% stands for the server's address
	environ   []string
	server    http.HandlerFunc                                    // nil: connections are refused
	tool      func(context.Context) (request.ToolAnswer, error)   // of an mcp_tool hook
	goes      func(context.Context) error                         // of a hook in Go
	garbage   bool                                                // a hook in Go answers with invalid JSON
	says      string                                              // part of the error
	limits    string                                              // in the overlay
	before    func(r *rig, t *testing.T)                          // makes the hook fail in this world
	around    func(ctx context.Context) (context.Context, func()) // the caller's context
	session   func(*pipeline.SessionConfig)
	unguarded bool // without a policy the hook is skipped, and therefore has not failed
}

func command(script string) string {
	return fmt.Sprintf(`{"type": "command", "command": %s}`, wire.Quote(script))
}

const (
	post   = `{"type": "http", "url": "%URL%/hook"}`
	prompt = `{"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"}`
	mcp    = `{"type": "mcp_tool", "server": "s", "tool": "guard"}`
)

// model answers a request to the API of a model with a text.
func model(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"content":[{"type":"text","text":%s}],"stop_reason":"end_turn"}`, wire.Quote(text))
	}
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

func hangsUp(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func waits(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }

// short is a limit of time for the rows that run into it.
const short = `"timeout": "150ms"`

var failures = []failing{
	{transport: "command", class: hook.ClassSpawn, entry: command("true"), environ: []string{"BIG=" + strings.Repeat("x", 200<<10)}, says: "argument list too long"},
	{transport: "command", class: hook.ClassMissing, entry: command("./gone.sh"), says: "gone.sh"},
	{transport: "command", class: hook.ClassMissing, entry: command("bash -c 'exit 126'"), says: "126"},
	{transport: "command", class: hook.ClassTimeout, entry: command("sleep 60"), limits: short, says: "timed out"},
	{transport: "command", class: hook.ClassCrash, entry: command("kill -SEGV $$"), says: "signal"},
	{transport: "command", class: hook.ClassExit, entry: command("echo broken >&2; exit 1"), says: "broken"},
	{transport: "command", class: hook.ClassOutput, entry: command(`echo '{"continue": 7}'`), says: "continue"},
	{transport: "command", class: hook.ClassOversize, entry: command("head -c 9000000 /dev/zero"), says: "longer than"},
	{transport: "command", class: hook.ClassCancelled, entry: command("sleep 60"), around: givesUp, says: "canceled"},
	{transport: "command", class: hook.ClassQueue, entry: command("echo >started; read -r line <go"), limits: "queue", before: (*rig).occupyByCommand, says: "no permit"},
	{transport: "command", class: hook.ClassUntrusted, entry: command("touch ran"), session: untrusted, unguarded: true, says: "not trusted"},
	{transport: "command", class: hook.ClassInvalid, entry: `{"type": "comand", "command": "touch ran"}`, unguarded: true, says: "no hook type"},
	{transport: "command", class: hook.ClassBreaker, entry: command("./gone.sh"), limits: "breaker", before: (*rig).breakIt, says: "failed 1 times"},

	{transport: "http", class: hook.ClassHTTP, entry: post, says: "refused"},
	{transport: "http", class: hook.ClassHTTP, entry: post, server: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, says: "500"},
	{transport: "http", class: hook.ClassHTTP, entry: post, server: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, says: "EOF"},
	{transport: "http", class: hook.ClassTimeout, entry: post, server: hangsUp, limits: short, says: "timed out"},
	{transport: "http", class: hook.ClassOutput, entry: post, server: body("hello"), says: "text"},
	{transport: "http", class: hook.ClassOversize, entry: post, server: body(`{"a":"` + strings.Repeat("x", request.MaxAnswer) + `"}`), says: "longer than"},
	{transport: "http", class: hook.ClassCancelled, entry: post, server: hangsUp, around: givesUp, says: "canceled"},
	{transport: "http", class: hook.ClassQueue, entry: post, limits: "queue", before: (*rig).occupyByServer, says: "no permit"},
	{transport: "http", class: hook.ClassUntrusted, entry: post, session: untrusted, unguarded: true, says: "not trusted"},
	{transport: "http", class: hook.ClassBreaker, entry: post, limits: "breaker", before: (*rig).breakIt, says: "failed 1 times"},

	{transport: "prompt", class: hook.ClassModel, entry: prompt, says: "refused"},
	{transport: "prompt", class: hook.ClassModel, entry: prompt, server: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, says: "429"},
	{transport: "prompt", class: hook.ClassTimeout, entry: prompt, server: hangsUp, limits: short, says: "timed out"},
	{transport: "prompt", class: hook.ClassOutput, entry: prompt, server: model("I would rather talk about the weather."), says: "weather"},
	{transport: "prompt", class: hook.ClassCancelled, entry: prompt, server: hangsUp, around: givesUp, says: "canceled"},
	{transport: "prompt", class: hook.ClassQueue, entry: prompt, limits: "queue", before: (*rig).occupyByServer, says: "no permit"},
	{transport: "prompt", class: hook.ClassUntrusted, entry: prompt, session: untrusted, unguarded: true, says: "not trusted"},
	{transport: "prompt", class: hook.ClassBreaker, entry: prompt, limits: "breaker", before: (*rig).breakIt, says: "failed 1 times"},

	{transport: "mcp", class: hook.ClassSpawn, entry: mcp, tool: func(context.Context) (request.ToolAnswer, error) {
		return request.ToolAnswer{}, errors.New("not connected")
	}, says: "not connected"},
	{transport: "mcp", class: hook.ClassExit, entry: mcp, tool: func(context.Context) (request.ToolAnswer, error) {
		return request.ToolAnswer{Text: "disk full", IsError: true}, nil
	}, says: "disk full"},
	{transport: "mcp", class: hook.ClassTimeout, entry: mcp, tool: func(ctx context.Context) (request.ToolAnswer, error) { return request.ToolAnswer{}, waits(ctx) }, limits: short, says: "timed out"},
	{transport: "mcp", class: hook.ClassCrash, entry: mcp, tool: func(context.Context) (request.ToolAnswer, error) { panic("nil map") }, says: "nil map"},
	{transport: "mcp", class: hook.ClassOutput, entry: mcp, tool: func(context.Context) (request.ToolAnswer, error) {
		return request.ToolAnswer{Text: `{"continue": 7}`}, nil
	}, says: "continue"},
	{transport: "mcp", class: hook.ClassOversize, entry: mcp, tool: func(context.Context) (request.ToolAnswer, error) {
		return request.ToolAnswer{Text: strings.Repeat("x", request.MaxAnswer+1)}, nil
	}, says: "longer than"},
	{transport: "mcp", class: hook.ClassCancelled, entry: mcp, tool: func(ctx context.Context) (request.ToolAnswer, error) { return request.ToolAnswer{}, waits(ctx) }, around: givesUp, says: "canceled"},
	{transport: "mcp", class: hook.ClassQueue, entry: mcp, limits: "queue", before: (*rig).occupyByTool, says: "no permit"},
	{transport: "mcp", class: hook.ClassUntrusted, entry: mcp, session: untrusted, unguarded: true, says: "not trusted"},
	{transport: "mcp", class: hook.ClassBreaker, entry: mcp, limits: "breaker", before: (*rig).breakIt, says: "failed 1 times"},

	// A hook in Go needs no program, holds no permit, and is trusted as a part of the host: it can be neither missing
	// nor queued nor untrusted.
	{transport: "go", class: hook.ClassExit, goes: func(context.Context) error { return errors.New("no database") }, says: "no database"},
	{transport: "go", class: hook.ClassCrash, goes: func(context.Context) error { panic("index out of range") }, says: "index out of range"},
	{transport: "go", class: hook.ClassRemote, goes: func(context.Context) error { // module fleet tests the real causes
		return &hook.ClassError{Class: hook.ClassRemote, Err: errors.New("no worker answered")}
	}, says: "no worker answered"},
	{transport: "go", class: hook.ClassTimeout, goes: waits, limits: short, says: "timed out"},
	{transport: "go", class: hook.ClassCancelled, goes: waits, around: givesUp, says: "canceled"},
	{transport: "go", class: hook.ClassOutput, garbage: true, says: "not JSON"},
	{transport: "go", class: hook.ClassBreaker, goes: func(context.Context) error { panic("again") }, limits: "breaker", before: (*rig).breakIt, says: "failed 1 times"},
}

// Every failure class has at least one row.
func TestEveryFailureClassIsProduced(t *testing.T) {
	for _, class := range hook.Classes() {
		if !slices.ContainsFunc(failures, func(f failing) bool { return f.class == class }) {
			t.Errorf("no hook fails with class %s", class)
		}
	}
}

func givesUp(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(100*time.Millisecond, cancel)
	return ctx, func() { timer.Stop(); cancel() }
}

func untrusted(c *pipeline.SessionConfig) { c.Untrusted, c.Interactive = true, true }

// rig is an engine with the one hook of a row.
type rig struct {
	sys     *pipeline.System
	dir     string
	row     failing
	fires   func(ctx context.Context, session string) (*pipeline.JSONResult, error)
	started chan struct{} // gets a value when a call occupies a server or a tool
	release chan struct{}
	lines   *shared
	free    func() // releases the resource that the hook waits for; nil: it waits for none
}

// shared is a buffer that many goroutines write to.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// eventKind is an event that stands for its kind: a gate that can ask, a gate that cannot, or an event that is no gate.
type eventKind struct {
	event pipeline.Declared
	input string
	gate  bool
	asks  bool
	on    func(s *pipeline.Session, goes func(context.Context) error, garbage bool)
}

var eventKinds = []eventKind{
	{claude.PreToolUse, `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, true, true, func(s *pipeline.Session, goes func(context.Context) error, garbage bool) {
		onGo(claude.PreToolUse, s, goes, garbage, claude.PreToolUseOutput{UpdatedInput: wire.Object("{")})
	}},
	{claude.UserPromptSubmit, `{"prompt":"p"}`, true, false, func(s *pipeline.Session, goes func(context.Context) error, garbage bool) {
		onGo(claude.UserPromptSubmit, s, goes, garbage, claude.UserPromptSubmitOutput{})
	}},
	{claude.PostToolUse, `{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"x"}}`, false, false, func(s *pipeline.Session, goes func(context.Context) error, garbage bool) {
		onGo(claude.PostToolUse, s, goes, garbage, claude.PostToolUseOutput{UpdatedToolOutput: []byte("{")})
	}},
}

func onGo[In, Out any](e *pipeline.Event[In, Out], s *pipeline.Session, goes func(context.Context) error, garbage bool, no Out) {
	e.On(s, "go-guard", func(ctx context.Context, _ In) (o hook.Output[Out], err error) {
		if garbage {
			o.Specific = no
			return o, nil
		}
		return o, goes(ctx)
	})
}

// policies are the failure policies of the overlay; "" sets no policy.
var policies = []string{"", "open", "ask", "closed"}

// wantAction returns the action that a policy takes on a failure.
func wantAction(says string, k eventKind, f failing) hook.Action {
	switch {
	case says == "closed" && k.gate, says == "ask" && k.gate && !k.asks:
		return hook.FailClosed
	case says == "ask" && k.gate:
		return hook.FailAsk
	case says == "" && f.transport == "go" && f.class == hook.ClassTimeout && k.event.Info().Rules.LateFuncBlocks:
		return hook.FailClosed // the dialect blocks if a hook in Go is late
	}
	return hook.FailOpen
}

func (f failing) overlay(says string) string {
	rule, limits := "", ""
	switch f.limits {
	case "queue":
		rule, limits = `"queue": "100ms"`, `"concurrent": 1`
	case "breaker":
		limits = `"breaker": {"failures": 1, "for": "1h"}`
	default:
		rule = f.limits
	}
	if says != "" {
		rule = strings.TrimSuffix(`"onFailure": "`+says+`", `+rule, ", ")
	}
	return fmt.Sprintf(`{"hooks": [{%s}], "limits": {%s}}`, rule, limits)
}

// mount makes the engine of a row, with the policy in a file.
func (f failing) mount(t *testing.T, k eventKind, says string) *rig {
	t.Helper()
	r := &rig{dir: t.TempDir(), row: f, lines: &shared{}, started: make(chan struct{}, 1), release: make(chan struct{})}
	overlay := filepath.Join(r.dir, policy.FileName)
	if err := os.WriteFile(overlay, []byte(f.overlay(says)), 0o600); err != nil {
		t.Fatal(err)
	}
	url := r.serve(t)
	entries := "[]"
	if f.entry != "" {
		entries = fmt.Sprintf(`[{"hooks": [%s]}]`, strings.ReplaceAll(f.entry, "%URL%", url))
	}
	text := fmt.Sprintf(`{"hooks": {%q: %s}}`, k.event.Info().Name, entries)
	set := claude.Settings{
		Layers:  []settings.Layer{{Name: "project", Source: hook.Project, File: "settings.json", Data: []byte(text)}},
		Environ: append(os.Environ(), f.environ...),
		Model:   llm.Anthropic{BaseURL: url, Model: "small", HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}},
		Tools:   caller{r},
	}
	r.sys = pipeline.NewSystem(pipeline.Config{
		Load: []pipeline.Load{set.Load}, Log: slog.New(slog.DiscardHandler),
		Policy:  policy.Source{Files: map[policy.Level]string{policy.Machine: overlay}},
		Observe: []pipeline.Observer{record.New(r.lines, record.Config{})},
	})
	t.Cleanup(func() { r.sys.Close() })
	r.fires = func(ctx context.Context, id string) (*pipeline.JSONResult, error) {
		cfg := pipeline.SessionConfig{ID: id, Dir: r.dir, Transcript: filepath.Join(r.dir, "t.jsonl")}
		if f.session != nil {
			f.session(&cfg)
		}
		ses, err := r.sys.NewSession(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if f.transport == "go" {
			k.on(ses, f.goes, f.garbage)
		}
		return k.event.FireJSON(ctx, ses, []byte(k.input))
	}
	return r
}

// refusing returns an address that refuses connections. Its port stays bound: otherwise a server of another test could
// get the port and answer.
func refusing(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// serve starts the server of a row. A row without a server gets an address that refuses connections.
func (r *rig) serve(t *testing.T) (url string) {
	t.Helper()
	if r.row.server == nil && r.row.limits != "queue" {
		return "http://" + refusing(t)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		if r.row.server != nil {
			r.row.server(w, q)
			return
		}
		r.hold()
		io.WriteString(w, "{}")
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// caller calls the host's tools.
type caller struct{ r *rig }

func (c caller) CallTool(ctx context.Context, _ request.ToolRequest) (request.ToolAnswer, error) {
	if c.r.row.tool != nil {
		return c.r.row.tool(ctx)
	}
	if c.r.row.limits == "breaker" {
		return request.ToolAnswer{}, errors.New("not connected")
	}
	c.r.hold()
	return request.ToolAnswer{}, nil
}

// hold blocks a call, which keeps the hook's permit.
func (r *rig) hold() {
	r.started <- struct{}{}
	<-r.release
}

// occupy fires in another session, whose hook keeps the only permit until free is called or the test ends.
func (r *rig) occupy(t *testing.T, started func(), release func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = r.fires(context.Background(), "holder")
	}()
	started()
	r.free = sync.OnceFunc(func() { release(); <-done })
	t.Cleanup(r.free)
}

func (r *rig) occupyByServer(t *testing.T) {
	r.occupy(t, func() { <-r.started }, func() { close(r.release) })
}

func (r *rig) occupyByTool(t *testing.T) { r.occupyByServer(t) }

func (r *rig) occupyByCommand(t *testing.T) {
	started, release := testkit.Pipe(t, r.dir, "started"), testkit.Pipe(t, r.dir, "go")
	r.occupy(t, func() {
		if _, err := started.Read(make([]byte, 1)); err != nil {
			t.Fatal("the hook has not started: ", err)
		}
	}, func() {
		if _, err := release.WriteString("\n\n\n\n"); err != nil { // one line for each run of the hook
			t.Error(err)
		}
	})
}

// breakIt makes the hook fail, so that its breaker opens.
func (r *rig) breakIt(t *testing.T) {
	t.Helper()
	if _, err := r.fires(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
}

// line returns the record of the tested fire.
func (r *rig) line(t *testing.T) (found *record.Line) {
	t.Helper()
	if r.free != nil {
		r.free()
	}
	r.sys.Close()
	for _, l := range record.Lines(strings.NewReader(r.lines.text()), func(n int, err error) { t.Errorf("line %d: %v", n, err) }) {
		if l.Session == "s" {
			found = l
		}
	}
	return found
}

func TestEveryFailureUnderEveryPolicy(t *testing.T) {
	for _, f := range failures {
		for _, k := range eventKinds {
			for _, says := range policies {
				if f.garbage && k.event == pipeline.Declared(claude.UserPromptSubmit) {
					continue // an answer at this event has no JSON that could be invalid
				}
				name := fmt.Sprintf("%s of a %s hook (%s) at %s, policy %q", f.class, f.transport, f.says, k.event.Info().Name, says)
				t.Run(name, func(t *testing.T) {
					t.Parallel() // the test mostly waits
					f.check(t, k, says)
				})
			}
		}
	}
}

// check makes the hook fail, and checks the outcome, the reason, the count and the record.
func (f failing) check(t *testing.T, k eventKind, says string) {
	r := f.mount(t, k, says)
	if f.before != nil {
		f.before(r, t)
	}
	ctx, counted := t.Context(), r.sys.FailedOpenBy()[f.class]
	if f.around != nil {
		around, end := f.around(ctx)
		defer end()
		ctx = around
	}
	res, err := r.fires(ctx, "s")
	if (err != nil) != (f.class == hook.ClassCancelled) {
		t.Errorf("the fire's error is %v", err)
	}
	action := wantAction(says, k, f)
	if f.unguarded && action == hook.FailOpen {
		if len(res.Hooks) > 0 || res.Blocked {
			t.Errorf("%d hooks ran, blocked %v; want the hook to be skipped, because it is not trusted", len(res.Hooks), res.Blocked)
		}
		return
	}
	if len(res.Hooks) != 1 || res.Hooks[0].Error == nil || !strings.Contains(*res.Hooks[0].Error, f.says) {
		t.Fatalf("hooks %+v; want one whose error has %q", res.Hooks, f.says)
	}
	f.outcome(t, k, says, action, res)
	if n := r.sys.FailedOpenBy()[f.class] - counted; (n == 1) != (action == hook.FailOpen) || n > 1 {
		t.Errorf("failed open %d times more as %s", n, f.class)
	}
	l := r.line(t)
	if l == nil || len(l.Hooks) != 1 {
		t.Fatalf("the record is %+v", l)
	}
	decision := map[hook.Action]string{hook.FailOpen: "", hook.FailAsk: "ask", hook.FailClosed: "deny"}[action]
	h, whole := l.Hooks[0], decision
	if k.gate && f.class == hook.ClassCancelled && says == "" {
		whole = "deny"
	}
	if h.Class != string(f.class) || h.IsFailedOpen() != (action == hook.FailOpen) || h.Decision != decision || l.Decision != whole || !strings.Contains(h.Error, f.says) {
		t.Errorf("the record has class %q, open %v, decision %q of %q, error %q; want %s, %v, %q", h.Class, h.IsFailedOpen(), h.Decision, l.Decision, h.Error, f.class, action == hook.FailOpen, decision)
	}
	if want := (action == hook.FailOpen); (l.FailedOpen == 1) != want {
		t.Errorf("the record counts %d hooks that failed open", l.FailedOpen)
	}
}

// outcome checks the result that the caller gets.
func (f failing) outcome(t *testing.T, k eventKind, says string, action hook.Action, res *pipeline.JSONResult) {
	t.Helper()
	gone := k.gate && f.class == hook.ClassCancelled && says == "" // the caller has gone: without a policy the fire blocks
	if res.Blocked != (gone || action == hook.FailClosed) {
		t.Errorf("blocked %v, want the failure to be %v", res.Blocked, action)
	}
	if k.asks {
		text, err := json.Marshal(res.Effects)
		if err != nil {
			t.Fatal(err)
		}
		effects := string(text)
		action := action
		if gone {
			action = hook.FailClosed
		}
		want := map[hook.Action]string{hook.FailOpen: `"permissionDecision":null`, hook.FailAsk: `"permissionDecision":"ask"`, hook.FailClosed: `"permissionDecision":"deny"`}[action]
		if !strings.Contains(effects, want) {
			t.Errorf("effects %s, want %s", effects, want)
		}
	}
	if action == hook.FailOpen || says == "" {
		return
	}
	label := map[string]string{"go": "go-guard", "mcp": "guard", "prompt": "", "http": "", "command": ""}[f.transport]
	reason := ""
	if res.Reason != nil {
		reason = *res.Reason
	}
	if want := fmt.Sprintf("failure class %q", f.class); !strings.Contains(reason, want) {
		t.Errorf("the reason %q does not have %q", reason, want)
	}
	for _, never := range []string{policy.FileName, "ways out", `"off"`, "onFailure", "/"} {
		if strings.Contains(reason, never) {
			t.Errorf("the reason %q, which a model reads, has %q", reason, never)
		}
	}
	told := strings.Join(res.Hooks[0].Notes, "\n")
	for _, want := range []string{label, f.says, fmt.Sprintf("failure class %q", f.class), fmt.Sprintf(`policy is %q`, says), policy.FileName + ":1:", "Three ways out", `"mode": "off"`} {
		if !strings.Contains(told, want) {
			t.Errorf("the notes %q, which the user reads, do not have %q", told, want)
		}
	}
}
