package pipeline

import (
	"context"
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

// clean removes a stale directory once no running hook uses it.
func (d *varsDir) clean() {
	if d.stale && d.users == 0 {
		_ = os.RemoveAll(d.path)
	}
}

// varsDir is the directory in which the hooks of one fire export variables. The mutex of the
// session's state guards it.
type varsDir struct {
	event string
	path  string
	hooks int
	users int  // number of users: the fire and its background hooks
	stale bool // the variables are no longer used; the last user removes the directory
}

// openVars creates the directory in which hooks export variables. It replaces the directory of the event's previous
// fire. If creation fails, hooks run without it.
func (f *fireState) openVars() {
	needed := func(h *hook.Hook) bool { return h.Runner != nil && !h.NoEnvFile }
	if !slices.ContainsFunc(f.plan.Run, needed) {
		return
	}
	dir, err := f.s.state().newFile(f.s, f.of.name)
	if err == nil {
		err = makeVars(dir)
	}
	if err != nil {
		f.noVars = err
		f.s.sys.log.LogAttrs(
			f.ctx,
			slog.LevelWarn,
			"hooks cannot export variables",
			slog.String("event", f.of.info().FullName()),
			slog.String("error", err.Error()),
		)
		return
	}
	f.vars = &varsDir{event: f.of.name, path: dir, hooks: len(f.plan.Run), users: 1}
	m := f.s.state()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(f.of.name)
	m.vars = append(m.vars, f.vars)
}

// forget clears the session's variables if the input asks for it.
func (e *definition) forget(s *Session, in any) {
	m := s.more.Load()
	if m == nil {
		return
	}
	if e.on.forget(in) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.forget("")
	}
}

// EnvFiles returns the files in which hooks have exported variables, as shell text. The host sources them, in this
// order, before each of its own shell commands. The event that fired last comes last; hooks of one event are in plan
// order (C85). A new fire of an event replaces the variables that its hooks exported before. Of several fires of one
// event at the same time, only the one that began last counts.
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

// Exports returns the text of all EnvFiles in order, in which later lines override earlier ones. It is empty if hooks
// have exported nothing. A file that cannot be read, or has more than 1 MiB, is an error; the text of the others is
// still returned.
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

// makeVars creates a directory and checks that it has room for variables.
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

// varsRoom is the free disk space, in bytes, that is required before hooks may export variables.
const varsRoom = 4 << 10

// maxVars limits the text, in bytes, that a hook may export.
const maxVars = 1 << 20

func varsFile(dir string, i int) string {
	return filepath.Join(dir, "hook-"+strconv.Itoa(i)+".sh")
}
