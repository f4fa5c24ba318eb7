package warm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/warm"
)

// Without Git's bash, guards with programs of Unix run in the process, on payloads of Windows. A script that uses
// something unknown fails with the reason, and prints nothing else.
func TestGuardsRunWithoutBashOnWindows(t *testing.T) {
	t.Setenv("CLAUDE_CODE_GIT_BASH_PATH", "")
	if run.HasBash() {
		t.Skip("Git's bash is installed")
	}
	payload := strings.ReplaceAll(`{
"tool_name": "Bash",
"tool_input": {"command": "rm -rf C:\\Users\\me\r\nls", "file_path": "C:\\Users\\me\\.env"}
}
`, "\n", "\r\n")
	const deny = `{ echo "no: $c" >&2; exit 2; }`
	pool := warm.New(warm.Config{})
	defer pool.Close()
	for _, test := range []struct{ script, stderr, fails string }{
		{`c=$(jq -r .tool_input.command); [[ $c == "rm -rf"* ]] && ` + deny, "no: rm -rf C:\\Users\\me\r\nls\n", ""},
		{`c=$(jq -r .tool_input.file_path); case "$c" in *.env) echo "no: $c" >&2; exit 2;; esac`, "no: C:\\Users\\me\\.env\n", ""},
		{`c=deep; cat | grep -q 'rm -rf' && ` + deny, "no: deep\n", ""},
		{`c=$(jq -r .tool_input.command | head -n 1 | tr -d '\r' | cut -d ' ' -f 1-2); [ "$c" = "rm -rf" ] && ` + deny, "no: rm -rf\n", ""},
		{`c=$(cat | tr -d '\r' | head -n 2 | tail -n 1 | cut -d '"' -f 4); [ "$c" = Bash ] && ` + deny, "no: Bash\n", ""},
		{`input=$(cat); c=$(printf '%s' "$input" | jq -r '.tool_name'); printf '%s\n' "$c" | grep -qiE '^(bash|shell)$' && ` + deny, "no: Bash\n", ""},
		{`python3 guard.py || exit 2`, "", "python3"},
		{`cat > /tmp/in.json; grep -q rm /tmp/in.json && exit 2`, "", "/tmp/in.json"},
		{`powershell -File guard.ps1`, "", "powershell"},
		{`echo before >&2; somewhere; exit 2`, "", "somewhere"},
	} {
		c := &run.Command{Argv: run.Bash(test.script)}
		if note := c.SetWarm(pool, run.WarmBash, t.TempDir()); note != "" {
			t.Errorf("%s: %s", test.script, note)
		}
		reply, err := c.Run(t.Context(), hook.Call{Payload: []byte(payload), Dir: t.TempDir()})
		var class *hook.ClassError
		switch {
		case test.fails == "" && (err != nil || reply.Exit != 2 || string(reply.Stderr) != test.stderr):
			t.Errorf("%s: status %d, %q, %v; want 2 and %q", test.script, reply.Exit, reply.Stderr, err, test.stderr)
		case test.fails != "" && (!errors.As(err, &class) || !strings.Contains(err.Error(), test.fails) || len(reply.Stderr) > 0):
			t.Errorf("%s: %+v, %v; want a failure because of %s", test.script, reply, err, test.fails)
		}
	}
}
