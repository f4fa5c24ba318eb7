package run

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/inprocess"
	"github.com/snaphook-go/snaphook/internal/scratch"
)

// warmSystem reports whether hooks can be kept warm on this system.
const warmSystem = true

// ownShell reports whether a script runs in this process even if bash is not installed.
const ownShell = false

// Warm holds the processes that warm commands keep ready: interpreters of Python that fork for each call, Node
// processes that have started and wait for one call, and workers that answer many calls. A Command uses it after
// [Command.SetWarm].
//
// A process belongs to one Command in one directory with one environment; it is never shared with another hook, project
// or user. A call starts cold, as without Warm, if its process is not ready, does not fit or has changed. Workers do
// not start cold: a call of a worker that does not respond fails. All processes are descendants of this process; they
// end with Close, and when this process is killed.
//
// The zero Warm is ready for use, from many goroutines.
type Warm struct {
	// Limit is the number of commands that are kept warm; 0 means 8. The least recently used is evicted first.
	Limit int

	// Log gets a warning for each command that cannot be kept warm, and messages about workers; nil means
	// [slog.Default].
	Log *slog.Logger

	// Tools compiles scripts of bash and dash that run in this process; package warm implements it. Nil: every such
	// script starts cold.
	Tools inprocess.Shell

	mu     sync.Mutex
	dir    string // has the files that interpreters load first
	kept   map[warmKey]*slot
	clock  uint64
	closed bool
	forks  chan func() // functions to run on the thread that starts processes
	closes sync.WaitGroup
	probed sync.Map // by interpreter: whether it loads our file before the script

	guard  guardian
	starts sync.WaitGroup // background starts
	ran    atomic.Uint64  // number of warm calls
}

// warmKey identifies a command with a directory and an environment; a warm process belongs to one key.
type warmKey struct {
	command *Command
	dir     string
	env     uint64
}

const (
	defaultWarm  = 8
	warmRetry    = 30 * time.Second // delay after a failed start of a warm process
	warmReady    = time.Second      // limit for a resident interpreter to begin a call
	warmLate     = 10 * time.Second // limit for a started process to reach its script
	warmProbe    = 10 * time.Second
	probedStatus = 77
)

// run runs a call warm. ran is false if the call has to start cold.
func (w *Warm) run(
	ctx context.Context,
	m *warmth,
	c *Command,
	call hook.Call,
	j job,
) (reply hook.Reply, ran bool, err error) {
	base, ok := c.job(hook.Call{Hook: call.Hook, Session: call.Session, Dir: call.Dir}).plain(c)
	if !ok || j.ask != nil {
		return reply, false, nil
	}
	list, ok := changes(base.env, j.env)
	if !ok {
		return reply, false, nil
	}
	s := w.slot(warmKey{c, j.dir, environKey(base.env)})
	if s == nil {
		return reply, false, nil
	}
	start := func() keeper { return w.start(m.kind, c, base) }
	if s.changed(identify(m.kind, j)) {
		s.ready(&w.starts, start)
		return reply, false, nil
	}
	k := s.ready(&w.starts, start)
	if k == nil {
		return reply, false, nil
	}
	reply, ran, stale, err := k.run(ctx, j, list)
	if ran {
		w.ran.Add(1)
	}
	if stale {
		s.drop(k)
		s.ready(&w.starts, start)
	}
	return reply, ran, err
}

// ask sends a call to a worker, which never starts cold. If the worker has lost its slot, ask tries again with a new
// one.
func (w *Warm) ask(ctx context.Context, c *Command, call hook.Call, j job) (reply hook.Reply, err error) {
	base, plain := c.job(hook.Call{Hook: call.Hook, Session: call.Session, Dir: call.Dir}).process(c, WarmWorker)
	if !plain {
		return reply, coldWorker(notPlain)
	}
	list, _ := changes(base.env, j.env)
	key := warmKey{c, j.dir, environKey(base.env)}
	for {
		s := w.slot(key)
		if s == nil {
			return reply, hook.ErrClosed
		}
		k := s.now(func() keeper { return startWorker(w, base) })
		if k == nil {
			continue
		}
		reply, ran, _, err := k.run(ctx, j, list)
		if ran {
			w.ran.Add(1)
			return reply, err
		}
	}
}

// Prewarm starts, in the background, the processes for calls of a hook that was passed to [Warm.Keep].
func (w *Warm) Prewarm(call hook.Call) {
	c, _ := hook.RunnerAs[*Command](call.Hook.Runner)
	if c == nil {
		return
	}
	m := c.warm.Load()
	if m == nil || m.shell != nil || m.unread || m.pool != w {
		return
	}
	base, ok := c.job(call).process(c, m.kind)
	if !ok {
		return
	}
	s := w.slot(warmKey{c, base.dir, environKey(base.env)})
	if s == nil {
		return
	}
	s.changed(identify(m.kind, base))
	start := func() keeper { return w.start(m.kind, c, base) }
	if m.kind != WarmWorker {
		s.ready(&w.starts, start)
	} else if worker, ok := s.now(start).(*worker); ok {
		w.starts.Go(func() { _, _ = worker.running() }) // the worker's first call reports the error
	}
}

// SetLimit sets Limit, and ends the processes of excess commands.
func (w *Warm) SetLimit(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Limit = n; !w.closed {
		w.evict()
	}
}

// slot returns the slot of a key, and evicts others if there are too many.
func (w *Warm) slot(key warmKey) *slot {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.clock++
	s := w.kept[key]
	if s == nil {
		if w.kept == nil {
			w.kept = map[warmKey]*slot{}
		}
		s = &slot{}
		w.kept[key] = s
		w.evict()
	}
	s.used = w.clock
	return s
}

// evict ends the least recently used commands until the limit is kept.
func (w *Warm) evict() {
	limit := w.Limit
	if limit <= 0 {
		limit = defaultWarm
	}
	for len(w.kept) > limit {
		var oldest warmKey
		var least uint64
		for key, s := range w.kept {
			if s.used != 0 && (least == 0 || s.used < least) {
				oldest, least = key, s.used
			}
		}
		s := w.kept[oldest]
		if s == nil {
			return
		}
		delete(w.kept, oldest)
		w.closes.Go(func() { s.end(keeper.retire) })
	}
}

// Close ends all processes and returns when they are gone. Later calls start cold; later calls of
// workers fail.
func (w *Warm) Close() {
	w.mu.Lock()
	w.closed = true
	for key, s := range w.kept {
		delete(w.kept, key)
		w.closes.Go(func() { s.end(keeper.close) })
	}
	w.mu.Unlock()
	w.starts.Wait()
	w.closes.Wait()
	w.guard.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.forks != nil {
		close(w.forks)
		w.forks = nil
	}
	if w.dir != "" {
		_ = scratch.Remove(w.dir)
		w.dir = ""
	}
}

// fork runs start on a thread that lives as long as the pool, because the kernel kills children when the thread that
// started them ends.
func (w *Warm) fork(start func()) bool {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false
	}
	if w.forks == nil {
		w.forks = make(chan func())
		go func(forks <-chan func()) {
			runtime.LockOSThread() // the thread ends with the goroutine
			for start := range forks {
				start()
			}
		}(w.forks)
	}
	forks := w.forks
	w.closes.Add(1) // Close waits until this function returns, therefore the channel stays open
	w.mu.Unlock()
	defer w.closes.Done()
	done := make(chan struct{})
	forks <- func() { defer close(done); start() }
	<-done
	return true
}

// loader returns the directory with the files that interpreters load first.
func (w *Warm) loader() (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return "", hook.ErrClosed
	}
	if w.dir != "" {
		return w.dir, nil
	}
	dir, err := scratch.Dir("warm-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"sitecustomize.py": warmPython, "end.py": warmPythonEnd, "warm.cjs": warmNode} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			_ = scratch.Remove(dir)
			return "", err
		}
	}
	w.dir = dir
	return dir, nil
}

// start returns a keeper for a command. If it cannot be started, it logs the error and returns nil.
func (w *Warm) start(kind string, c *Command, base job) keeper {
	var k keeper
	var err error
	switch kind {
	case WarmPython:
		k, err = startPython(w, base)
	case WarmNode:
		k, err = startNode(w, base)
	case WarmWorker:
		k = startWorker(w, base)
	}
	if err != nil {
		w.log().
			Warn("a hook cannot be kept warm and starts cold", slog.String("program", base.argv[0]), slog.String("error", err.Error()))
		return nil
	}
	return k
}

// probe checks that an interpreter loads the file named by flags before anything else. An interpreter that does not
// load it first would run the script without a call.
func (w *Warm) probe(found interpreter, env []string, dir string, flags []string, otherwise ...string) error {
	key := strings.Join(append([]string{found.program, dir}, flags...), "\x00")
	if ok, known := w.probed.Load(key); known {
		if !ok.(bool) {
			return errNoLoader
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), warmProbe)
	defer cancel()
	cmd := exec.CommandContext(ctx, found.program, append(slices.Clone(flags), otherwise...)...)
	cmd.Args[0], cmd.Dir, cmd.Env = found.argv[0], dir, append(slices.Clone(env), "SNAPHOOK_WARM=probe")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	var ended *exec.ExitError
	ok := errors.As(err, &ended) && ended.ExitCode() == probedStatus
	w.probed.Store(key, ok)
	if !ok {
		return errNoLoader
	}
	return nil
}

var errNoLoader = errors.New("the interpreter does not load the file that its options name; the interpreter may be too old (" + runtime.GOOS + ")")

func (w *Warm) log() *slog.Logger {
	if w.Log != nil {
		return w.Log
	}
	return slog.Default()
}
