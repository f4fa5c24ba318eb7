package command

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/cmd/snaphook/command/check"
	"github.com/snaphook-go/snaphook/cmd/snaphook/command/fire"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// check and plan agree on the hooks that run, and on the reason why each other hook does not run. The test tries
// settings of Claude Code and of LLxprt, each decision about trust, sessions with and without a user, and every setting
// that switches hooks off.
func TestCheckAndPlanSeeTheSameHooks(t *testing.T) {
	systems := map[string]struct {
		folder, event string
		off           []string // members that switch hooks off
	}{
		"claude": {".claude", "PreToolUse", []string{"", `"disableAllHooks": true, `}},
		"llxprt": {".llxprt", "BeforeTool", []string{
			"", `"hooksConfig": {"enabled": false}, `, `"hooksConfig": {"disabled": ["user", "project"]}, `,
		}},
	}
	overlays := []string{"", `{"hooks": [{"mode": "off"}]}`}
	type reason map[string]string
	tried := 0
	for dialect, sys := range systems {
		for _, decision := range []string{"undecided", "granted", "revoked", "changed"} {
			for _, interactive := range []bool{false, true} {
				for _, off := range sys.off {
					for _, offBy := range []string{"project", "user"} {
						for _, overlay := range overlays {
							tried++
							name := fmt.Sprintf("%s, %s, interactive %v, %q of the %s, overlay %q", dialect, decision, interactive, off, offBy, overlay)
							dir, home := t.TempDir(), t.TempDir()
							t.Setenv("HOME", home)
							t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
							t.Setenv("LLXPRT_SYSTEM_SETTINGS_PATH", filepath.Join(home, "none.json"))
							write := func(file, text string) {
								t.Helper()
								if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
									t.Fatal(err)
								}
								if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
									t.Fatal(err)
								}
							}
							settings := func(of string) string {
								own := ""
								if of == offBy {
									own = off
								}
								label, on := "", ""
								if dialect == "llxprt" {
									label, on = fmt.Sprintf(`"name": %q, `, of), `"tools": {"enableHooks": true}, `
								}
								return fmt.Sprintf(`{%s%s"hooks": {%q: [{"hooks": [{"type": "command", %s"command": "true %s"}]}]}}`, on, own, sys.event, label, of)
							}
							write(filepath.Join(dir, sys.folder, "settings.json"), settings("project"))
							write(filepath.Join(home, sys.folder, "settings.json"), settings("user"))
							if overlay != "" {
								write(filepath.Join(dir, ".snaphook.json"), overlay)
							}
							switch decision {
							case "granted", "changed":
								executed(t, "", "trust", "grant", "--dir", dir)
							case "revoked":
								executed(t, "", "trust", "revoke", "--dir", dir)
							}
							if decision == "changed" {
								text := strings.Replace(settings("project"), `"type": "command"`, `"type": "command", "timeout": 9`, 1)
								write(filepath.Join(dir, sys.folder, "settings.json"), text)
							}
							var more []string
							if interactive {
								more = []string{"--interactive"}
							}
							planned, checkedWhy := reason{}, reason{}
							var p fire.Plan
							out := stdoutOf(t, `{"tool_name": "x", "tool_input": {}}`, append([]string{"plan", dialect + "." + sys.event, "--dir", dir, "--json"}, more...)...)
							if err := json.Unmarshal(out, &p); err != nil {
								t.Fatalf("%s: %v: %s", name, err, out)
							}
							for _, h := range p.Run {
								planned[h.ID] = "runs"
							}
							for _, h := range p.Skipped {
								planned[h.ID] = string(h.Why)
							}
							var c check.Answer
							out = stdoutOf(t, "", append([]string{"check", "--dialect", dialect, "--dir", dir, "--json"}, more...)...)
							if err := json.Unmarshal(out, &c); err != nil {
								t.Fatalf("%s: %v: %s", name, err, out)
							}
							for _, h := range c.Hooks {
								checkedWhy[h.ID] = "runs"
								if h.Why != nil {
									checkedWhy[h.ID] = string(*h.Why)
								}
							}
							if fmt.Sprint(planned) != fmt.Sprint(checkedWhy) {
								t.Errorf("%s:\nplan  %v\ncheck %v", name, planned, checkedWhy)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d states", tried)
}

// stdoutOf returns the output of the command line in this process.
func stdoutOf(t *testing.T, in string, args ...string) []byte {
	t.Helper()
	f, out := &cli.Global{}, bytes.Buffer{}
	root := newRoot(f)
	root.SetArgs(args)
	root.SetIn(strings.NewReader(in))
	root.SetOut(&out)
	root.SetErr(io.Discard)
	root.SilenceUsage, root.SilenceErrors = true, true
	_ = root.ExecuteContext(t.Context())
	return out.Bytes()
}
