package claude_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// Callbacks that a program registers on behalf of its users are checked against policies at
// registration.
func TestALockOfTheMachineUpholdsACallbackOfTheUserToo(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock.json")
	if err := os.WriteFile(lock, []byte(`{"hooks": [{"mode": "enforce"}], "lock": ["hooks[0].mode"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		layers []settings.Layer
		files  map[policy.Level]string
		want   bool
	}{
		"locked":                   {[]settings.Layer{layer(hook.Project, `{"disableAllHooks": true}`)}, map[policy.Level]string{policy.Machine: lock}, true},
		"not locked":               {[]settings.Layer{layer(hook.Project, `{"disableAllHooks": true}`)}, nil, false},
		"switched off by managed":  {[]settings.Layer{layer(hook.Managed, `{"disableAllHooks": true}`)}, map[policy.Level]string{policy.Machine: lock}, false},
		"managed, and the project": {[]settings.Layer{layer(hook.Managed, `{"disableAllHooks": true}`), layer(hook.Project, `{"disableAllHooks": true}`)}, map[policy.Level]string{policy.Machine: lock}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := claude.Settings{Layers: test.layers, Environ: []string{}}
			sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Policy: policy.Source{Files: test.files}})
			defer sys.Close()
			ses, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: testkit.Dir(t)})
			if err != nil {
				t.Fatal(err)
			}
			claude.PreToolUse.On(ses, "theirs", func(context.Context, claude.PreToolUseInput) (hook.Output[claude.PreToolUseOutput], error) {
				return hook.Output[claude.PreToolUseOutput]{Decision: hook.Deny, Reason: "no", Set: hook.SetAnswer}, nil
			}, pipeline.UserProvided())
			res, err := claude.PreToolUse.Fire(t.Context(), ses, &claude.PreToolUseInput{Name: "Bash", Input: wire.Object(`{"command":"ls"}`)})
			if err != nil || res.Blocked() != test.want {
				t.Errorf("blocked %v, %v; want %v", res.Blocked(), err, test.want)
			}
		})
	}
}
