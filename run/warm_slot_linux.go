package run

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/hook"
)

// slot holds the keeper of one warm key in the pool.
type slot struct {
	mu     sync.Mutex
	keeper keeper    // nil until it is ready
	busy   bool      // a keeper is being started
	after  time.Time // after a failure: when to try again
	used   uint64    // last use, by the pool's counter
	of     identity  // identity of keeper's program
	gone   bool
}

// keeper runs the calls of one command in processes that it keeps ready.
type keeper interface {
	// run runs a call. ran is false if no part of the call was executed, and it can start cold; stale is true if the
	// keeper must be replaced.
	run(ctx context.Context, j job, changes []string) (reply hook.Reply, ran, stale bool, err error)

	// retire ends the keeper after its last call; close ends it at once.
	retire()
	close()
}

// uses counts the calls of a keeper.
type uses struct {
	mu      sync.Mutex
	running int
	retired bool
	closed  bool
}

// use counts the start of a call. It returns false if the keeper takes no more calls.
func (u *uses) use() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.retired || u.closed {
		return false
	}
	u.running++
	return true
}

// unuse counts the end of a call, and closes a retired keeper after the last one.
func (u *uses) unuse(closeIt func()) {
	u.mu.Lock()
	u.running--
	last := u.retired && u.running == 0
	u.mu.Unlock()
	if last {
		closeIt()
	}
}

func (u *uses) retire(closeIt func()) {
	u.mu.Lock()
	u.retired = true
	idle := u.running == 0
	u.mu.Unlock()
	if idle {
		closeIt()
	}
}

// end marks the keeper as closed. It returns false if it was already closed.
func (u *uses) end() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	was := u.closed
	u.closed = true
	return !was
}

// ready returns the keeper, or starts one in the background and returns nil.
func (s *slot) ready(starts *sync.WaitGroup, start func() keeper) keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keeper != nil || s.busy || s.gone || time.Now().Before(s.after) {
		return s.keeper
	}
	s.busy = true
	starts.Go(func() {
		k := start()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy = false
		switch {
		case k == nil:
			s.after = time.Now().Add(warmRetry)
		case s.gone:
			k.close()
		default:
			s.keeper = k
		}
	})
	return nil
}

// fileStamp is the metadata by which a changed file is recognised.
type fileStamp struct {
	modified   unix.Timespec
	size       int64
	inode, dev uint64
}

func stampOf(path string) (s fileStamp) {
	var stat unix.Stat_t
	if unix.Stat(path, &stat) == nil {
		s = fileStamp{stat.Mtim, stat.Size, stat.Ino, stat.Dev}
	}
	return s
}

// identity is the interpreter that a command starts, with its options.
type identity struct {
	program, argv string
	stamp         fileStamp
}

// identify returns the interpreter that the command starts now. A change of the script's first line can change the
// interpreter.
func identify(kind string, j job) (id identity) {
	if found, note := interpreterOf(j); kind != WarmWorker && note == "" {
		id = identity{found.program, strings.Join(found.argv, "\x00"), stampOf(inDir(found.program, j.dir))}
	}
	return id
}

// changed stores the identity of the program that the next call would start. If the keeper has another program, changed
// ends it and returns true.
func (s *slot) changed(id identity) bool {
	s.mu.Lock()
	was, k := s.of, s.keeper
	s.of = id
	s.mu.Unlock()
	if was == id || k == nil {
		return false
	}
	s.drop(k)
	return true
}

// now returns the keeper, starting it synchronously if there is none. It is for keepers that start without a process.
func (s *slot) now(start func() keeper) keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keeper == nil && !s.gone {
		s.keeper = start()
	}
	return s.keeper
}

// drop ends a keeper that must be replaced.
func (s *slot) drop(k keeper) {
	s.mu.Lock()
	if s.keeper == k {
		s.keeper = nil
	}
	s.mu.Unlock()
	k.retire()
}

// end ends the slot's keeper. The slot gets no other keeper.
func (s *slot) end(how func(keeper)) {
	s.mu.Lock()
	k := s.keeper
	s.keeper, s.gone = nil, true
	s.mu.Unlock()
	if k != nil {
		how(k)
	}
}

// endProcess waits for a process that was told to end, and kills its group if it does not end.
func endProcess(p *os.Process) {
	done := make(chan struct{})
	go func() { defer close(done); _, _ = p.Wait() }()
	select {
	case <-done:
		return
	case <-time.After(500 * time.Millisecond):
	}
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	<-done
}
