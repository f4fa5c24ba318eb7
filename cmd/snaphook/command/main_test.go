package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){
		"snaphook": func() { os.Exit(Main()) },
	})
}

// leakless fails the tests if they leave goroutines behind.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	status := m.M.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn) // a temporary directory
	}
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}

// TestScripts runs the scenarios of testdata/script, each in a project of its
// own with a home directory of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("..", "..", "..", "testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("LLXPRT_SYSTEM_SETTINGS_PATH", filepath.Join(home, "no-system-settings.json"))
			env.Setenv("NO_COLOR", "")
			if runtime.GOOS == "windows" {
				forWindows(env, home)
			}
			if os.Getenv("GORACE") == "" { // 600 programs with the race detector would sleep 1 s each
				env.Setenv("GORACE", "atexit_sleep_ms=10")
			}
			return os.MkdirAll(home, 0o755)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// forWindows sets the variables that name a user's folders on Windows. If the tests find Git's bash, the scripts find
// it too.
func forWindows(env *testscript.Env, home string) {
	env.Setenv("USERPROFILE", home)
	env.Setenv("AppData", filepath.Join(home, ".config"))
	env.Setenv("LocalAppData", filepath.Join(home, "AppData", "Local"))
	env.Setenv("ProgramData", filepath.Join(home, "ProgramData"))
	if bash := os.Getenv("CLAUDE_CODE_GIT_BASH_PATH"); bash != "" {
		env.Setenv("CLAUDE_CODE_GIT_BASH_PATH", bash)
		env.Setenv("PATH", env.Getenv("PATH")+";"+filepath.Dir(bash))
	}
}
