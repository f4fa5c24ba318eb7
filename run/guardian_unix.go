//go:build unix

package run

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// guardian is a process that outlives the engine's process briefly, and kills the remaining process groups
// when the engine is killed. The kernel's own signal reaches only the children, not their descendants.
type guardian struct {
	// brief makes the guardian's process end as soon as it has no groups to watch.
	brief bool

	mu     sync.Mutex
	proc   *os.Process
	in     *os.File
	groups map[int]struct{}
}

// commands is the guardian for the processes of cold commands and of each [Resident].
var commands = guardian{brief: true}

// guardAfter is the time that a process runs before the guardian watches it, because a guardian costs as much
// as a short hook. If this process is killed earlier, the hook is killed, but not its descendants.
const guardAfter = 250 * time.Millisecond

// guardScript waits for the end of its standard input, and then kills the groups that were added and not removed.
const guardScript = `trap '' HUP INT QUIT TERM
while read -r op id; do
	case $op in
	+) g="$g $id" ;;
	-) n=; for x in $g; do [ "$x" = "$id" ] || n="$n $x"; done; g=$n ;;
	esac
done
for x in $g; do kill -9 "-$x"; done 2>/dev/null`

// watch makes the guardian kill a process group if this process ends before release. If the guardian cannot be started,
// only the kernel's signal kills the leader.
func (g *guardian) watch(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.groups == nil {
		g.groups = map[int]struct{}{}
	}
	g.groups[group] = struct{}{}
	if g.proc == nil {
		g.start()
	} else if !g.say("+", group) { // the guardian was killed
		g.end()
		g.start()
	}
}

// release stops watching a group. Call it before the leader is reaped, after which another process may get the group's
// number.
func (g *guardian) release(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, group)
	switch {
	case g.proc == nil:
	case g.brief && len(g.groups) == 0:
		_ = g.proc.Kill()
		g.end()
	default:
		g.say("-", group)
	}
}

func (g *guardian) say(op string, group int) bool {
	_, err := fmt.Fprintf(g.in, "%s %d\n", op, group)
	return err == nil
}

// starting serializes the starts of commands and of the guardian. The system serializes them anyway; without the lock,
// starts that wait would need twice the descriptors.
var starting sync.Mutex

// start starts the guardian's process.
func (g *guardian) start() {
	starting.Lock()
	defer starting.Unlock()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
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
		return
	}
	g.in = ours
	for group := range g.groups {
		g.say("+", group)
	}
}

// end closes the input of the guardian's process, and waits until it has ended.
func (g *guardian) end() {
	g.in.Close()
	_, _ = g.proc.Wait()
	g.proc, g.in = nil, nil
}

// close ends the guardian after all watched processes have ended.
func (g *guardian) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.proc != nil {
		g.end()
	}
}

// ward is a process that the guardian watches after a delay.
type ward struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
	group int // 0 before it is watched
}

func (w *ward) begin(group int) {
	w.timer = time.AfterFunc(guardAfter, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.over {
			w.group = group
			commands.watch(group)
		}
	})
}

func (w *ward) end() {
	if w.timer == nil {
		return
	}
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.group != 0 && !w.over {
		commands.release(w.group)
	}
	w.over = true
}
