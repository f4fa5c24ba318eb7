package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// The limits of a worker.
const (
	workerReady   = 10 * time.Second // time from the start to the first line
	workerRead    = 2 * time.Second  // time to read a call
	workerGrace   = 5 * time.Second  // time to answer a cancelled call
	workerLast    = time.Second      // wait for the last output, which children may keep open
	workerIdle    = 5 * time.Minute  // idle time after which the worker ends
	workerCalls   = 10_000           // number of calls after which the process is replaced
	workerMemory  = 512 << 20        // resident memory, in bytes
	workerLine    = 6*(MaxStdout+MaxStderr) + 1<<16
	workerMost    = 256 // simultaneous calls, even if the worker declares more
	workerBackoff = 100 * time.Millisecond
)

// worker is a program that speaks the worker protocol; see docs/warm.md.
type worker struct {
	pool    *Warm
	program string
	base    job

	use workerUse

	mu      sync.Mutex
	live    *workerProcess
	closed  bool
	again   time.Time     // after a failure: no start before this time
	backoff time.Duration // delay after the next failure
}

func startWorker(w *Warm, base job) keeper {
	return &worker{pool: w, program: base.program, base: base}
}

// run sends a call to the worker. A worker never starts cold: a call that it cannot answer fails. ran is false if the
// worker takes no more calls.
func (k *worker) run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error) {
	if !k.use.begin() {
		return reply, false, true, nil
	}
	defer k.use.end()
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

// process returns the worker's process, after it has started and is ready for a call.
func (k *worker) process(ctx context.Context) (*workerProcess, error) {
	timeout := time.NewTimer(workerReady)
	defer timeout.Stop()
	for {
		p, err := k.running()
		if err != nil {
			return nil, err
		}
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
		switch ok, err := p.begin(ctx); {
		case ok:
			return p, nil
		case err != nil && ctx.Err() == nil:
			k.failed(p)
			return nil, err
		case err != nil:
			return nil, err
		}
	}
}

// running returns the process, starting one if it has ended.
func (k *worker) running() (*workerProcess, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, hook.ErrClosed
	}
	if p := k.live; p != nil && p.takes() {
		return p, nil
	} else if p != nil {
		p.replace()
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

// failed delays the worker's next start.
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

		replaced: make(chan struct{}),
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

// retire ends the process after its calls; close ends it at once.
func (k *worker) retire() {
	k.use.retire()
	k.close()
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
