package run

import (
	"os"
	"runtime"
	"strings"
)

// Bash returns the Argv of a [Command] that runs script with bash, or with /bin/sh on a machine without bash: [HasBash]
// reports which. It looks for bash in the engine's PATH, at most once a second. On Windows it uses Git's bash, with
// [PosixScript] of the script, or PowerShell if Git is not installed; never cmd.exe. It searches for Git's bash in
// CLAUDE_CODE_GIT_BASH_PATH, beside the git of PATH, and in the usual places.
//
// The script's $0 is "bash" or "sh" and not the path of the shell, because a script may delete or run "$0".
func Bash(script string) []string { return thisMachine.bash(script) }

// HasBash reports whether [Bash] finds bash.
func HasBash() bool { return thisMachine.findBash() != "" }

// PrefixShell returns the Argv of a [Command] that passes script to another program as one argument: Bash of "prefix
// 'script'". The prefix is shell text and may contain arguments. Without a prefix, and with PowerShell, which supports
// none, it returns Bash(script).
func PrefixShell(prefix, script string) []string { return thisMachine.prefixed(prefix, script) }

// PowerShell returns the Argv of a [Command] that runs script with PowerShell 7 or later (pwsh). On a Windows without
// pwsh it names the system's PowerShell. The shell loads no profile and asks no questions; on Windows it bypasses the
// policy for scripts. The shell exits with the status of the script's last program, or with 1 if a command that is not
// a program failed.
func PowerShell(script string) []string { return thisMachine.powerShell(script) }

// shellMachine describes the computer, as far as needed to find a shell.
type shellMachine struct {
	windows  bool
	getenv   func(name string) string
	lookPath func(program string) (string, error)
	isFile   func(path string) bool
}

var thisMachine = shellMachine{
	windows:  runtime.GOOS == "windows",
	getenv:   os.Getenv,
	lookPath: findProgram,
	isFile: func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	},
}

// findBash returns the path of bash, or "".
func (m shellMachine) findBash() string {
	if m.windows {
		return m.gitBash()
	}
	bash, err := m.lookPath("bash")
	if err != nil {
		return ""
	}
	return bash
}

func (m shellMachine) bash(script string) []string {
	bash := m.findBash()
	switch {
	case m.windows && bash == "":
		return m.powerShell(script + withoutBash)
	case m.windows:
		return []string{bash, "-c", PosixScript(script), "bash"}
	case bash == "":
		return []string{"/bin/sh", "-c", script, "sh"}
	}
	return []string{bash, "-c", script, "bash"}
}

func (m shellMachine) prefixed(prefix, script string) []string {
	if strings.TrimSpace(prefix) == "" {
		return m.bash(script)
	}
	if !m.windows {
		return m.bash(prefix + " " + singleQuoted(script))
	}
	if bash := m.gitBash(); bash != "" {
		return []string{bash, "-c", PosixScript(prefix) + " " + singleQuoted(PosixScript(script)), "bash"}
	}
	return m.powerShell(script + withoutBash)
}

// withoutBash is appended to a bash script that PowerShell runs because bash is not installed.
const withoutBash = "\n# bash is not installed"

// singleQuoted quotes any text as one word of a shell.
func singleQuoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// powershellStatus makes PowerShell exit with the status of the script's last program, or with 1 if a command that is
// not a program failed. Otherwise PowerShell would exit with status 1 on any failure, and a script could not deny with
// status 2.
const powershellStatus = `
$snaphookOK = $?
if ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }
if (-not $snaphookOK) { exit 1 }`

func (m shellMachine) powerShell(script string) []string {
	argv := []string{"pwsh", "-NoProfile", "-NonInteractive"}
	if m.windows {
		if _, err := m.lookPath("pwsh"); err != nil {
			argv[0] = "powershell.exe" // comes with Windows
		}
		argv = append(argv, "-ExecutionPolicy", "Bypass")
	}
	return append(argv, "-Command", script+powershellStatus)
}

// gitBash finds the bash of Git for Windows, or returns "". It does not use the bash in PATH, which on Windows belongs
// to WSL, where paths differ.
func (m shellMachine) gitBash() string {
	places := []string{m.getenv("CLAUDE_CODE_GIT_BASH_PATH")}
	if git, err := m.lookPath("git"); err == nil {
		root := folder(folder(git)) // the root of Git\cmd\git.exe and of Git\bin\git.exe
		places = append(places, root+`\bin\bash.exe`, folder(root)+`\bin\bash.exe`)
	}
	for _, base := range [...]string{m.getenv("ProgramFiles"), m.getenv("ProgramFiles(x86)"), m.getenv("LocalAppData") + `\Programs`, `C:\Program Files`} {
		places = append(places, base+`\Git\bin\bash.exe`)
	}
	for _, place := range places {
		if isWindowsPath(place) && m.isFile(place) {
			return place
		}
	}
	return ""
}

// folder returns the directory of a Windows path, "" at the top.
func folder(path string) string {
	return path[:max(strings.LastIndexAny(path, `\/`), 0)]
}
