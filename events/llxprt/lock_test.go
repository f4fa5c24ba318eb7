package llxprt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// The settings of a trusted project switch off a guard of the user, unless the machine locks it; the
// machine's own settings switch off a locked guard too.
func TestALockOfTheMachineUpholdsAGuardOfTheUser(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "lock.json")
	if err := os.WriteFile(lock, []byte(`{"hooks": [{"match": {"name": "guard"}, "mode": "enforce"}], "lock": ["hooks[0].mode"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const guard = `{"tools": {"enableHooks": true}, "hooks": {"BeforeTool": [{"hooks": [
		{"type": "command", "name": "guard", "command": "echo no >&2; exit 2"}]}]}}`
	for _, p := range []llxprt.Profile{llxprt.LLxprt, llxprt.Gemini} {
		for name, off := range map[string]string{
			"by name":                  `{"hooksConfig": {"disabled": ["guard"]}}`,
			"by name in the old place": `{"hooks": {"disabled": ["guard"]}}`,
			"with all hooks":           `{"hooksConfig": {"enabled": false}}`,
			"with all tools' hooks":    `{"tools": {"enableHooks": false}}`,
		} {
			for _, source := range []hook.Source{hook.Project, hook.SystemWide} {
				fires := func(files map[policy.Level]string) bool {
					s := llxprt.Settings{Profile: p, Layers: []settings.Layer{layer(hook.User, guard), layer(source, off)}}
					sys := pipeline.NewSystem(pipeline.Config{Load: []pipeline.Load{s.Load}, Policy: policy.Source{Files: files}})
					defer sys.Close()
					ses := session(t, sys, pipeline.SessionConfig{Dir: testkit.Dir(t)})
					res, err := llxprt.BeforeTool.Fire(t.Context(), ses, &llxprt.BeforeToolInput{Name: "write_file", Input: wire.Object(`{}`)})
					if err != nil {
						t.Fatal(err)
					}
					return res.Blocked()
				}
				free, locked := fires(nil), fires(map[policy.Level]string{policy.Machine: lock})
				if want := source == hook.Project; free || locked != want {
					t.Errorf("%v: off %s in %v: it blocks %v, and %v where the machine locks it; want false and %v", p, name, source, free, locked, want)
				}
			}
		}
	}
}
