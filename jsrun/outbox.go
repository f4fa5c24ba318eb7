package jsrun

import "sync"

// outbox is the queue of lines to the process.
type outbox struct {
	mu    sync.Mutex
	lines [][]byte
	bytes int           // bytes of the waiting lines
	more  chan struct{} // signals that there are lines
}

// mostWaiting limits the bytes that wait for the process. Without a limit, a process that sends requests and reads no
// answers could use all memory of its host.
const mostWaiting = 256 << 20

// add queues a line, and reports whether there was room for it.
func (o *outbox) add(line []byte) bool {
	o.mu.Lock()
	room := o.bytes == 0 || len(line) <= mostWaiting-o.bytes
	if room {
		o.lines = append(o.lines, line)
		o.bytes += len(line)
	}
	o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default: // there is a signal already
	}
	return room
}

// written releases the room of a line.
func (o *outbox) written(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes -= len(line)
}

func (o *outbox) take() (lines [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines, o.lines = o.lines, nil
	return lines
}
