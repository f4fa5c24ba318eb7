package run

import "sync"

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
