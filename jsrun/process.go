package jsrun

import (
	"bufio"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/snaphook-go/snaphook/internal/scratch"
	"github.com/snaphook-go/snaphook/run"
)

//go:embed process.mjs
var processJS string

// The limits of a process, in addition to [Options].
const (
	processCPU    = 30 * time.Second
	processMemory = 512 << 20
	processBase   = 128 << 20        // bytes of its memory outside of JavaScript's heap
	processReady  = 30 * time.Second // from its start to its first line
	processGrace  = 5 * time.Second  // wait for a pong after an abandoned call
	processEnd    = time.Second      // time to end by itself when it is closed
	processLine   = 32 << 20         // bytes of a line from the process
	processQueue  = 256              // lines from the process that wait in the queue
	processCheck  = 10 * time.Second // time between two checks of an idle process
)

// processModule is the name of the file that holds the text of the module.
const processModule = "snaphook-module.mjs"

// moduleProcess runs a module outside of the sandbox. Its fields belong to the module's goroutine, unless
// they are marked otherwise.
type moduleProcess struct {
	m        *Module
	resident *run.Resident
	dir      string   // the directory with the files of the module and of the protocol
	to       *os.File // to the process: calls, and the results of asynchronous functions
	answers  *os.File // to the process: the results of synchronous functions, for which the process's thread blocks
	streams  []*os.File
	workers  sync.WaitGroup // goroutines that read its streams and write to it
	room     chan struct{}  // limits the lines that wait; used by any goroutine
	out      outbox         // lines not yet sent; used by any goroutine

	ready  bool
	begun  time.Time
	due    time.Time // deadline of the expected pong; zero: no ping was sent
	checks *time.Timer
	idle   bool // the timer has the long interval for an idle process

	mu   sync.Mutex
	last string // the first text of the process that may explain its end
	ends bool
}

// startProcess starts the program in which the module runs.
func startProcess(m *Module) (*moduleProcess, error) {
	dir, entry, err := writeModule(m.source)
	if err != nil {
		return nil, err
	}
	m.source.name = entry
	p := &moduleProcess{m: m, dir: dir, begun: time.Now(), room: make(chan struct{}, processQueue)}
	p.out.more = make(chan struct{}, 1)
	if err := p.start(); err != nil {
		for _, f := range p.streams {
			f.Close()
		}
		return nil, errors.Join(err, scratch.Remove(dir))
	}
	out, said, failed := p.streams[0], p.streams[1], p.streams[2]
	p.workers.Go(func() { p.readLines(out) })
	p.workers.Go(p.deliver)
	p.workers.Go(func() { p.logOutput(said, "log") })
	p.workers.Go(func() { p.logOutput(failed, "error") })
	p.checks = time.AfterFunc(p.checkInterval(), func() { m.queue.add(p.check) })
	go func() { // its children may keep the streams open
		<-p.resident.Gone()
		for _, f := range p.streams {
			_ = f.SetReadDeadline(time.Now().Add(processEnd))
		}
	}()
	return p, nil
}

// writeModule writes the files of the process into the new directory dir. Below dir the module keeps its path, and
// links lead to the packages that the module can find. entry is the URL of the module.
func writeModule(b *bundle) (dir, entry string, err error) {
	if dir, err = scratch.Dir("module-"); err != nil {
		return "", "", err
	}
	below := func(path string) string {
		return filepath.Join(dir, "at", strings.TrimPrefix(path, filepath.VolumeName(path)))
	}
	place := below(filepath.Dir(b.path))
	file := filepath.Join(place, processModule)
	write := func(name, text string) {
		if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
	}
	err = os.MkdirAll(place, 0o700)
	write(filepath.Join(dir, "process.mjs"), processJS)
	write(filepath.Join(dir, "prelude.mjs"), "export default "+strings.TrimRight(afterComments(preludeJS), "\n;")+";\n")
	write(file, b.code)
	for _, packages := range (&surroundings{dir: filepath.Dir(b.path)}).packages() {
		if err == nil {
			err = os.Symlink(packages, below(packages))
		}
	}
	if err != nil {
		return "", "", errors.Join(err, scratch.Remove(dir))
	}
	return dir, (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String(), nil
}

// afterComments returns a text without the comment lines at its beginning.
func afterComments(text string) string {
	for strings.HasPrefix(text, "//") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// start creates the pipes and starts the process.
func (p *moduleProcess) start() error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	theirs := []*os.File{null}
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	for i := range 5 { // descriptors of the process: it writes to 1, 2 and 4, and reads from 3 and 5
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		if i == 2 || i == 4 {
			r, w = w, r
		}
		theirs, p.streams = append(theirs, w), append(p.streams, r)
	}
	p.to, p.answers = p.streams[2], p.streams[4]
	p.streams = []*os.File{p.streams[3], p.streams[0], p.streams[1], p.to, p.answers}
	opt, source := &p.m.opt, p.m.source
	about := `{"file":` + literal(source.path) + `,"results":` + opt.results() + `}`
	argv := append(p.command(), filepath.Join(p.dir, "process.mjs"), about)
	p.resident, err = run.StartResident(argv[0], argv, &os.ProcAttr{
		Dir: cmp.Or(current(opt.Dir), filepath.Dir(source.path)), Env: opt.Environ, Files: theirs,
	})
	return err
}

// command returns the program with its options.
func (p *moduleProcess) command() []string {
	if p.m.source.runtime == Bun {
		return []string{p.m.source.program, "run", "--no-install"}
	}
	return []string{p.m.source.program, fmt.Sprintf("--max-old-space-size=%d", max(16, p.m.opt.Memory>>20))}
}

// readLines reads the lines of the process until it ends.
func (p *moduleProcess) readLines(from io.Reader) {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := readLine(lines)
		var message *protocolLine
		if err == nil {
			message, err = readMessage(line)
		}
		if err != nil {
			if err == io.EOF || errors.Is(err, os.ErrDeadlineExceeded) {
				<-p.resident.Gone()
				err = p.exitError()
			}
			p.later(func() { p.m.end(&DeadError{err}) })
			return
		}
		p.later(func() { p.handle(message) })
	}
}

// logOutput passes the output of the process to the console, line by line.
func (p *moduleProcess) logOutput(from io.Reader, level string) {
	lines := bufio.NewReaderSize(from, 4<<10)
	for {
		line, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		if text := string(line); strings.TrimSpace(text) != "" {
			p.note(text)
			p.later(func() { p.m.console(level, text) })
		}
	}
}

// later queues a task, and waits while the queue is full.
func (p *moduleProcess) later(task func()) {
	select {
	case p.room <- struct{}{}:
		p.m.queue.add(func() {
			defer func() { <-p.room }()
			task()
		})
	case <-p.m.ctx.Done():
	}
}

// note stores the first text that may explain the end of the process.
func (p *moduleProcess) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	words := []string{"Error", "FATAL", "error:"}
	if p.last == "" && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
		p.last = strings.TrimSpace(text)
	}
}

// exitError returns the error for a process that has ended by itself.
func (p *moduleProcess) exitError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := fmt.Errorf("the process of %s has ended, %v", p.m.source.runtime, p.resident.State())
	if p.last != "" {
		err = fmt.Errorf("%w: %.200s", err, p.last)
	}
	return err
}

// handle handles a line from the process.
func (p *moduleProcess) handle(message *protocolLine) {
	switch m := p.m; {
	case message.Ready != nil:
		p.ready = true
	case message.Pong != 0:
		p.due = time.Time{}
	case message.Ask != nil:
		p.answerRequest(message.Ask)
	case message.Output != nil && message.Output.Error != nil:
		thrown, _ := readError(string(message.Output.Error))
		thrown.Stack = m.source.stack(thrown.Stack)
		m.complete(numbered(message.ID), outcome{err: thrown})
	case message.Output != nil:
		m.complete(numbered(message.ID), outcome{value: Value(message.Output.Value)})
	case message.Cancel != "":
		m.host.cancel(numbered(message.Cancel))
	case message.Release != 0:
		delete(m.host.bindings, message.Release)
	case message.Log != nil:
		m.console(message.Log.Level, message.Log.Text)
	default:
		m.end(&DeadError{errors.New("it wrote a line that is not part of the protocol")})
	}
}

// answerRequest answers a request of the process. It checks every number of an object or function that the process
// sends.
func (p *moduleProcess) answerRequest(q *hostCall) {
	host := p.m.host
	b := host.bindings[q.Object]
	known := b != nil && q.Function >= 0 && q.Function < int64(len(b.funcs))
	id := numbered(q.ID)
	switch {
	case q.Signal != nil:
		if b = host.bindings[*q.Signal]; b != nil {
			p.answer(host.watch(b))
		} else {
			p.answer(undefined)
		}
	case q.Shape != nil:
		p.answer(host.shape(*q.Shape))
	case q.ID == "" && !known:
		p.answer("!there is no such function")
	case q.ID == "":
		p.answer(host.sync(b, q.Function, string(q.Arguments)))
	case !known:
		p.send("settle", id, "!there is no such function")
	default:
		host.async(id, b, q.Function, string(q.Arguments), q.Aborted)
	}
}

// answer sends the answer for which the process blocks. In a text, "=" begins a value in JSON and "!" an error; any
// other text is the value itself.
func (p *moduleProcess) answer(answer any) {
	p.write(p.answers, append(appendAnswer([]byte(`{"answer":{`), answer), "}}\n"...))
}

// send queues a line to the process.
func (p *moduleProcess) send(op string, args ...any) {
	if p.idle {
		p.idle = false
		p.checks.Reset(p.checkInterval())
	}
	if !p.out.add(lineOf(current(p.m.opt.Dir), op, args)) {
		p.m.end(&DeadError{fmt.Errorf("it does not read, and %d MiB wait for it", mostWaiting>>20)})
	}
}

// deliver writes the queued lines until the module ends. It has its own goroutine: a process may read nothing until the
// module's goroutine has answered a request, and a blocked write on that goroutine would be a deadlock.
func (p *moduleProcess) deliver() {
	for {
		select {
		case <-p.out.more:
		case <-p.m.ctx.Done():
			return
		}
		for _, line := range p.out.take() {
			if p.write(p.to, line); p.m.Dead() != nil {
				return
			}
			p.out.written(line)
		}
	}
}

// write writes a line. It ends a process that does not read.
func (p *moduleProcess) write(to *os.File, line []byte) {
	p.mu.Lock()
	if !p.ends {
		_ = to.SetWriteDeadline(time.Now().Add(p.m.opt.CPU))
	}
	p.mu.Unlock()
	_, err := to.Write(line)
	switch {
	case err == nil || p.m.Dead() != nil:
	case errors.Is(err, os.ErrDeadlineExceeded):
		p.m.end(&DeadError{&BudgetError{After: p.m.opt.CPU}})
	default: // the process has ended; its reader reports the end after the last lines
		to.Close()
	}
}

// checkInterval returns the time between two checks of a process with calls.
func (p *moduleProcess) checkInterval() time.Duration {
	return min(max(p.m.opt.CPU/8, 10*time.Millisecond), time.Second)
}

// check ends a process that is not ready or does not answer a ping in time, or uses too much memory.
func (p *moduleProcess) check() {
	m, now := p.m, time.Now()
	size := p.resident.Size()
	switch {
	case !p.ready && now.Sub(p.begun) > processReady:
		m.end(&DeadError{fmt.Errorf("%s did not report that it is ready within %v", m.source.program, processReady)})
	case !p.due.IsZero() && now.After(p.due):
		m.end(&DeadError{&BudgetError{After: m.opt.CPU}})
	case size > int64(min(m.opt.Memory, 1<<62))+processBase:
		m.end(&DeadError{fmt.Errorf("the process holds %d MiB of memory, more than %d", size>>20, m.opt.Memory>>20)})
	case p.ready && m.calls.any() && p.due.IsZero():
		p.ping(m.opt.CPU)
	}
	p.idle = p.due.IsZero() && p.ready
	next := p.checkInterval()
	if p.idle {
		next = processCheck
	}
	p.checks.Reset(next)
}

// ping sends a ping, which the process has to answer in time.
func (p *moduleProcess) ping(within time.Duration) {
	if due := time.Now().Add(within); p.due.IsZero() {
		p.due = due
		p.send("ping", int64(1))
	} else if due.Before(p.due) {
		p.due = due
	}
}

// abandon tells the process that a call was abandoned, and sends a ping. A process that does not answer the ping is
// ended.
func (p *moduleProcess) abandon(id int64) {
	p.send("cancel", id)
	p.ping(min(processGrace, p.m.opt.CPU))
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

// close ends the process. If kindly is set, the process first has a second to end by itself.
func (p *moduleProcess) close(kindly bool) {
	p.checks.Stop()
	p.to.Close()
	p.answers.Close()
	if kindly {
		timer := time.NewTimer(processEnd)
		defer timer.Stop()
		select {
		case <-p.resident.Gone():
		case <-timer.C:
		}
	}
	p.resident.Kill()
	p.workers.Wait()
	for _, f := range p.streams {
		f.Close()
	}
	_ = scratch.Remove(p.dir)
}
