package cursor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/wire"
)

// engines lists the variables that the engine sets for hooks (U27, U28); hooks of sessionStart
// cannot change them.
var engines = []string{
	"CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "CURSOR_VERSION", "CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "SNAPHOOK_STATE",
}

// vars returns the variables of the hooks of one fire: first the variables that hooks of sessionStart set, then the
// engine's.
func vars(s *pipeline.Session, h *Host) []string {
	all := append(variablesOf(s).get(s), "CURSOR_PROJECT_DIR="+s.Dir(), "CLAUDE_PROJECT_DIR="+s.Dir(),
		"CURSOR_VERSION="+h.Version.orRelease())
	if h.UserEmail != nil {
		all = append(all, "CURSOR_USER_EMAIL="+*h.UserEmail)
	}
	if transcript := s.Transcript(); transcript != "" {
		all = append(all, "CURSOR_TRANSCRIPT_PATH="+transcript)
	}
	return all
}

// isVariable reports whether an environment can hold a variable.
func isVariable(name, value string) bool {
	return name != "" && !strings.ContainsAny(name, "=\x00") && !strings.ContainsRune(value, 0)
}

// variables holds the variables that hooks of sessionStart have set for the later hooks of a session. The session's
// state stores them too, for later processes. It is safe for many goroutines.
type variables struct {
	mu   sync.Mutex
	read bool
	list []string // "NAME=value"
}

type variablesKey struct{}

// stateKey is the key of the variables in the state of a session.
const stateKey = "cursor.env"

func variablesOf(s *pipeline.Session) *variables {
	return s.Value(variablesKey{}, func() any { return &variables{} }).(*variables)
}

// get returns a copy of the variables, with room to append the engine's variables.
func (v *variables) get(s *pipeline.Session) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.read && s.ID() != "" {
		var env map[string]string
		text, ok, err := s.State().Get(context.Background(), stateKey)
		if err == nil && ok && json.Unmarshal([]byte(text), &env) == nil {
			v.set(env)
		}
	}
	v.read = true
	return slices.Concat(v.list, make([]string, 0, len(engines)))
}

// set replaces the variables.
func (v *variables) set(env map[string]string) {
	v.list = nil
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if isVariable(name, env[name]) && !slices.Contains(engines, name) {
			v.list = append(v.list, name+"="+env[name])
		}
	}
}

// keepVariables stores the variables of sessionStart for the later hooks of the session (U28).
func keepVariables(s *pipeline.Session, _ *SessionStartInput, res *hook.Result[Output]) {
	env := res.Specific.Env
	if env == nil {
		return
	}
	v := variablesOf(s)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.read = true
	if v.set(env); s.ID() == "" {
		return
	}
	text, err := wire.Of(env)
	if err == nil {
		err = s.State().Set(context.Background(), stateKey, string(text))
	}
	if err != nil {
		last := &res.Reports[len(res.Reports)-1]
		last.Notes = append(last.Notes, fmt.Sprintf("its variables are lost for hooks of other processes: %v", err))
	}
}
