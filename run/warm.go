package run

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
)

// The kinds of warm hooks. [WarmAuto] chooses the kind by the command's program: Python, Node or, if the Warm has
// Tools, bash.
const (
	WarmAuto   = "auto"
	WarmPython = "python"
	WarmNode   = "node"
	WarmBash   = "bash"
	WarmWorker = "worker"
	WarmOff    = "off"
)

// WarmKinds lists the words that settings may use, in the order of the documentation.
var WarmKinds = []string{WarmAuto, WarmPython, WarmNode, WarmBash, WarmWorker, WarmOff}

// Warmable is a [hook.Runner] that can keep the interpreter of its command
// ready between calls.
type Warmable interface {
	// SetWarm makes later calls use w, for one of the kinds; dir is their working directory. note is the reason why the
	// command still starts cold; it is empty if the command is kept warm.
	SetWarm(w *Warm, kind, dir string) (note string)
}

var _ Warmable = (*Command)(nil)

// Keep keeps the interpreter of a hook ready, as [Command.SetWarm] does for a Command; note is the reason why the hook
// still starts cold, or empty. Keep looks through Runners that wrap others; see [hook.RunnerAs].
func (w *Warm) Keep(h *hook.Hook, kind, dir string) (note string) {
	command, ok := hook.RunnerAs[Warmable](h.Runner)
	switch {
	case ok:
		return command.SetWarm(w, kind, dir)
	case kind == "":
		return ""
	}
	return "a hook of type " + strconv.Quote(h.Type) + " starts no interpreter"
}

// warmth describes how a Command is kept warm.
type warmth struct {
	pool *Warm
	kind string // python, node, bash or worker

	shell  *shellScript // for bash
	unread bool         // the first call reads the script, if the command runs one
	cold   atomic.Bool  // the shell had to run the last call
	note   string       // why a worker cannot be called
}

// StartsProcess reports whether the next call will probably start a process: a script that runs in this process starts
// none, and a worker runs already.
func (c *Command) StartsProcess() bool {
	m := c.warm.Load()
	return m == nil || m.kind != WarmWorker && (m.shell == nil || m.cold.Load())
}

// coldWorker returns the error of a worker that cannot be called. A worker never starts cold: it would print that it is
// ready, get no call, and thereby allow everything.
func coldWorker(note string) error {
	return &hook.ClassError{Class: hook.ClassSpawn, Err: fmt.Errorf(
		"the worker cannot be called: %s. Remove this cause, or remove \"warm\": \"worker\" if the command is not a worker", note)}
}

// SetWarm keeps the interpreter of the command ready in w; see [Warm]. Call it before the first Run. Two kinds of
// commands stay cold: a command that is neither a script of bash or dash nor one plain call of an interpreter with a
// script, and every command on systems other than Linux, except bash scripts on Windows. A worker never starts cold:
// its calls fail instead.
//
// For the kind "", which means that no policy names one, a script of bash or dash runs in this process on Linux if w
// has Tools; the script is read at the first call. Other commands start cold.
func (c *Command) SetWarm(w *Warm, kind, dir string) (note string) {
	switch {
	case kind == "" && warmSystem && w.Tools != nil:
		if c.warm.Load() == nil {
			c.warm.CompareAndSwap(nil, &warmth{pool: w, kind: WarmBash, unread: true})
		}
		return ""
	case kind == WarmOff:
		c.warm.Store(nil)
		return ""
	case kind == "":
		return ""
	}
	if ownShell && kind == WarmBash {
		script, note := shellOf(c, w, c.job(hook.Call{Dir: dir}))
		if note == "" {
			c.warm.Store(&warmth{pool: w, kind: WarmBash, shell: script})
		}
		return note
	}
	if warmSystem && (kind == WarmBash || kind == WarmAuto && w.Tools != nil) {
		script, note := scriptFor(c, w, dir)
		if note == "" {
			c.warm.Store(&warmth{pool: w, kind: WarmBash, shell: script})
		}
		if kind == WarmBash || note != noScript {
			return note
		}
	}
	chosen, note := kindOf(c, kind, dir)
	switch {
	case kind == WarmWorker:
		c.warm.Store(&warmth{pool: w, kind: kind, note: note})
	case note == "":
		c.warm.Store(&warmth{pool: w, kind: chosen})
	}
	return note
}

// noScript is the note for a command that runs neither bash nor dash.
const noScript = "the command does not run a script with bash or dash"

const notPlain = "the command is not one plain call of a program, so a shell has to run it each time"

// kindOf returns the kind that fits the command, or a note that says why none does.
func kindOf(c *Command, kind, dir string) (chosen, note string) {
	if !slices.Contains(WarmKinds, kind) {
		return "", fmt.Sprintf("there is no kind of warm hook %q; write one of %s", kind, strings.Join(WarmKinds, ", "))
	}
	if !warmSystem {
		return "", "hooks are kept warm on Linux alone"
	}
	j, plain := c.job(hook.Call{Dir: dir}).process(c, kind)
	if !plain {
		return "", notPlain
	}
	if kind == WarmWorker {
		return WarmWorker, ""
	}
	found, note := interpreterOf(j)
	switch {
	case note != "":
		return "", note
	case kind != WarmAuto && kind != found.kind:
		return "", fmt.Sprintf("the command runs %s, not %s", found.kind, kind)
	}
	return found.kind, ""
}

// isShell reports whether a program is a shell, which reads its commands from its arguments.
func isShell(program string) bool {
	switch program[strings.LastIndexByte(program, '/')+1:] {
	case "sh", "bash", "dash", "zsh", "pwsh", "powershell", "powershell.exe":
		return true
	}
	return false
}

// run runs a call warm. ran is false if the call has to start cold.
func (m *warmth) run(ctx context.Context, c *Command, call hook.Call, j job) (reply hook.Reply, ran bool, err error) {
	if m.shell != nil {
		return m.runShell(j)
	}
	direct, plain := j.process(c, m.kind)
	if m.kind == WarmWorker {
		note := m.note
		if !plain && note == "" {
			note = notPlain
		}
		if note != "" {
			return reply, true, coldWorker(note)
		}
		reply, err = m.pool.ask(ctx, c, call, direct)
		return reply, true, err
	}
	if !plain || ctx.Err() != nil {
		return reply, false, nil
	}
	return m.pool.run(ctx, m, c, call, direct)
}

// runShell runs a script in this process. ran is false if its shell has to run it.
func (m *warmth) runShell(j job) (reply hook.Reply, ran bool, err error) {
	reply, ran, err = m.shell.run(m.pool, j)
	m.cold.Store(!ran)
	return reply, ran, err
}

// read reads the script of a command, and returns how later calls run the script; nil if they start cold.
func (m *warmth) read(c *Command, dir string) (now *warmth) {
	if script, note := scriptFor(c, m.pool, dir); note == "" {
		now = &warmth{pool: m.pool, kind: WarmBash, shell: script}
	}
	c.warm.CompareAndSwap(m, now)
	return now
}

// environKey returns a hash that distinguishes environments.
func environKey(env []string) uint64 {
	var h maphash.Hash
	h.SetSeed(environSeed)
	for _, entry := range env {
		_, _ = h.WriteString(entry)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

var environSeed = maphash.MakeSeed()

// scriptFor returns the command's script for running in this process, or a note that says why it cannot.
func scriptFor(c *Command, w *Warm, dir string) (s *shellScript, note string) {
	j := c.job(hook.Call{Dir: dir})
	if direct, ok := j.plain(c); ok {
		j = direct
	}
	return shellOf(c, w, j)
}
