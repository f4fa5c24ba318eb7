package pipeline

import (
	"cmp"
	"crypto/rand"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

// stateName is the variable that names the directory of the state to hooks
// outside the process.
const stateName = "SNAPHOOK_STATE="

// State is what the hooks of the session keep between their runs; see
// [hook.State]. It is in a directory that is made when something is kept, and
// that a session with the same id and directory takes up again. Close removes it
// if the session has no id; else it goes when it has not been used for a week.
func (s *Session) State() hook.State { return state.Dir(s.stateVar()[len(stateName):]) }

// tellsState reports whether hooks outside the process get the variable. In a
// dialect whose calls have no variables of their own it would cost each call a
// copy of the environment, so that there a host asks for it.
func (s *Session) tellsState(vars []string) bool {
	return len(vars) > 0 || s.host != nil && s.host.State != ""
}

// stateVar names the directory, as a variable for hooks. It is made once.
func (s *Session) stateVar() string {
	if kept := s.kept.Load(); kept != nil {
		return *kept
	}
	home := ""
	if s.host != nil {
		home = s.host.State
	}
	dir := state.Of(cmp.Or(home, state.Home()), s.dir, cmp.Or(s.id, rand.Text()))
	name := stateName + string(dir)
	s.kept.CompareAndSwap(nil, &name)
	return *s.kept.Load()
}
