package lint

import (
	"os"
	"runtime"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
)

var ruleScriptNotExecutable = Rule{
	ID: "script-not-executable", Severity: Error, look: notExecutable, Fixable: true,
	Doc:     "A script is started by its path, and is not executable.",
	Why:     "A shell ends with 126, which blocks nothing.",
	Mistake: "`./guard.sh`, whose mode is 0644",
	Fix:     "`chmod +x guard.sh`, or `bash ./guard.sh`",
}

// notExecutable reports scripts that a hook starts by their path, but that have no permission to execute.
func notExecutable(v *hookView) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, c := range v.calls {
		path := c.file()
		if path == "" || !c.certain || !strings.ContainsRune(c.program(), '/') || isSystems(path) || isForeign(path) {
			continue
		}
		if _, is := languageOf(c.program()); is {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
			continue
		}
		at := hook.Position{File: cli.ShortPath(path), Line: 1, Column: 1}
		f := v.report("script-not-executable", at, "chmod +x "+cli.ShortPath(path),
			"this file is started by its path and is not executable, so the hook ends with 126")
		if s := v.linter.scripts[path]; s != nil {
			f.edit = fileEdit{{file: path, seen: s.text, executable: true}}
		}
		v.add(*f)
	}
}
