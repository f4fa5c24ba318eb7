package run

import (
	"bufio"
	"bytes"
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

// The bounds of a worker.
const (
	workerReady   = 10 * time.Second // from its start to its first line
	workerRead    = 2 * time.Second  // to read a call
	workerGrace   = 5 * time.Second  // for an answer to a call that was cancelled
	workerIdle    = 5 * time.Minute  // without a call; then it ends
	workerCalls   = 10_000           // in its life
	workerMemory  = 512 << 20        // resident, in bytes
	workerLine    = 6*(MaxStdout+MaxStderr) + 1<<16
	workerMost    = 256 // calls at the same time, whatever it says
	workerBackoff = 100 * time.Millisecond
)

// worker is a program that speaks the worker protocol; see docs/warm.md.
type worker struct {
	pool    *Warm
	program string
	base    job

	mu      sync.Mutex
	live    *workerProcess
	closed  bool
	again   time.Time     // after a failure: not before
	backoff time.Duration // what the next failure costs
}

// workerProcess is one life of a worker.
type workerProcess struct {
	proc   *os.Process
	log    *slog.Logger
	in     *os.File
	tokens chan struct{} // one for each call at the same time; made by the first line
	ready  chan struct{} // closed when tokens is there, or the process has ended
	gone   chan struct{} // closed when the process has ended
	idle   *time.Timer
	guard  *guardian // until its group is gone

	writing sync.Mutex // guards line and in
	line    []byte     // for the next call

	mu      sync.Mutex
	pending map[uint64]chan workerReply
	calls   uint64
	ended   error // why there are no more calls; nil while there are
}

// workerReply is what a call is answered with.
type workerReply struct {
	reply hook.Reply
	err   error
}

// answer is a line of a worker.
type answer struct {
	Ready *struct {
		Concurrency int `json:"concurrency"`
	} `json:"ready"`
	ID     string         `json:"id"`
	Exit   int            `json:"exit"`
	Stdout string         `json:"stdout"`
	Stderr string         `json:"stderr"`
	Output jsontext.Value `json:"output"`
}

// errWorkerEnded is the error of calls whose worker has ended before it answered.
var errWorkerEnded = errors.New("the worker has ended before it answered")

func (w *Warm) startWorker(base job) keeper {
	return &worker{pool: w, program: base.program, base: base}
}

// run sends a call to the worker. A worker has no cold start: what it cannot
// answer has failed.
func (k *worker) run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error) {
	limit, cancel := j.limit(ctx)
	defer cancel()
	p, err := k.process(limit)
	if err == nil {
		reply, err = p.call(limit, &j, changes)
	}
	if err != nil && limit.Err() != nil {
		err = context.Cause(limit)
	}
	return reply, true, false, err
}

// process returns the worker's process, started and ready for a call.
func (k *worker) process(ctx context.Context) (*workerProcess, error) {
	p, err := k.running()
	if err != nil {
		return nil, err
	}
	timeout := time.NewTimer(workerReady)
	defer timeout.Stop()
	select {
	case <-p.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-timeout.C:
		err := fmt.Errorf(`the worker did not say {"ready":{"concurrency":1}} within %v`, workerReady)
		p.end(err)
		k.failed(p)
		return nil, err
	}
	select {
	case p.tokens <- struct{}{}:
		return p, nil
	case <-p.gone:
		k.failed(p)
		return nil, p.reason()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// running returns the process, and starts one if there is none.
func (k *worker) running() (*workerProcess, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, hook.ErrClosed
	}
	if p := k.live; p != nil && p.takes() {
		return p, nil
	} else if p != nil {
		go p.drain()
		k.live = nil
	}
	if wait := time.Until(k.again); wait > 0 {
		return nil, fmt.Errorf("the worker has failed and starts again in %v", wait.Round(time.Millisecond))
	}
	p, err := k.start()
	if err != nil {
		k.backOff()
		return nil, err
	}
	k.live = p
	return p, nil
}

// failed makes the worker wait before it starts again.
func (k *worker) failed(p *workerProcess) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.live == p {
		k.live = nil
		k.backOff()
	}
}

func (k *worker) backOff() {
	k.backoff = min(max(2*k.backoff, workerBackoff), warmRetry)
	k.again = time.Now().Add(k.backoff)
}

// start starts a process.
func (k *worker) start() (p *workerProcess, err error) {
	var theirs, ours [3]*os.File
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs[:])
			closeAll(ours[:])
			return nil, err
		}
		if theirs[i], ours[i] = w, r; i == 0 {
			theirs[i], ours[i] = r, w
		}
	}
	attr := &os.ProcAttr{Dir: k.base.dir, Env: k.base.env, Files: theirs[:],
		Sys: &syscall.SysProcAttr{Setpgid: !k.base.noTerminal, Setsid: k.base.noTerminal, Pdeathsig: syscall.SIGKILL}}
	p = &workerProcess{
		log:     k.pool.log(),
		in:      ours[0],
		pending: map[uint64]chan workerReply{},
		ready:   make(chan struct{}),
		gone:    make(chan struct{}),
	}
	if !k.pool.fork(func() { p.proc, err = os.StartProcess(k.program, k.base.argv, attr) }) {
		err = hook.ErrClosed
	}
	closeAll(theirs[:])
	if err != nil {
		closeAll(ours[:])
		return nil, startError(&k.base, err)
	}
	k.pool.guard.watch(p.proc.Pid)
	p.guard = &k.pool.guard
	p.idle = time.AfterFunc(workerIdle, func() { p.end(errors.New("it had no call for " + workerIdle.String())) })
	go p.hear(ours[1], ours[2])
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// takes reports whether the process can be given another call.
func (p *workerProcess) takes() bool {
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

// call sends a call and waits for its answer. It holds a token.
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
		go p.cancel(id, answered)
		return hook.Reply{}, context.Cause(ctx)
	}
}

// cancel tells the process that a call is not waited for any more. One that does
// not answer then hangs, and is ended.
func (p *workerProcess) cancel(id uint64, answered chan workerReply) {
	defer func() { <-p.tokens }()
	p.writing.Lock()
	_ = p.write(
		[]byte(`{"cancel":"` + strconv.FormatUint(id, 10) + "\"}\n"),
	) // one that cannot be written does not answer either
	p.writing.Unlock()
	timer := time.NewTimer(workerGrace)
	defer timer.Stop()
	select {
	case <-answered:
	case <-p.gone:
	case <-timer.C:
		p.end(fmt.Errorf("it did not answer a call within %v after it was cancelled", workerGrace))
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
	if err != nil { // half a line may be written
		p.end(fmt.Errorf("it cannot be written to: %w", err))
		return 0, p.reason()
	}
	return id, nil
}

// write writes a line. A worker that does not read has two seconds.
func (p *workerProcess) write(line []byte) error {
	_ = p.in.SetWriteDeadline(time.Now().Add(workerRead))
	_, err := p.in.Write(line)
	return err
}

// appendCall appends the line of a call.
func appendCall(dst []byte, ctx context.Context, id uint64, j *job, changes []string) []byte {
	dst = append(dst, `{"v":1,"id":"`...)
	dst = strconv.AppendUint(dst, id, 10)
	dst = append(dst, `","event":`...)
	dst, _ = jsontext.AppendQuote(dst, j.event)
	dst = append(dst, `,"cwd":`...)
	dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(j.dir, "\uFFFD"))
	if deadline, ok := ctx.Deadline(); ok {
		dst = append(dst, `,"deadlineMs":`...)
		dst = strconv.AppendInt(dst, max(0, time.Until(deadline).Milliseconds()), 10)
	}
	dst = append(dst, `,"env":{`...)
	first := true
	for _, change := range changes {
		name, value, ok := strings.Cut(change[1:], "=")
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(name, "\uFFFD"))
		dst = append(dst, ':')
		dst, _ = jsontext.AppendQuote(dst, strings.ToValidUTF8(value, "\uFFFD"))
	}
	dst = append(dst, `},"payload":`...)
	from := len(dst)
	dst = append(dst, bytes.TrimSpace(j.stdin)...)
	if len(dst) == from {
		dst = append(dst, "null"...)
	}
	for i := from; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' { // between values: in a string it would be escaped
			dst[i] = ' '
		}
	}
	return append(dst, "}\n"...)
}

// hear reads what the process writes until it ends.
func (p *workerProcess) hear(out, stderr *os.File) {
	defer out.Close()
	go logLines(stderr, p.log, p.proc.Pid)
	lines := bufio.NewReaderSize(out, 64<<10)
	var err error
	for err == nil {
		var line []byte
		if line, err = readLine(lines); err == nil {
			err = p.read(line)
		}
	}
	if errors.Is(err, io.EOF) {
		err = errWorkerEnded
	}
	p.end(err)
	endProcess(p.proc)
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

// readLine reads a line of at most workerLine bytes.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line == nil && err == nil {
			return part, nil
		}
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(line) > workerLine {
			return nil, fmt.Errorf("it wrote a line of more than %d bytes", workerLine)
		}
	}
}

// read reads a line of the protocol. With an error the worker has to end.
func (p *workerProcess) read(line []byte) error {
	var a answer
	if err := json.Unmarshal(line, &a, equalNames, badUTF8); err != nil {
		return fmt.Errorf("it wrote a line that is no answer: %.60q", line)
	}
	if a.Ready != nil {
		if p.tokens != nil {
			return errors.New("it said that it is ready twice")
		}
		p.tokens = make(chan struct{}, min(max(1, a.Ready.Concurrency), workerMost))
		close(p.ready)
		return nil
	}
	id, err := strconv.ParseUint(a.ID, 10, 64)
	p.mu.Lock()
	answered := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if err != nil || answered == nil {
		return fmt.Errorf("it answered %q, which is no call that waits", a.ID)
	}
	answered <- workerReply{reply: a.reply()}
	p.bound()
	return nil
}

// reply returns what a process would have left.
func (a *answer) reply() (r hook.Reply) {
	r.Exit = a.Exit
	out, stderr := []byte(a.Stdout), []byte(a.Stderr)
	if len(a.Output) > 0 && a.Output.Kind() != 'n' {
		out = bytes.Clone(a.Output)
	}
	if len(out) > MaxStdout {
		out, r.Truncated = out[:MaxStdout], hook.Stdout
	}
	if len(stderr) > MaxStderr {
		stderr, r.Truncated = stderr[:MaxStderr], r.Truncated|hook.Stderr
	}
	if len(out) > 0 {
		r.Stdout = out
	}
	if len(stderr) > 0 {
		r.Stderr = stderr
	}
	return r
}

// bound looks now and then how much memory the process has. One that has too
// much is given no more calls.
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
		p.calls = max(p.calls, workerCalls)
	}
}

// residentSize returns how many bytes of memory a process holds, 0 if that is
// not known.
func residentSize(pid int) int64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// end takes no more calls, and ends the process.
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

// drain ends the process when its last call has been answered.
func (p *workerProcess) drain() {
	for range cap(p.tokens) {
		select {
		case p.tokens <- struct{}{}:
		case <-p.gone:
			return
		}
	}
	p.end(errors.New("it has had its calls"))
}

// logLines logs what a worker writes to standard error.
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

// retire lets the process end after its calls, and close at once.
func (k *worker) retire() {
	k.mu.Lock()
	p := k.live
	k.closed, k.live = true, nil
	k.mu.Unlock()
	if p == nil {
		return
	}
	select {
	case <-p.ready:
		p.drain()
	default:
		p.end(hook.ErrClosed)
	}
}

func (k *worker) close() {
	k.mu.Lock()
	p := k.live
	k.closed, k.live = true, nil
	k.mu.Unlock()
	if p != nil {
		p.end(hook.ErrClosed)
		<-p.gone
	}
}
