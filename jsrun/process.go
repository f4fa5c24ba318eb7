package jsrun

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
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
	processReady  = 30 * time.Second // from its start to its first line
	processGrace  = 5 * time.Second  // wait for a pong after an abandoned call
	processEnd    = time.Second      // time to end by itself when it is closed
	processLine   = 32 << 20         // bytes of a line from the process
	processQueue  = 256              // lines from the process that wait in the queue
	processLook   = 10 * time.Second // time between two checks of an idle process
)

// processModule is the name of the file that holds the text of the module.
const processModule = "snaphook-module.mjs"

// moduleProcess runs a module outside of the sandbox. Its fields belong to the module's goroutine, unless
// they are marked otherwise.
type moduleProcess struct {
	resident *run.Resident
	dir      string   // the directory with the files of the module and of the protocol
	to       *os.File // to the process: calls, and the results of asynchronous functions
	answers  *os.File // to the process: the results of synchronous functions, for which the process's thread blocks
	streams  []*os.File
	workers  sync.WaitGroup // goroutines that read its streams and write to it
	room     chan struct{}  // limits the lines that wait; used by any goroutine
	out      outbox         // lines not yet sent; used by any goroutine

	ready bool
	begun time.Time
	due   time.Time // deadline of the expected pong; zero: no ping was sent
	looks *time.Timer
	slow  bool // the timer has the long interval for an idle process

	mu   sync.Mutex
	last string // the first text of the process that may explain its end
	ends bool
}

// startProcess starts the program in which the module runs.
func (m *Module) startProcess() error {
	dir, entry, err := m.source.lay()
	if err != nil {
		return err
	}
	p := &moduleProcess{dir: dir, begun: time.Now(), room: make(chan struct{}, processQueue)}
	p.out.more = make(chan struct{}, 1)
	m.source.name = entry
	if err := p.start(m); err != nil {
		for _, f := range p.streams {
			f.Close()
		}
		return errors.Join(err, scratch.Remove(dir))
	}
	m.proc = p
	out, said, failed := p.streams[0], p.streams[1], p.streams[2]
	p.workers.Go(func() { m.hear(out) })
	p.workers.Go(m.deliver)
	p.workers.Go(func() { m.listen(said, "log") })
	p.workers.Go(func() { m.listen(failed, "error") })
	p.looks = time.AfterFunc(m.pace(), func() { m.queue.add(m.look) })
	go func() { // its children may keep the streams open
		<-p.resident.Gone()
		for _, f := range p.streams {
			_ = f.SetReadDeadline(time.Now().Add(processEnd))
		}
	}()
	return nil
}

// start creates the pipes and starts the process.
func (p *moduleProcess) start(m *Module) error {
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
	about := `{"file":` + literal(m.source.path) + `,"results":` + m.opt.results() + `}`
	argv := append(m.source.command(m.opt.Memory), filepath.Join(p.dir, "process.mjs"), about)
	p.resident, err = run.StartResident(argv[0], argv, &os.ProcAttr{
		Dir: cmp.Or(current(m.opt.Dir), filepath.Dir(m.source.path)), Env: m.opt.Environ, Files: theirs,
	})
	return err
}

// command returns the program with its options.
func (b *bundle) command(memory uint64) []string {
	if b.runtime == Bun {
		return []string{b.program, "run", "--no-install"}
	}
	return []string{b.program, fmt.Sprintf("--max-old-space-size=%d", max(16, memory>>20))}
}

// lay writes the files of the process into the new directory dir. Below dir the module keeps its path, and links lead
// to the packages that the module can find. entry is the URL of the module.
func (b *bundle) lay() (dir, entry string, err error) {
	if dir, err = scratch.Dir("module-"); err != nil {
		return "", "", err
	}
	place := filepath.Join(dir, "at", strings.TrimPrefix(filepath.Dir(b.path), filepath.VolumeName(b.path)))
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
			err = os.Symlink(packages, filepath.Join(dir, "at", strings.TrimPrefix(packages, filepath.VolumeName(packages))))
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

// note stores the first text that may explain the end of the process.
func (p *moduleProcess) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	words := []string{"Error", "FATAL", "error:"}
	if p.last == "" && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) }) {
		p.last = strings.TrimSpace(text)
	}
}

// ended returns the error for a process that has ended by itself.
func (p *moduleProcess) ended(runtime string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != "" {
		return fmt.Errorf("the process of %s has ended, %v: %.200s", runtime, p.resident.State(), p.last)
	}
	return fmt.Errorf("the process of %s has ended, %v", runtime, p.resident.State())
}

// pace returns the time between two checks of a process with calls.
func (m *Module) pace() time.Duration { return min(max(m.opt.CPU/8, 10*time.Millisecond), time.Second) }

// look ends a process that is not ready or does not answer a ping in time, or uses too much memory.
func (m *Module) look() {
	p, now := m.proc, time.Now()
	size := p.resident.Size()
	switch {
	case !p.ready && now.Sub(p.begun) > processReady:
		m.end(&DeadError{fmt.Errorf("%s did not report that it is ready within %v", m.source.program, processReady)})
	case !p.due.IsZero() && now.After(p.due):
		m.end(&DeadError{&BudgetError{After: m.opt.CPU}})
	case size > int64(min(m.opt.Memory, 1<<62))+processBase:
		m.end(&DeadError{fmt.Errorf("the process holds %d MiB of memory, more than %d", size>>20, m.opt.Memory>>20)})
	case p.ready && m.waited() && p.due.IsZero():
		m.ping(m.opt.CPU)
	}
	p.slow = p.due.IsZero() && p.ready
	next := m.pace()
	if p.slow {
		next = processLook
	}
	p.looks.Reset(next)
}

// processBase is the memory of a process outside of JavaScript's heap, in bytes.
const processBase = 128 << 20

// waited reports whether a call is in progress.
func (m *Module) waited() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.calls) > 0
}

// ping sends a ping, which the process has to answer in time.
func (m *Module) ping(within time.Duration) {
	p := m.proc
	if due := time.Now().Add(within); p.due.IsZero() {
		p.due = due
		m.send("ping", int64(1))
	} else if due.Before(p.due) {
		p.due = due
	}
}

// forsake tells the process that a call was abandoned, and sends a ping. A process that does not answer the ping is
// ended.
func (m *Module) forsake(id int64) {
	m.send("cancel", id)
	m.ping(min(processGrace, m.opt.CPU))
}

// close ends the process. If kindly is set, the process first has a second to end by itself.
func (p *moduleProcess) close(kindly bool) {
	p.looks.Stop()
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
