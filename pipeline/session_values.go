package pipeline

import (
	"cmp"
	"crypto/rand"
	"os"
	"slices"
	"sync/atomic"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/state"
)

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

// sourceStates finds the state of the hooks of each source of a session.
type sourceStates struct{ known atomic.Pointer[stateDirs] }

// of returns the state of a source of s without creating its directory.
func (all *sourceStates) of(s *Session, source hook.Source) *stateOfSource {
	for {
		kept := all.known.Load()
		if kept != nil {
			for i := range kept.sources {
				if kept.sources[i].source == source {
					return &kept.sources[i]
				}
			}
		}
		all.known.CompareAndSwap(kept, kept.with(s, source))
	}
}

// remove removes the values of a session that no later session can find.
func (all *sourceStates) remove() {
	if kept := all.known.Load(); kept != nil {
		_ = kept.session.Remove() // no hook can use the values any more
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
