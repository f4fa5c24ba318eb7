package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// varsDir is where the hooks of one fire leave their variables. The mutex of the
// session's memory guards it.
type varsDir struct {
	event string
	path  string
	hooks int
	users int  // the fire, and those of its hooks that are in the background
	stale bool // what is in it counts no more, and the last user removes it
}

// openVars makes the directory of a fire whose hooks may leave variables; it
// takes the place of the one that the event had before. Without it the hooks
// run all the same: they have other things to do.
func (f *fireRun[In, Out]) openVars() {
	needed := func(h *hook.Hook) bool { return h.Runner != nil && !h.NoEnvFile }
	if f.event.spec.Rules.EnvFile == "" || !slices.ContainsFunc(f.plan.Run, needed) {
		return
	}
	dir, err := f.s.scratch(f.event.spec.Name)
	if err == nil {
		err = makeVars(dir)
	}
	if err != nil {
		f.noVars = err
		f.s.sys.log.LogAttrs(
			f.ctx,
			slog.LevelWarn,
			"hooks cannot leave variables",
			slog.String("event", f.event.Info().FullName()),
			slog.String("error", err.Error()),
		)
		return
	}
	f.vars = &varsDir{event: f.event.spec.Name, path: dir, hooks: len(f.plan.Run), users: 1}
	m := f.s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(f.event.spec.Name)
	m.vars = append(m.vars, f.vars)
}

// makeVars makes a directory that has room for variables.
func makeVars(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err != nil {
		return err
	}
	probe := varsFile(dir, 0)
	if err = os.WriteFile(probe, make([]byte, varsRoom), 0o600); err != nil {
		_ = os.RemoveAll(dir)
		return err
	}
	return os.Remove(probe)
}

// varsRoom is what has to fit on the disk before hooks are told to write there.
const varsRoom = 4 << 10

// noteVars says in a hook's report that it could leave no variables.
func (f *fireRun[In, Out]) noteVars(r *hook.Report[Out]) {
	if f.noVars != nil && !r.Hook.NoEnvFile {
		r.Notes = append(r.Notes, fmt.Sprintf("%s is not set, and the variables of the hook are lost: %v",
			f.event.spec.Rules.EnvFile, f.noVars))
	}
}

// env returns the variables of one hook's call.
func (f *fireRun[In, Out]) env(r *hook.Report[Out], in *input[In]) (vars []string) {
	if f.event.spec.Vars != nil {
		vars = slices.Clip(f.event.spec.Vars(f.s, &in.value)) // which may be the same for all
	}
	if f.vars != nil && !r.Hook.NoEnvFile {
		vars = append(vars, f.event.spec.Rules.EnvFile+"="+varsFile(f.vars.path, r.Index))
	}
	if f.s.tellsState(vars) {
		vars = append(vars, f.s.stateVar())
	}
	return vars
}

func varsFile(dir string, i int) string {
	return filepath.Join(dir, "hook-"+strconv.Itoa(i)+".sh")
}

// forget makes the session forget variables, if the input says so. It looks at a
// copy: a caller's input stays on its stack.
//
//go:noinline
func (e *Event[In, Out]) forget(s *Session, in *In) {
	m := s.more.Load()
	if m == nil {
		return
	}
	if in := *in; e.spec.Forget(&in) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.forget("")
	}
}

// forget drops the variables of an event, or all if event is empty.
func (m *sessionState) forget(event string) {
	m.vars = slices.DeleteFunc(m.vars, func(d *varsDir) bool {
		gone := event == "" || d.event == event
		if gone {
			d.stale = true
			d.clean()
		}
		return gone
	})
}

// clean removes a directory that is no longer needed: a hook that still runs
// would fail without.
func (d *varsDir) clean() {
	if d.stale && d.users == 0 {
		_ = os.RemoveAll(d.path)
	}
}

// hold counts a hook in the background that may leave variables in d.
func (s *Session) hold(d *varsDir) { s.use(d, 1) }

// release ends what hold, or the fire, has begun.
func (s *Session) release(d *varsDir) { s.use(d, -1) }

func (s *Session) use(d *varsDir, more int) {
	if d == nil {
		return
	}
	m := s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	d.users += more
	d.clean()
}

// EnvFiles returns the files in which hooks have left variables, as shell text,
// in the order in which a host has to source them before each of its own shell
// commands: the hooks of an event that fired last come last, and among them the
// plan's order counts (C85). An event that fires again replaces what
// its hooks left before; of fires at the same time, the one that began last
// counts.
func (s *Session) EnvFiles() (files []string) {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.vars {
		for i := range d.hooks {
			if info, err := os.Stat(varsFile(d.path, i)); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
				files = append(files, varsFile(d.path, i))
			}
		}
	}
	return files
}

// Exports returns the text of all EnvFiles in their order: shell text, of which a
// later line overrules an earlier one. It is empty if hooks have left none. A
// file that cannot be read, or has more than 1 MiB, is an error, and the others
// are given all the same.
func (s *Session) Exports() (script string, err error) {
	var text strings.Builder
	for _, file := range s.EnvFiles() {
		b, failed := bounded.ReadFile(context.Background(), file, maxVars)
		err = lo.CoalesceOrEmpty(err, failed)
		text.Write(b)
		if len(b) > 0 && b[len(b)-1] != '\n' {
			text.WriteByte('\n')
		}
	}
	return text.String(), err
}

// maxVars is how much text a hook may leave.
const maxVars = 1 << 20
