package run

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

// standsIn is a variable that makes the test program stand in for PowerShell.
const standsIn = "SNAPHOOK_STANDS_IN"

// received is the answer of the stand-in: everything that PowerShell would get.
type received struct {
	Argv           []string
	Stdin, Guarded string
}

// standIns are the other programs that the test binary can stand in for, by the value of the variable standsIn.
var standIns = map[string]func() int{}

// standIn prints what the process got, and returns the exit status 2.
func standIn() int {
	if other := standIns[os.Getenv(standsIn)]; other != nil {
		return other()
	}
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	text, err := json.Marshal(received{os.Args[1:], string(in), os.Getenv("GUARDED")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Print(string(text))
	return 2
}

// PowerShell gets each script as one argument, byte for byte, the payload on standard input, and the environment.
func TestPowerShellGetsTheScriptTheInputAndTheEnvironment(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	name := "pwsh"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(filepath.Join(bin, name), program, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	const payload = "{\"text\":\"a\\r\\nb \\\\ \u00fc \u65e5\"}\r\n"
	for _, script := range []string{
		"exit 2",
		`Write-Output "a b" 'c  d' ""; exit 2`,
		`& "C:\Users\me\.claude\hooks\guard.ps1" -Path 'C:\dir\'`,
		`powershell -File C:\Users\me\.claude\hooks\guard.ps1`,
		`node "C:\Program Files\hooks\x.js" %USERPROFILE% $HOME ~ $env:USERPROFILE`,
		`"\\server\share\x.exe" \" \\" \\\" a\`,
		"$x = @'\n one\r\n two\n'@\nexit 2",
		"Write-Output \u00fc\u65e5\u672c; a & b | c > d ^ e `f",
	} {
		c := &Command{Argv: PowerShell(script), Environ: func(hook.Call) []string {
			return append(os.Environ(), standsIn+"=1", `GUARDED=C:\a b\"c"\`)
		}}
		reply, err := c.Run(t.Context(), hook.Call{Payload: []byte(payload), Dir: bin})
		var got received
		if err == nil {
			err = json.Unmarshal(reply.Stdout, &got)
		}
		if err != nil || reply.Exit != 2 {
			t.Fatalf("%s: %+v, %v", script, reply, err)
		}
		at := slices.Index(got.Argv, "-Command")
		switch {
		case at < 0 || at+2 != len(got.Argv) || got.Argv[at+1] != script+powershellStatus:
			t.Errorf("%q: argv %q; want the script as the last argument", script, got.Argv)
		case !slices.Contains(got.Argv, "-NoProfile") || !slices.Contains(got.Argv, "-NonInteractive"):
			t.Errorf("%q: argv %q; want no profile and no questions", script, got.Argv)
		case got.Stdin != payload || got.Guarded != `C:\a b\"c"\`:
			t.Errorf("%q: standard input %q, variable %q", script, got.Stdin, got.Guarded)
		case (runtime.GOOS == "windows") != strings.Contains(strings.Join(got.Argv, " "), "-ExecutionPolicy Bypass"):
			t.Errorf("%q: argv %q; want -ExecutionPolicy Bypass on Windows alone", script, got.Argv)
		}
	}
}
