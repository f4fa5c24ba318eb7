package pipeline

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
)

// varsDir is where the hooks of one fire leave their variables.
type varsDir struct {
	event string
	path  string
	hooks int
}

// openVars makes the directory of a fire whose hooks may leave variables; it
// takes the place of the one that the event had before. Without it the hooks
// run all the same: they have other things to do.
func (f *firing[In, Out]) openVars() {
	needed := func(h *hook.Hook) bool { return h.Runner != nil && !h.NoEnvFile }
	if f.event.Forget != nil && f.event.Forget(&f.in.value) {
		f.s.forgetVars("")
	}
	if f.event.Rules.EnvFile == "" || !slices.ContainsFunc(f.plan.Run, needed) {
		return
	}
	dir, err := f.s.scratch(f.event.Name)
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err != nil {
		f.s.sys.log.LogAttrs(f.ctx, slog.LevelWarn, "hooks cannot leave variables", slog.String("event", f.event.Info().FullName()), slog.String("error", err.Error()))
		return
	}
	f.vars = dir
	f.s.forgetVars(f.event.Name)
	m := f.s.remembers()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vars = append(m.vars, varsDir{f.event.Name, dir, len(f.plan.Run)})
}

// env gives the variables of one hook's call.
func (f *firing[In, Out]) env(i int, h *hook.Hook) (vars []string) {
	if f.event.Vars != nil {
		vars = f.event.Vars(f.s, &f.in.value)
	}
	if f.vars != "" && !h.NoEnvFile {
		vars = append(vars, f.event.Rules.EnvFile+"="+varsFile(f.vars, i))
	}
	return vars
}

func varsFile(dir string, i int) string {
	return filepath.Join(dir, "hook-"+strconv.Itoa(i)+".sh")
}

// forgetVars drops the variables of an event, or of all if event is empty.
func (s *Session) forgetVars(event string) {
	m := s.more.Load()
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vars = slices.DeleteFunc(m.vars, func(d varsDir) bool {
		gone := event == "" || d.event == event
		if gone {
			_ = os.RemoveAll(d.path)
		}
		return gone
	})
}

// EnvFiles gives the files in which hooks have left variables, as shell text,
// in the order in which a host has to source them before each of its own shell
// commands: the hooks of an event that fired last come last, and among them the
// plan's order counts (seed 004 §18.1). An event that fires again replaces what
// its hooks left before.
func (s *Session) EnvFiles() (files []string) {
	m := s.more.Load()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.vars {
		for i := range d.hooks {
			if info, err := os.Stat(varsFile(d.path, i)); err == nil && info.Size() > 0 {
				files = append(files, varsFile(d.path, i))
			}
		}
	}
	return files
}

// Exports gives the text of all EnvFiles in their order: shell text, of which a
// later line overrules an earlier one. It is empty if hooks have left none. A
// file that cannot be read is an error, and the others are given all the same.
func (s *Session) Exports() (script string, err error) {
	var text strings.Builder
	for _, file := range s.EnvFiles() {
		b, failed := os.ReadFile(file)
		err = lo.CoalesceOrEmpty(err, failed)
		text.Write(b)
		if len(b) > 0 && b[len(b)-1] != '\n' {
			text.WriteByte('\n')
		}
	}
	return text.String(), err
}
