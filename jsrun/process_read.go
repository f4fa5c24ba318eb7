package jsrun

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// hear reads the lines of the process until it ends.
func (m *Module) hear(from io.Reader) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := readLine(lines)
		var said *protocolLine
		if err == nil {
			said, err = readMessage(line)
		}
		if err != nil {
			if err == io.EOF || errors.Is(err, os.ErrDeadlineExceeded) {
				<-m.proc.resident.Gone()
				err = m.proc.ended(m.source.runtime)
			}
			m.later(func() { m.end(&DeadError{err}) })
			return
		}
		m.later(func() { m.hears(said) })
	}
}

// later queues a task, and waits while the queue is full.
func (m *Module) later(task func()) {
	select {
	case m.proc.room <- struct{}{}:
		m.queue.add(func() {
			defer func() { <-m.proc.room }()
			task()
		})
	case <-m.ctx.Done():
	}
}

// readLine reads a line of at most processLine bytes.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		if len(line) > processLine {
			return nil, fmt.Errorf("it wrote a line of more than %d MiB", processLine>>20)
		}
	}
}

// listen passes the output of the process to the console, line by line.
func (m *Module) listen(from io.Reader, level string) {
	lines := bufio.NewReaderSize(from, 4<<10)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		if text := string(line); strings.TrimSpace(text) != "" {
			m.proc.note(text)
			m.later(func() { m.console(level, text) })
		}
	}
}
