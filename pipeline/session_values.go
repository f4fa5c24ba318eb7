package pipeline

import (
	"cmp"
	"crypto/rand"
	"os"
	"slices"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

// State returns the values of the program and of its hooks in Go; see [hook.State]. They are in a
// directory that is made with the first value; a later session with the same id and directory uses
// it again. Close removes it if the session has no id; otherwise it is removed a week after its
// last use. Hooks from settings do not share these values; see [Session.SourceState].
func (s *Session) State() hook.State { return s.SourceState(hook.Host) }

// SourceState returns the values that the session's hooks of one source share, such as those of
// [hook.Project]; see [hook.State]. Each source has separate keys and a separate limit: a project's
// hook that sets or deletes a key does not change a user's hook's value under the same key. The
// values are kept and removed like those of [Session.State], which are the source [hook.Host].
func (s *Session) SourceState(source hook.Source) hook.State { return s.stateOf(source).state }

// stateName is the environment variable that names the directory of a hook's state.
const stateName = "SNAPHOOK_STATE="

// inheritsState reports whether this process is itself a hook with a state, whose variable its own
// hooks must not inherit.
func inheritsState() bool {
	_, set := os.LookupEnv(stateName[:len(stateName)-1])
	return set
}

// stateDirs holds the directories of a session's state; it never changes.
type stateDirs struct {
	session state.Dir
	sources []stateOfSource // the sources whose hooks have run
}

// stateOfSource is the state of the hooks of one source.
type stateOfSource struct {
	source hook.Source
	state  hook.State
	name   string // the variable with its name, made once; without a value if processes cannot use the state
}

// stateOf returns the state of a source, without making its directory.
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

// with returns a copy of known (nil allowed) that also has the state of one more source of s.
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
