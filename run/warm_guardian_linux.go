package run

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// guardian is a process that outlives this one by a moment, to kill the process
// groups that are left when this one is killed. The kernel's own signal reaches
// the children alone, not what they have started.
type guardian struct {
	mu   sync.Mutex
	proc *os.Process
	in   *os.File
}

// guardScript kills the groups that have been added and not removed when its
// standard input ends.
const guardScript = `trap '' HUP INT TERM
while read -r op id; do
	case $op in
	+) g="$g $id" ;;
	-) n=; for x in $g; do [ "$x" = "$id" ] || n="$n $x"; done; g=$n ;;
	esac
done
for x in $g; do kill -9 "-$x"; done 2>/dev/null`

// watch has a process group killed if this process ends before the release.
// Without a guardian nothing is watched: the leader has the kernel's signal.
func (g *guardian) watch(group int) (release func()) {
	if !g.say("+", group) {
		return func() {}
	}
	return func() { g.say("-", group) }
}

func (g *guardian) say(op string, group int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.proc == nil && (op == "-" || !g.start()) {
		return false
	}
	_, err := fmt.Fprintf(g.in, "%s %d\n", op, group)
	return err == nil
}

func (g *guardian) start() bool {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return false
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err == nil {
		defer null.Close()
		g.proc, err = os.StartProcess("/bin/sh", []string{"sh", "-c", guardScript}, &os.ProcAttr{
			Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []*os.File{theirs, null, null}, Sys: &syscall.SysProcAttr{Setsid: true}})
	}
	if err != nil {
		ours.Close()
		return false
	}
	g.in = ours
	return true
}

// close ends the guardian, after everything that it has watched.
func (g *guardian) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.proc == nil {
		return
	}
	g.in.Close()
	_, _ = g.proc.Wait()
	g.proc = nil
}
