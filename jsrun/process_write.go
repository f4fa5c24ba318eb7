package jsrun

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

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

// deliver writes the queued lines until the module ends. It has its own goroutine: a process may read nothing until the
// module's goroutine has answered a request, and a blocked write on that goroutine would be a deadlock.
func (m *Module) deliver() {
	for {
		select {
		case <-m.proc.out.more:
		case <-m.ctx.Done():
			return
		}
		for _, line := range m.proc.out.take() {
			if m.put(m.proc.to, line); m.Dead() != nil {
				return
			}
			m.proc.out.written(line)
		}
	}
}

// send queues a line to the process.
func (m *Module) send(op string, args ...any) {
	if p := m.proc; p.slow {
		p.slow = false
		p.looks.Reset(m.pace())
	}
	if !m.proc.out.add(lineOf(m, op, args)) {
		m.end(&DeadError{fmt.Errorf("it does not read, and %d MiB wait for it", mostWaiting>>20)})
	}
}

// put writes a line. It ends a process that does not read.
func (m *Module) put(to *os.File, line []byte) {
	p := m.proc
	p.mu.Lock()
	if !p.ends {
		_ = to.SetWriteDeadline(time.Now().Add(m.opt.CPU))
	}
	p.mu.Unlock()
	_, err := to.Write(line)
	switch {
	case err == nil || m.Dead() != nil:
	case errors.Is(err, os.ErrDeadlineExceeded):
		m.end(&DeadError{&BudgetError{After: m.opt.CPU}})
	default: // the process has ended; its reader reports the end after the last lines
		to.Close()
	}
}

// interrupt stops the current write. Any goroutine may call it.
func (p *moduleProcess) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = true
	for _, f := range []*os.File{p.to, p.answers} {
		_ = f.SetWriteDeadline(time.Unix(1, 0))
	}
}
