package run

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/hook"
)

// workerProcess is one process of a worker. After its end, a new process is started.
type workerProcess struct {
	proc   *os.Process
	log    *slog.Logger
	in     *os.File
	tokens chan struct{} // one token for each simultaneous call; created when the first line is read
	ready  chan struct{} // closed when tokens exists, or the process has ended
	gone   chan struct{} // closed when the process has ended

	replaced    chan struct{} // closed when calls go to another process
	replaceOnce sync.Once
	idle        *time.Timer
	guard       *guardian // watches the process until its group is gone

	writing sync.Mutex // guards line and in
	line    []byte     // buffer for the next call

	mu        sync.Mutex
	pending   map[uint64]chan workerReply
	calls     uint64
	cancelled int   // calls that were cancelled and still hold a token
	waiting   int   // calls that wait for a token
	ended     error // why the process takes no more calls; nil while it takes them
}

// errWorkerEnded is the error of calls whose worker ended before it answered.
var errWorkerEnded = errors.New("the worker has ended before it answered")

// takes reports whether the process accepts another call.
func (p *workerProcess) takes() bool {
	select {
	case <-p.replaced:
		return false
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended == nil && p.calls < workerCalls
}

// reason returns why the process has ended.
func (p *workerProcess) reason() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.ended, errWorkerEnded)
}

// call sends a call and waits for its answer. The caller has taken a token.
func (p *workerProcess) call(ctx context.Context, j *job, changes []string) (hook.Reply, error) {
	answered := make(chan workerReply, 1)
	id, err := p.send(ctx, j, changes, answered)
	if err != nil {
		<-p.tokens
		return hook.Reply{}, err
	}
	select {
	case r := <-answered:
		<-p.tokens
		return r.reply, r.err
	case <-ctx.Done():
		p.count(&p.cancelled, 1)
		go p.cancel(id, answered)
		return hook.Reply{}, context.Cause(ctx)
	}
}

// begin takes a token for a call; ok is false if the call has to go to another process.
func (p *workerProcess) begin(ctx context.Context) (ok bool, err error) {
	p.count(&p.waiting, 1)
	defer p.count(&p.waiting, -1)
	select {
	case <-p.replaced:
		return false, nil
	default:
	}
	select {
	case p.tokens <- struct{}{}:
		return true, nil
	case <-p.replaced:
		return false, nil
	case <-p.gone:
		return false, p.reason()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// count changes the number of calls that wait or are cancelled. If a call waits, and all calls of the process are
// cancelled, the process is replaced and ended: a call that hangs must not delay later calls, and nobody needs an
// answer of the process any more.
func (p *workerProcess) count(calls *int, by int) {
	p.mu.Lock()
	*calls += by
	stuck := p.waiting > 0 && p.cancelled > 0 && p.cancelled == cap(p.tokens)
	p.mu.Unlock()
	if stuck {
		p.replace()
		p.end(errors.New("all of its calls were cancelled, and it had answered none of them"))
	}
}

// replace makes later calls go to another process. This process ends after its last answer.
func (p *workerProcess) replace() {
	p.replaceOnce.Do(func() {
		close(p.replaced)
		go p.drain()
	})
}

// cancel tells the process that a call was cancelled. If the process still does not answer, it is replaced.
func (p *workerProcess) cancel(id uint64, answered chan workerReply) {
	defer func() {
		p.count(&p.cancelled, -1)
		<-p.tokens
	}()
	p.writing.Lock()
	_ = p.write(
		[]byte(`{"cancel":"` + strconv.FormatUint(id, 10) + "\"}\n"),
	) // an error needs no handling: a process that does not get this line does not answer, and is replaced
	p.writing.Unlock()
	timer := time.NewTimer(workerGrace)
	defer timer.Stop()
	select {
	case <-answered:
	case <-p.gone:
	case <-timer.C:
		p.log.Warn("a worker did not answer a call that was cancelled, and gets no more calls",
			slog.Int("pid", p.proc.Pid), slog.Duration("waited", workerGrace))
		p.replace()
	}
}

// send writes a call.
func (p *workerProcess) send(
	ctx context.Context,
	j *job,
	changes []string,
	answered chan workerReply,
) (id uint64, err error) {
	p.mu.Lock()
	if p.ended != nil {
		p.mu.Unlock()
		return 0, p.ended
	}
	p.calls++
	id = p.calls
	p.pending[id] = answered
	p.idle.Reset(workerIdle)
	p.mu.Unlock()
	p.writing.Lock()
	p.line = appendCall(p.line[:0], ctx, id, j, changes)
	err = p.write(p.line)
	if cap(p.line) > mostRoom {
		p.line = nil
	}
	p.writing.Unlock()
	if err != nil { // a part of the line may have been written
		p.end(fmt.Errorf("its standard input cannot be written: %w", err))
		return 0, p.reason()
	}
	return id, nil
}

// write writes a line. It fails if the worker has not read the line after two seconds.
func (p *workerProcess) write(line []byte) error {
	_ = p.in.SetWriteDeadline(time.Now().Add(workerRead))
	_, err := p.in.Write(line)
	return err
}

// hear reads the output of the process until the process ends, although descendants may keep the output open for
// longer.
func (p *workerProcess) hear(out, stderr *os.File) {
	defer out.Close()
	go logLines(stderr, p.log, p.proc.Pid)
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		awaitExit(p.proc)
		late := time.Now().Add(workerLast)
		_, _ = out.SetReadDeadline(late), stderr.SetReadDeadline(late)
	}()
	lines := bufio.NewReaderSize(out, 64<<10)
	var err error
	for err == nil {
		var line []byte
		if line, err = readLine(lines); err == nil {
			err = p.read(line)
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		err = errWorkerEnded
	}
	p.end(err)
	endProcess(p.proc)
	<-exited
	p.guard.release(p.proc.Pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, answered := range p.pending {
		delete(p.pending, id)
		answered <- workerReply{err: p.ended}
	}
	select {
	case <-p.ready:
	default:
		close(p.ready)
	}
	close(p.gone)
}

// read handles a line of the protocol. After an error the worker has to end.
func (p *workerProcess) read(line []byte) error {
	a, ok := readAnswer(line)
	if !ok {
		return &hook.ClassError{
			Class: hook.ClassOutput,
			Err:   fmt.Errorf("it wrote a line that is not an answer: %.60q", line),
		}
	}
	if a.ready != nil {
		return p.readied(a.ready)
	}
	id, name, ok := a.call()
	p.mu.Lock()
	answered := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if !ok || answered == nil {
		return fmt.Errorf("it answered %.60q, which is not the id of a waiting call", name)
	}
	reply, err := a.reply()
	answered <- workerReply{reply: reply, err: err}
	p.bound()
	return nil
}

// readied lets calls begin. The worker's first line has the number of calls that may run at the same time.
func (p *workerProcess) readied(first jsontext.Value) error {
	if p.tokens != nil {
		return errors.New("it reported twice that it is ready")
	}
	var ready struct {
		Concurrency int `json:"concurrency"`
	}
	if err := json.Unmarshal(first, &ready, equalNames, badUTF8); err != nil {
		return fmt.Errorf(`its first line is wrong, want {"ready":{"concurrency":1}}: %.60q`, first)
	}
	p.tokens = make(chan struct{}, min(max(1, ready.Concurrency), workerMost))
	close(p.ready)
	return nil
}

// bound checks the memory of the process from time to time. A process with too much memory gets no more calls.
func (p *workerProcess) bound() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls%64 != 0 {
		return
	}
	if size := residentSize(p.proc.Pid); size > workerMemory {
		p.log.Warn(
			"a worker holds too much memory and is started again",
			slog.Int("pid", p.proc.Pid),
			slog.Int64("bytes", size),
			slog.Int64("limit", workerMemory),
		)
		p.replace()
	}
}

// residentSize returns the resident memory of a process in bytes, or 0 if it is not known.
func residentSize(pid int) int64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// end stops taking calls, and ends the process.
func (p *workerProcess) end(why error) {
	p.mu.Lock()
	first := p.ended == nil
	if first {
		p.ended = fmt.Errorf("the worker has been ended: %w", why)
		if errors.Is(why, errWorkerEnded) {
			p.ended = why
		}
	}
	p.mu.Unlock()
	if !first {
		return
	}
	p.idle.Stop()
	p.in.Close()
	_ = syscall.Kill(-p.proc.Pid, syscall.SIGTERM)
	go func() {
		select {
		case <-p.gone:
		case <-time.After(time.Second):
			_ = syscall.Kill(-p.proc.Pid, syscall.SIGKILL)
		}
	}()
}

// drain ends the process after its last answer. Before its first line the process has no tokens and no calls.
func (p *workerProcess) drain() {
	<-p.ready
	for range cap(p.tokens) {
		select {
		case p.tokens <- struct{}{}:
		case <-p.gone:
			return
		}
	}
	p.end(errors.New("it has served its last call"))
}

// logLines logs the lines that a worker writes to standard error.
func logLines(stderr *os.File, log *slog.Logger, pid int) {
	defer stderr.Close()
	lines := bufio.NewReaderSize(stderr, 4<<10)
	for {
		line, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		if !more && len(line) > 0 {
			log.Info("a worker wrote to standard error", slog.Int("pid", pid), slog.String("line", string(line)))
		}
	}
}
