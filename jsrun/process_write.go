package jsrun

import (
	"errors"
	"os"
	"sync"
	"time"
)

// outbox are lines on their way to the process.
type outbox struct {
	mu    sync.Mutex
	lines [][]byte
	more  chan struct{} // there are some
}

func (o *outbox) add(line []byte) {
	o.mu.Lock()
	o.lines = append(o.lines, line)
	o.mu.Unlock()
	select {
	case o.more <- struct{}{}:
	default: // that is known
	}
}

func (o *outbox) take() (lines [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines, o.lines = o.lines, nil
	return lines
}

// deliver writes what is sent, until the module ends. The module's goroutine does not:
// while it waited for a process that takes no line, that could wait for an answer of it.
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
		}
	}
}

// send has a line written to the process.
func (m *Module) send(op string, args ...any) {
	if p := m.proc; p.slow {
		p.slow = false
		p.looks.Reset(m.pace())
	}
	m.proc.out.add(lineOf(m, op, args))
}

// put writes a line. A process that does not read is ended.
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
	default: // it has ended, which is heard after its last lines
		to.Close()
	}
}

// interrupt stops what is being written. It may be called from any.
func (p *process) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ends = true
	for _, f := range []*os.File{p.to, p.answers} {
		_ = f.SetWriteDeadline(time.Unix(1, 0))
	}
}
