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

// varsDir is the directory in which the hooks of one fire export variables. The mutex of the session's hookFiles guards
// it.
type varsDir struct {
	event string
	path  string
	hooks int
	users int  // number of users: the fire and its background hooks
	stale bool // the variables are no longer used; the last user removes the directory
}

// clean removes a stale directory once no running hook uses it.
func (d *varsDir) clean() {
	if d.stale && d.users == 0 {
		_ = os.RemoveAll(d.path)
	}
}

// openVars creates the directory in which the hooks of a fire export variables. It replaces the directory of the
// event's previous fire. If creation fails, hooks run without it. openVars returns nil if no hook needs the directory.
func openVars(f *fireState) (*varsDir, error) {
	needed := func(h *hook.Hook) bool { return h.Runner != nil && !h.NoEnvFile }
	if !slices.ContainsFunc(f.plan.Run, needed) {
		return nil, nil
	}
	files := &f.s.state().files
	dir, err := files.newPath(f.s, f.of.name)
	if err == nil {
		err = makeVars(dir)
	}
	if err != nil {
		f.s.sys.log.LogAttrs(
			f.ctx,
			slog.LevelWarn,
			"hooks cannot export variables",
			slog.String("event", f.of.full),
			slog.String("error", err.Error()),
		)
		return nil, err
	}
	d := &varsDir{event: f.of.name, path: dir, hooks: len(f.plan.Run), users: 1}
	files.replaceVars(d)
	return d, nil
}

// forgetVars clears the variables of a session if an input of the event demands it.
func forgetVars(e *definition, s *Session, in any) {
	if m := s.more.Load(); m != nil && e.on.forget(in) {
		m.files.forgetVars()
	}
}

// readVars returns the text of files with exported variables, and the error of the first file that cannot be read.
func readVars(files []string) (script string, err error) {
	var text strings.Builder
	for _, file := range files {
		b, failed := bounded.ReadFile(context.Background(), file, maxVars)
		err = lo.CoalesceOrEmpty(err, failed)
		text.Write(b)
		if len(b) > 0 && b[len(b)-1] != '\n' {
			text.WriteByte('\n')
		}
	}
	return text.String(), err
}

// lostVars returns the note for a hook whose exported variables are lost.
func lostVars(f *fireState) string {
	return fmt.Sprintf("%s is not set, and the variables of the hook are lost: %v", f.of.rules.EnvFile, f.noVars)
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
