package run

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// somewhere is a Windows machine with some files, programs and variables.
func somewhere(files []string, programs, env map[string]string) shellMachine {
	return shellMachine{
		windows: true,
		getenv:  func(name string) string { return env[name] },
		lookPath: func(program string) (string, error) {
			if path := programs[program]; path != "" {
				return path, nil
			}
			return "", errors.New("not found")
		},
		isFile: func(path string) bool { return slices.Contains(files, path) },
	}
}

func TestOnWindowsShIsTheBashOfGit(t *testing.T) {
	const usual = `C:\Program Files\Git\bin\bash.exe`
	for _, test := range []struct {
		name string
		m    shellMachine
		want string
	}{
		{"a variable", somewhere([]string{`D:\bash.exe`, usual}, nil, map[string]string{"CLAUDE_CODE_GIT_BASH_PATH": `D:\bash.exe`}), `D:\bash.exe`},
		{"a variable that lies", somewhere([]string{usual}, nil, map[string]string{"CLAUDE_CODE_GIT_BASH_PATH": `D:\bash.exe`}), usual},
		{"beside git", somewhere([]string{`E:\Git\bin\bash.exe`, usual}, map[string]string{"git": `E:\Git\cmd\git.exe`}, nil), `E:\Git\bin\bash.exe`},
		{"beside git's real place", somewhere([]string{`E:\Git\bin\bash.exe`}, map[string]string{"git": `E:\Git\mingw64\bin\git.exe`}, nil), `E:\Git\bin\bash.exe`},
		{"a git that is none", somewhere([]string{usual}, map[string]string{"git": "git.exe"}, nil), usual},
		{"for one user", somewhere([]string{`C:\U\Programs\Git\bin\bash.exe`}, nil, map[string]string{"LocalAppData": `C:\U`}), `C:\U\Programs\Git\bin\bash.exe`},
		{"another drive", somewhere([]string{`D:\P\Git\bin\bash.exe`}, nil, map[string]string{"ProgramFiles": `D:\P`}), `D:\P\Git\bin\bash.exe`},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := []string{test.want, "-c", "bash /c/x.sh 'a'", "bash"}
			if got := test.m.bash(`C:\x.sh 'a'`); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			want[2] = `/c/wrap.exe -x 'bash /c/x.sh '\''a'\'''`
			if got := test.m.prefixed(`C:\wrap.exe -x`, `C:\x.sh 'a'`); !slices.Equal(got, want) {
				t.Errorf("with a prefix: got %q, want %q", got, want)
			}
		})
	}
}

// Without Git, Windows uses PowerShell. It uses neither cmd.exe nor the bash of PATH, which belongs to WSL.
func TestOnWindowsWithoutGitShIsPowerShell(t *testing.T) {
	m := somewhere([]string{`C:\Windows\System32\bash.exe`, `\Git\bin\bash.exe`}, map[string]string{"bash": `C:\Windows\System32\bash.exe`}, nil)
	want := m.powerShell("exit 2" + withoutBash)
	if want[0] != "powershell.exe" {
		t.Errorf("got %q, want powershell.exe", want)
	}
	if got := m.bash("exit 2"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := m.prefixed("wrap", "exit 2"); !slices.Equal(got, want) {
		t.Errorf("with a prefix: got %q, want %q", got, want)
	}
}

func TestPowerShellKeepsTheStatus(t *testing.T) {
	windows := somewhere(nil, map[string]string{"pwsh": `C:\pwsh.exe`}, nil)
	for _, test := range []struct {
		m    shellMachine
		want []string
	}{
		{shellMachine{}, []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command"}},
		{windows, []string{"pwsh", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"}},
		{somewhere(nil, nil, nil), []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command"}},
	} {
		got := test.m.powerShell(`x "C:\y" # no`)
		last := got[len(got)-1]
		if !slices.Equal(got[:len(got)-1], test.want) || !strings.HasPrefix(last, "x \"C:\\y\" # no\n") || !strings.Contains(last, "exit $LASTEXITCODE") {
			t.Errorf("got %q, want %q, and the status on lines of its own", got, test.want)
		}
	}
	if got := PowerShell("x"); runtime.GOOS != "windows" && got[0] != "pwsh" {
		t.Errorf("got %q, want pwsh", got)
	}
}
