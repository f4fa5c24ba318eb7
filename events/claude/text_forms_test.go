package claude_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/state"
)

// A guard denies, or its failure is reported, even if its settings, script, answer, payload or folder has a form that
// only Windows has. The table of docs/windows.md lists the rows of this test and the two tests below it.
func TestTheFormsOfTextAndPathsOfWindows(t *testing.T) {
	const deny = "echo no >&2; exit 2"
	deep := strings.Repeat(strings.Repeat("d", 60)+string(filepath.Separator), 6)
	long := "blocked"
	if runtime.GOOS == "windows" { // Windows starts no process in a folder with a long path
		long = "failed"
	}
	for _, row := range []struct {
		name, folder, settings, input, want string
	}{
		{"settings with CRLF", "", strings.ReplaceAll(command(t, "PreToolUse", deny, ""), ",", ",\r\n"), "", "blocked"},
		{"settings with a BOM", "", "\ufeff" + command(t, "PreToolUse", deny, ""), "", "blocked"},
		{"a script with CRLF", "", command(t, "PreToolUse", "true\r\nexit 2\r\n", ""), "", "blocked"},
		{"a script with a BOM", "", command(t, "PreToolUse", "\ufeff"+deny, ""), "", "blocked"},
		{"an answer with CRLF", "", command(t, "PreToolUse", `printf '{"decision":"block",\r\n"reason":"no"}\r\n'`, ""), "", "blocked"},
		{"an answer with a BOM", "", command(t, "PreToolUse", `printf '\357\273\277{"decision":"block","reason":"no"}'`, ""), "", "blocked"},
		{"a payload with CRLF in a text", "", command(t, "PreToolUse", `[[ $(cat) == *'a\r\nb'* ]] && { `+deny+`; }`, ""),
			`{"tool_input":{"command":"a\r\nb"}}`, "blocked"},
		{"a payload with CRLF between its members", "", command(t, "PreToolUse", deny, ""), "{\r\n\"tool_input\":\r\n{}}\r\n", "blocked"},
		{"a folder with blanks", "a  b", command(t, "PreToolUse", "[[ $CLAUDE_PROJECT_DIR == *'FOLDER' ]] && { "+deny+"; }", ""), "", "blocked"},
		{"a folder in Unicode", "ü 日本 é", command(t, "PreToolUse", "[[ $CLAUDE_PROJECT_DIR == *'FOLDER' ]] && { "+deny+"; }", ""), "", "blocked"},
		{"a folder with a long path", deep, command(t, "PreToolUse", deny, ""), "", long},
		{"%USERPROFILE% in a script", "", command(t, "PreToolUse", `[ '%USERPROFILE%' = "%""USERPROFILE%" ] && { `+deny+`; }`, ""), "", "blocked"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := project(strings.ReplaceAll(row.settings, "FOLDER", row.folder))
			w.host.Dir = filepath.Join(testkit.Dir(t), row.folder)
			if err := os.MkdirAll(w.host.Dir, 0o755); err != nil {
				t.Fatal(err)
			}
			fired := fire(t, w.open(t), "PreToolUse", row.input)
			got := "allowed"
			switch {
			case fired.Blocked:
				got = "blocked"
			case len(fired.Hooks) != 1 || !fired.Hooks[0].Success:
				got = "failed"
			}
			if got != row.want {
				t.Errorf("%s, with %+v; want %s", got, fired.Hooks, row.want)
			}
		})
	}
}

// Names that Windows reserves for devices, such as CON, can be keys of a state.
func TestNamesOfDevicesAreKeys(t *testing.T) {
	d := state.Dir(filepath.Join(t.TempDir(), "state"))
	for _, key := range []string{"CON", "con", "NUL", "aux.txt", "COM1", "lpt9"} {
		if err := d.Set(t.Context(), key, "v of "+key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, key := range []string{"CON", "con", "NUL", "aux.txt", "COM1", "lpt9"} {
		if v, ok, err := d.Get(t.Context(), key); v != "v of "+key || !ok || err != nil {
			t.Errorf("%s is %q, %v, %v", key, v, ok, err)
		}
	}
}

// A guard runs in a read-only folder.
func TestAGuardRunsInAFolderThatIsReadOnly(t *testing.T) {
	w := project(command(t, "PreToolUse", "echo no >&2; exit 2", ""))
	w.host.Dir = testkit.Dir(t)
	if err := os.Chmod(w.host.Dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(w.host.Dir, 0o755) })
	wantEffects(t, fire(t, w.open(t), "PreToolUse", ""), `{"blocked":true,"reason":"no"}`)
}
