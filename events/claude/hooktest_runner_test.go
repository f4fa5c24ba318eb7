//go:build unix

package claude_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/hooktest"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/wire"
)

// digesting is a hook that prints a digest of its payload. Some runners quote the printed text; the
// digest has no quotes, so that it arrives unchanged.
const digesting = `payload=$(cat; echo .)
case $payload in
*'"hooktest":"hang"'*) exec sleep 600 ;;
*'"hooktest":"flood"'*) head -c 33554432 /dev/zero | tr '\0' x ;;
*) printf '%s' "${payload%.}" | sha256sum ;;
esac
`

// The runners with which settings wrap a command keep the contract of a runner.
func TestRunnersOfSettingsHold(t *testing.T) {
	entry := func(event, command string) string {
		return `{"hooks": {"` + event + `": [{"hooks": [{"type": "command", "command": ` + string(wire.Quote(command)) + `}]}]}}`
	}
	with := func(home string, layers ...settings.Layer) claude.Settings {
		return claude.Settings{Layers: layers, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}}
	}
	for name, text := range map[string]string{
		"a command":                   entry("PreToolUse", hooktest.Script),
		"a command with its input":    entry("PreToolUse", ": $ARGUMENTS\n"+hooktest.Script),
		"a command that makes a path": entry("WorktreeCreate", digesting),
	} {
		t.Run(name, func(t *testing.T) {
			s := hooktest.Session(t, loading(with(t.TempDir(), layer(hook.Project, text))))
			hooktest.Runner(t, s.Hooks()[0].Runner)
		})
	}
	t.Run("a command of a plugin", func(t *testing.T) {
		root, home := t.TempDir(), t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "hooks", "hooks.json"), []byte(entry("PreToolUse", hooktest.Script)), 0o644); err != nil {
			t.Fatal(err)
		}
		of := with(home, layer(hook.Project, "{}"))
		of.Plugins = []claude.Plugin{{Name: "p", Root: root}}
		s := hooktest.Session(t, loading(of))
		hooktest.Runner(t, s.Hooks()[0].Runner)
		if _, err := os.Stat(filepath.Join(home, ".claude", "plugins", "data", "p")); err != nil {
			t.Errorf("the plugin's directory for data: %v", err)
		}
	})
}

func loading(s claude.Settings) hooktest.Option {
	return hooktest.Configure(func(c *pipeline.Config, _ *pipeline.SessionConfig) { c.Load = []pipeline.Load{s.Load} })
}
