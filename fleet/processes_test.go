package fleet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aead.dev/minisign"
	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/fleet/embedded"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/record"
	"github.com/snaphook-go/snaphook/wire"
)

// roleVariable makes the test's program a server, a worker or some agents.
const roleVariable = "SNAPHOOK_TEST_ROLE"

// roles are the programs of a fleet. Each prints a line "ready" when it works. It ends after a signal, or when its
// standard input ends, as it does at the end of the test.
var roles = map[string]func(ctx context.Context, args map[string]string) error{
	"server": serverRole, "worker": workerRole, "agents": agentsRole,
}

// runRole runs a role until SIGTERM. A goroutine that is left is an error.
func runRole(name string) int {
	ctx, stop := ossignal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		if ctx.Err() == nil { // the test has ended, perhaps by a panic
			os.Exit(3)
		}
	}()
	args := map[string]string{}
	for _, arg := range os.Args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		args[key] = value
	}
	err := roles[name](ctx, args)
	cancel()
	if err == nil {
		err = goleak.Find(before, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"),
			goleak.IgnoreAnyFunction("github.com/snaphook-go/snaphook/fleet.runRole.func1"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		return 1
	}
	return 0
}

func serverRole(ctx context.Context, args map[string]string) error {
	s, err := embedded.Start(embedded.Options{URL: args["url"], Dir: args["dir"]})
	if err != nil {
		return err
	}
	defer s.Close()
	nc, err := Connect(s.ClientURL(), ConnectOptions{Need: true, Log: quiet})
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := Prepare(ctx, nc, 1, Retention{}); err != nil {
		return err
	}
	fmt.Println("ready", s.ClientURL())
	<-ctx.Done()
	return nil
}

// ledger is a file to which many processes append lines.
type ledger struct{ file *os.File }

func openLedger(name string) (*ledger, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &ledger{f}, err
}

func (l *ledger) add(line string) { _, _ = l.file.WriteString(line + "\n") }

// readLedger returns how often each line is in a ledger.
func readLedger(t testing.TB, name string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, "\n") { // the last line may be incomplete
			lines[strings.TrimSuffix(line, "\n")]++
		}
	}
	return lines
}

// ledgered writes the id of each line to a ledger when the spool has the line.
type ledgered struct {
	*spool
	to *ledger
}

func (w ledgered) Write(line []byte) (int, error) {
	n, err := w.spool.Write(line)
	if err == nil {
		w.to.add(wire.Object(line[:len(line)-1]).Text("id"))
	}
	return n, err
}

// roleRecorder returns a Recorder that adds the id of each line to the ledger args["recorded"] once the spool has the
// line. It returns nil if args names no spool.
func roleRecorder(url string, args map[string]string) (*Recorder, func(), error) {
	if args["spool"] == "" {
		return nil, func() {}, nil
	}
	nc, err := Connect(url, ConnectOptions{Log: quiet})
	if err != nil {
		return nil, nil, err
	}
	r, err := Records(nc, args["spool"], RecordOptions{Log: quiet, Host: "h"})
	if err != nil {
		return nil, nil, err
	}
	to, err := openLedger(args["recorded"])
	if err != nil {
		return nil, nil, err
	}
	r.Recorder = record.New(ledgered{r.spool, to}, r.opts.Record)
	return r, func() { r.Close(); nc.Close() }, nil
}

// workerRole answers each call with a denial whose reason is the id of the call. It writes the id to the ledger
// first.
func workerRole(ctx context.Context, args map[string]string) error {
	key, err := ReadPublicKey(args["key"])
	if err != nil {
		return err
	}
	ran, err := openLedger(args["ran"])
	if err != nil {
		return err
	}
	slow, _ := time.ParseDuration(args["slow"]) // of each hook
	nc, err := Connect(args["url"], ConnectOptions{Log: quiet})
	if err != nil {
		return err
	}
	defer nc.Close()
	recorder, done, err := roleRecorder(args["url"], args)
	if err != nil {
		return err
	}
	defer done()
	answer := runner(func(ctx context.Context, call hook.Call) (hook.Reply, error) {
		id := wire.Object(call.Payload).Text("tool_use_id")
		ran.add(id)
		if slow > 0 {
			timer := time.NewTimer(slow)
			defer timer.Stop()
			<-timer.C
		}
		return hook.Reply{Stdout: []byte(`{"decision":"block","reason":"` + id + `"}`)}, nil
	})
	cache, err := os.MkdirTemp(args["dir"], "worker-")
	if err != nil {
		return err
	}
	opts := WorkOptions{
		Policy: PolicyOptions{Key: key, Cache: cache, Log: quiet},
		Serve:  ServeOptions{Log: quiet},
		Loads:  func(string) []pipeline.Load { return []pipeline.Load{hooked("claude", "PreToolUse", answer)} },
		System: pipeline.Config{Log: quiet},
	}
	if recorder != nil {
		opts.Observers = func(uint64) []pipeline.Observer { return []pipeline.Observer{recorder.Shared()} }
	}
	w, err := Work(ctx, nc, opts)
	if err != nil {
		return err
	}
	select {
	case <-w.Policy.Ready():
		fmt.Println("ready")
	case <-ctx.Done():
	}
	w.Wait()
	return nil
}

// agentsRole runs n agents, each with its own connection, policy and system. Each makes the given number of calls, one
// after another, or calls until SIGTERM, and prints the outcome of each:
//
//	ID answered       the worker's denial of this call
//	ID denied CLASS … the failure of a gate that blocks
//	ID WRONG …        any other outcome
func agentsRole(ctx context.Context, args map[string]string) error {
	n, err := strconv.Atoi(args["n"])
	if err != nil {
		return err
	}
	fires, err := strconv.Atoi(args["fires"])
	if err != nil {
		return err
	}
	key, err := ReadPublicKey(args["key"])
	if err != nil {
		return err
	}
	recorder, done, err := roleRecorder(args["url"], args)
	if err != nil {
		return err
	}
	defer done()
	fmt.Println("ready")
	var all sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		all.Go(func() {
			if err := oneAgent(ctx, args, fmt.Sprint(args["name"], ".", i), key, fires, recorder); err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func oneAgent(ctx context.Context, args map[string]string, name string, key minisign.PublicKey, fires int, recorder *Recorder) error {
	nc, err := Connect(args["url"], ConnectOptions{Log: quiet})
	if err != nil {
		return err
	}
	defer nc.Close()
	cache, err := os.MkdirTemp(args["dir"], "agent-")
	if err != nil {
		return err
	}
	p, err := Watch(ctx, nc, PolicyOptions{Key: key, Cache: cache, Host: name, Log: quiet})
	if err != nil {
		return err
	}
	defer p.Close()
	select {
	case <-p.Ready(): // until there is a policy, each call is denied at once
	case <-ctx.Done():
		return nil
	}
	cfg := pipeline.Config{Log: quiet, Load: []pipeline.Load{within(2*time.Second, Hooks(nc, HookOptions{Policy: p, Host: name}))}}
	if recorder != nil {
		cfg.Observe = []pipeline.Observer{recorder.Shared()}
	}
	sys := pipeline.NewSystem(cfg)
	defer sys.Close()
	defer p.Reloads(sys)()
	s, err := sys.NewSession(ctx, pipeline.SessionConfig{ID: name, Dir: cache, State: cache})
	if err != nil {
		return err
	}
	var failed pipeline.Failure
	defer s.OnFailure(func(f pipeline.Failure) { failed = f })()
	var preToolUse pipeline.Declared
	for _, e := range pipeline.Events(claude.Dialect) {
		if e.Info().Name == "PreToolUse" {
			preToolUse = e
		}
	}
	for i := 0; (fires == 0 || i < fires) && ctx.Err() == nil; i++ {
		id := fmt.Sprint(name, ".", i)
		failed = pipeline.Failure{}
		res, err := preToolUse.FireJSON(context.Background(), s, []byte(`{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"`+id+`"}`))
		switch {
		case err != nil:
			fmt.Println(id, "WRONG", err)
		case !res.Blocked:
			fmt.Println(id, "WRONG it goes ahead")
		case failed.Err != nil:
			fmt.Println(id, "denied", hook.ClassOf(failed.Err), strings.Join(strings.Fields(failed.Err.Error()), " "))
		case res.Reason == nil || *res.Reason != id:
			fmt.Println(id, "WRONG the answer is to another call")
		default:
			fmt.Println(id, "answered")
		}
	}
	return nil
}

// within gives hooks a timeout.
func within(timeout time.Duration, load pipeline.Load) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (pipeline.Loaded, error) {
		loaded, err := load(ctx, at)
		for _, h := range loaded.Hooks {
			h.Timeout = timeout
		}
		return loaded, err
	}
}

// process is a running role.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	ready chan string // gets the text after "ready" in that line
	ended chan struct{}
	err   error
	errs  strings.Builder
	dead  bool // the test has killed it
}

// start starts a role. lines, which may be nil, gets each line that it prints.
func start(t testing.TB, role string, lines func(string), args ...string) *process {
	t.Helper()
	p := &process{t: t, ready: make(chan string, 1), ended: make(chan struct{})}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	p.cmd.Stderr = &p.errs
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			if rest, ready := strings.CutPrefix(s.Text(), "ready"); ready {
				p.ready <- strings.TrimSpace(rest)
			} else if lines != nil {
				lines(s.Text())
			}
		}
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// await waits for the line "ready", and returns the text after this word.
func (p *process) await() string {
	p.t.Helper()
	select {
	case rest := <-p.ready:
		return rest
	case <-p.ended:
		p.t.Fatalf("%v has ended with %v: %s", p.cmd.Args[1:], p.err, p.errs.String())
	case <-time.After(3 * patience):
		p.t.Fatalf("%v does not begin", p.cmd.Args[1:])
	}
	return ""
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	p.t.Helper()
	p.dead = true
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Error(err)
	}
	<-p.ended
}

// wait waits for the end of the process, which has to be a success.
func (p *process) wait(within time.Duration) {
	p.t.Helper()
	select {
	case <-p.ended:
		if p.err != nil {
			p.t.Errorf("%v has ended with %v: %s", p.cmd.Args[1:], p.err, p.errs.String())
		}
	case <-time.After(within):
		p.t.Errorf("%v has not ended within %v", p.cmd.Args[1:], within)
	}
}

// term sends SIGTERM, and waits for the end.
func (p *process) term() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Error(err)
	}
	p.wait(2 * patience)
}

// fleetOf is a fleet of real processes, which a test disturbs.
type fleetOf struct {
	t              testing.TB
	dir, url       string
	key            string
	private        minisign.PrivateKey
	server         *process
	workers        []*process
	ran, recorded  string // the ledgers
	workerURL      string
	recording      bool
	workersStarted int
}

// newFleet starts a server, and pushes a policy.
func newFleet(t testing.TB) *fleetOf {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	f := &fleetOf{t: t, dir: t.TempDir(), url: "nats://127.0.0.1:0"}
	f.ran, f.recorded, f.key = filepath.Join(f.dir, "ran"), filepath.Join(f.dir, "recorded"), filepath.Join(f.dir, "policy.pub")
	public, private := newKey(t)
	text, err := public.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	testkit.WriteFile(t, f.key, string(text), 0o600)
	f.private = private
	f.startServer()
	f.workerURL = f.url
	f.push("x")
	return f
}

func (f *fleetOf) push(reason string) {
	f.t.Helper()
	nc, err := Connect(f.url, ConnectOptions{Need: true, Log: quiet})
	if err != nil {
		f.t.Fatal(err)
	}
	defer nc.Close()
	push(f.t, nc, f.private, policyDir(f.t, reason))
}

// startServer starts the server. A later start uses the address of the first.
func (f *fleetOf) startServer() {
	f.t.Helper()
	f.server = start(f.t, "server", nil, "url="+f.url, "dir="+filepath.Join(f.dir, "server"))
	f.url = f.server.await()
}

func (f *fleetOf) restartServer() {
	f.t.Helper()
	f.server.kill()
	f.startServer()
}

// spoolArgs are the arguments of a role that records.
func (f *fleetOf) spoolArgs() []string {
	if !f.recording {
		return nil
	}
	return []string{"spool=" + filepath.Join(f.dir, "spool"), "recorded=" + f.recorded}
}

// addWorker starts a worker, and waits until it has a policy.
func (f *fleetOf) addWorker(args ...string) *process {
	f.t.Helper()
	p := start(f.t, "worker", nil, append(append([]string{"url=" + f.workerURL, "key=" + f.key, "dir=" + f.dir, "ran=" + f.ran}, f.spoolArgs()...), args...)...)
	p.await()
	f.workers = append(f.workers, p)
	return p
}

// popWorker removes the oldest worker from the list.
func (f *fleetOf) popWorker() *process {
	p := f.workers[0]
	f.workers = f.workers[1:]
	return p
}

// agents starts n agents in a process.
func (f *fleetOf) agents(name, url string, n, fires int, lines func(string)) *process {
	f.t.Helper()
	return start(f.t, "agents", lines, append([]string{
		"name=" + name, "n=" + strconv.Itoa(n), "fires=" + strconv.Itoa(fires), "url=" + url, "key=" + f.key, "dir=" + f.dir,
	}, f.spoolArgs()...)...)
}

// tcpProxy forwards connections; a test can stall and cut it like a network.
type tcpProxy struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	cut      bool
	stalled  chan struct{} // the channel is closed while bytes may pass
	conns    map[net.Conn]bool
	all      sync.WaitGroup
}

func newProxy(t testing.TB, url string) *tcpProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	flows := make(chan struct{})
	close(flows)
	p := &tcpProxy{listener: l, to: strings.TrimPrefix(url, "nats://"), stalled: flows, conns: map[net.Conn]bool{}}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.resume()
		p.setCut(true)
		p.all.Wait()
	})
	return p
}

func (p *tcpProxy) url() string { return "nats://" + p.listener.Addr().String() }

func (p *tcpProxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.to)
		if err != nil || !p.keep(from, to) {
			_ = from.Close()
			if to != nil {
				_ = to.Close()
			}
			continue
		}
		p.all.Go(func() { p.copy(to, from) })
		p.all.Go(func() { p.copy(from, to) })
	}
}

// keep adds two connections, unless the network is cut.
func (p *tcpProxy) keep(a, b net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	p.conns[a], p.conns[b] = true, true
	return true
}

func (p *tcpProxy) copy(to, from net.Conn) {
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		flows := p.stalled
		p.mu.Unlock()
		<-flows
		if err == nil {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			p.mu.Lock()
			delete(p.conns, from)
			delete(p.conns, to)
			p.mu.Unlock()
			return
		}
	}
}

// setCut ends all connections, and refuses new ones while it is cut.
func (p *tcpProxy) setCut(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut = cut; cut {
		for c := range p.conns {
			_ = c.Close()
		}
	}
}

// stall lets no byte through until resume.
func (p *tcpProxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = make(chan struct{})
}

func (p *tcpProxy) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stalled:
	default:
		close(p.stalled)
	}
}
