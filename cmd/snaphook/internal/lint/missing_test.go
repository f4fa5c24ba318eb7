package lint

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestAMissingProgramIsOneFindingHoweverManyHooksStartIt(t *testing.T) {
	c := newCase("missing", "")
	files := map[string]string{".claude/settings.json": `{"hooks": {
		"PreToolUse": [{"hooks": [{"type": "command", "command": "no-such-program a"}, {"type": "command", "command": "ruby a.rb"}]}],
		"PostToolUse": [{"hooks": [{"type": "command", "command": "no-such-program b"}, {"type": "command", "command": "ruby a.rb"}]}],
		"Stop": [{"hooks": [{"type": "command", "command": "no-such-program # snaphook-ignore script-missing"}]}],
		"SessionEnd": [{"hooks": [{"type": "command", "command": "another-program"}]}]}}`, "a.rb": "STDIN.read\n"}
	var messages []string
	for _, f := range c.check(t, c.write(t, "clean", files), programPath(t)) {
		if f.Severity != Note {
			messages = append(messages, f.Message)
		}
	}
	want := []string{
		`there is no program "no-such-program" in PATH, and 2 hooks start it`,
		`there is no interpreter "ruby" in PATH, and 2 hooks start it`,
		`there is no program "another-program" in PATH`,
	}
	if got := strings.Join(messages, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("found:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestTheScriptOfAShellIsFoundAfterItsOptions(t *testing.T) {
	for command, missing := range map[string]bool{
		"bash gone.sh": true, "bash -x gone.sh": true, "bash -e gone.sh": true, "bash -eu gone.sh": true, "sh -p gone.sh": true,
		"bash -o pipefail gone.sh": true,
		"bash -c gone.sh":          false, "bash -s gone.sh": false, "bash -n gone.sh": false, "bash -ec gone.sh": false,
		"perl -ne gone.pl": false, "perl -lanE gone.pl": false, "node -pe gone.js": false, "python3 -uc gone.py": false, "python3 -um gone.py": false, "perl -w gone.pl": true, "node -e gone.js": false, "python3 -m gone.py": false,
	} {
		c := newCase("missing", "")
		files := map[string]string{".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "` + command + `"}]}]}}`}
		found := false
		for _, f := range c.check(t, c.write(t, "clean", files), programPath(t)) {
			found = found || f.ID == "script-missing" && strings.Contains(f.Message, "gone.")
		}
		if found != missing {
			t.Errorf("%s: script-missing is reported: %v, want %v", command, found, missing)
		}
	}
}

func TestScriptsOfCommandsForPowerShellAreFound(t *testing.T) {
	for command, missing := range map[string]bool{
		`pwsh -File gone.ps1`: true, `pwsh -NoProfile -ExecutionPolicy Bypass -File ".\gone.ps1" -x=1`: true,
		`& "$env:CLAUDE_PROJECT_DIR\gone.ps1"`: true, `& "${env:CLAUDE_PROJECT_DIR}/gone.ps1"`: true, `& '.\gone.ps1'`: true,
		"$input |\n  ./gone.ps1 # reads the call": true, "node gone.js `\n  -x": true, `./gone.sh`: true,
		`& "$env:GUARD\gone.ps1"`: false, `# ./gone.ps1`: false, `./gone.ps1; exit 0`: false,
		`if (Test-Path gone.ps1) { ./gone.ps1 }`: false, `Write-Output "a; ./gone.ps1"`: false,
		`pwsh -Command "& ./gone.ps1"`: false, `[Console]::Beep(1, 2)`: false,
	} {
		quoted, err := jsontext.AppendQuote(nil, command)
		if err != nil {
			t.Fatal(err)
		}
		c := newCase("missing", "")
		files := map[string]string{".claude/settings.json": `{"hooks": {"Stop": [{"hooks": [{"type": "command", "shell": "powershell", "command": ` + string(quoted) + `}]}]}}`}
		found := false
		for _, f := range c.check(t, c.write(t, "clean", files), programPath(t)) {
			found = found || f.ID == "script-missing" && strings.Contains(f.Message, "gone.")
		}
		if found != missing {
			t.Errorf("%s: script-missing is reported: %v, want %v", command, found, missing)
		}
	}
}
