package claude

import (
	"slices"
	"testing"
)

// Commands of Git's bash get paths in the form of Git's bash (rule C86).
func TestGitsBashIsGivenItsOwnPaths(t *testing.T) {
	env := []string{`CLAUDE_PROJECT_DIR=C:\Users\foo bar`, `CLAUDE_PLUGIN_ROOT=\\server\share`, `CLAUDE_PLUGIN_DATA=D:/x`, `CLAUDE_ENV_FILE=c:\t\e.sh`, `PATH=C:\bin`, `X`}
	want := []string{`CLAUDE_PROJECT_DIR=/c/Users/foo bar`, `CLAUDE_PLUGIN_ROOT=//server/share`, `CLAUDE_PLUGIN_DATA=/d/x`, `CLAUDE_ENV_FILE=/c/t/e.sh`, `PATH=C:\bin`, `X`}
	if got := forGitBash(env); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if env[0] != `CLAUDE_PROJECT_DIR=C:\Users\foo bar` {
		t.Error("the environment of other hooks has changed")
	}
}
