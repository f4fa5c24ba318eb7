//go:build linux

package bench

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/snaphook-go/snaphook/pipeline"
)

// exchange is the lower bound of every command hook: it forks and executes argv with raw pipes,
// writes the payload, reads the answer, and does nothing else.
func exchange(argv, env []string, dir string, payload, into []byte) (answer []byte) {
	var stdin, stdout, stderr [2]int
	for _, p := range []*[2]int{&stdin, &stdout, &stderr} {
		must(unix.Pipe2(p[:], unix.O_CLOEXEC))
	}
	_, err := unix.Write(stdin[1], payload) // fits into the pipe's buffer
	must(err)
	unix.Close(stdin[1])
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: []uintptr{uintptr(stdin[0]), uintptr(stdout[1]), uintptr(stderr[1])},
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	must(err)
	for _, fd := range []int{stdin[0], stdout[1], stderr[1]} {
		unix.Close(fd)
	}
	answer = readAll(stdout[0], into)
	readAll(stderr[0], make([]byte, 0, 512))
	var status syscall.WaitStatus
	_, err = syscall.Wait4(pid, &status, 0, nil)
	must(err)
	return answer
}

func readAll(fd int, b []byte) []byte {
	defer unix.Close(fd)
	for {
		if len(b) == cap(b) {
			b = slices.Grow(b, max(4096, len(b)))
		}
		n, err := unix.Read(fd, b[len(b):cap(b)])
		if err == unix.EINTR {
			continue
		}
		must(err)
		if n == 0 {
			return b
		}
		b = b[:len(b)+n]
	}
}

// floor makes the reference for a session's hooks of BeforeTool: the same
// programs, one after another or all at once.
type floor struct {
	argvs   [][]string
	env     []string
	dir     string
	payload []byte
	buffer  []byte
}

func floorOf(tb testing.TB, ses *pipeline.Session) *floor {
	tb.Helper()
	f := &floor{env: os.Environ(), dir: ses.Dir(), buffer: make([]byte, 0, 2<<20)}
	for _, h := range ses.Hooks() {
		program, err := exec.LookPath(h.Argv[0])
		must(err)
		f.argvs = append(f.argvs, append([]string{program}, h.Argv[1:]...))
	}
	f.payload = []byte(`{"session_id":"bench","transcript_path":"","cwd":"` + f.dir + `","hook_event_name":"BeforeTool","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"write_file","tool_input":` + string(arguments) + `}`)
	return f
}

func (f *floor) chained() {
	for _, argv := range f.argvs {
		exchange(argv, f.env, f.dir, f.payload, f.buffer[:0])
	}
}

func (f *floor) parallel() {
	var all sync.WaitGroup
	for _, argv := range f.argvs {
		all.Go(func() { exchange(argv, f.env, f.dir, f.payload, nil) })
	}
	all.Wait()
}

// limited does n exchanges with the given number of workers.
func (f *floor) limited(n, workers int) {
	var all sync.WaitGroup
	places := make(chan struct{}, workers)
	for range n {
		all.Go(func() {
			places <- struct{}{}
			exchange(f.argvs[0], f.env, f.dir, f.payload, nil)
			<-places
		})
	}
	all.Wait()
}

func BenchmarkFloorCommand(b *testing.B) {
	f := floorOf(b, session(b, commands("", answer)))
	b.ReportAllocs()
	for b.Loop() {
		f.chained()
	}
}
