package run

import (
	"context"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

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
		k := s.now(func() keeper { return w.startWorker(base) })
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

// workerUse counts the calls of a worker.
type workerUse struct {
	mu      sync.Mutex
	running int
	retired bool
	idle    chan struct{} // closed when a retired worker has no call
}

// begin counts a call; it returns false if the worker takes no more calls.
func (u *workerUse) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.retired {
		return false
	}
	u.running++
	return true
}

func (u *workerUse) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.running--; u.retired && u.running == 0 {
		close(u.idle)
	}
}

// retire stops taking calls, and returns when the last call has ended.
func (u *workerUse) retire() {
	u.mu.Lock()
	if !u.retired {
		u.retired, u.idle = true, make(chan struct{})
		if u.running == 0 {
			close(u.idle)
		}
	}
	u.mu.Unlock()
	<-u.idle
}
