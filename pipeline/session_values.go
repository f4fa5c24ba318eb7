package pipeline

import (
	"cmp"
	"crypto/rand"
	"os"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

// State returns the values of the program and its hooks in Go; see [hook.State]. They are stored in a directory,
// created with the first value. A later session with the same id and directory finds the values there. Close removes
// them if the session has no id; otherwise they are removed a week after their last use. Hooks from settings do not
// share these values; see [Session.SourceState].
func (s *Session) State() hook.State { return s.SourceState(hook.Host) }

// SourceState returns the values that the session's hooks of one source share, such as [hook.Project]; see
// [hook.State]. Each source has its own keys and its own limit, so that a project's hook cannot change the values of
// a user's hook. [Session.State] is SourceState of [hook.Host], and the values of all sources are kept for the same
// time.
func (s *Session) SourceState(source hook.Source) hook.State { return s.stateOf(source).state }

// stateName is the environment variable that names the directory of a hook's state.
const stateName = "SNAPHOOK_STATE="

// inheritsState reports whether this process is a hook that was given a state. The hooks of this process must not
// inherit the variable SNAPHOOK_STATE.
func inheritsState() bool {
	_, set := os.LookupEnv(stateName[:len(stateName)-1])
	return set
}

// stateDirs holds the directories of a session's state. It is immutable.
type stateDirs struct {
	session state.Dir
	sources []stateOfSource // sources whose state has been used
}

// stateOfSource is the state of the hooks of one source.
type stateOfSource struct {
	source hook.Source
	state  hook.State
	name   string // SNAPHOOK_STATE=NAME, built once; NAME is empty if processes cannot use the state
}

// stateOf returns the state of a source without creating its directory.
func (s *Session) stateOf(source hook.Source) *stateOfSource {
	for {
		kept := s.kept.Load()
		if kept != nil {
			for i := range kept.sources {
				if kept.sources[i].source == source {
					return &kept.sources[i]
				}
			}
		}
		s.kept.CompareAndSwap(kept, kept.with(s, source))
	}
}

// with returns a copy of known, which may be nil, extended by the state of one more source of s.
func (known *stateDirs) with(s *Session, source hook.Source) *stateDirs {
	more := new(stateDirs)
	if known != nil {
		*more = *known
	} else {
		home := ""
		if s.host != nil {
			home = s.host.State
		}
		more.session = state.Of(cmp.Or(home, state.Home()), s.dir, cmp.Or(s.id, rand.Text()))
	}
	of := stateOfSource{source: source, name: stateName}
	if s.host != nil && s.host.States != nil {
		of.state = s.host.States(source)
	}
	if of.state == nil {
		dir := more.session.ForSource(string(source))
		of.state, of.name = dir, stateName+string(dir)
	} else if named, ok := of.state.(interface{ Name() string }); ok {
		of.name = stateName + named.Name()
	}
	more.sources = append(slices.Clip(more.sources), of)
	return more
}
