package llxprt

import "testing"

// PowerShell reads the directories of placeholders from the environment (rule L20).
func TestPowerShellFindsTheDirectoriesInTheEnvironment(t *testing.T) {
	const script = `& "$LLXPRT_PROJECT_DIR\a.ps1" ${GEMINI_PROJECT_DIR} $CLAUDE_PROJECT_DIRS $env:LLXPRT_PROJECT_DIR ${extensionPath}/x $y`
	const want = `& "${env:LLXPRT_PROJECT_DIR}\a.ps1" ${env:GEMINI_PROJECT_DIR} $CLAUDE_PROJECT_DIRS $env:LLXPRT_PROJECT_DIR ${env:extensionPath}/x $y`
	if got := inPowerShell(script); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
