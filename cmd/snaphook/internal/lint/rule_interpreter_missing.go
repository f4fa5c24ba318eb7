package lint

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

var ruleInterpreterMissing = Rule{
	ID: "interpreter-missing", Severity: Error, look: interpreterMissing,
	Doc:     "The interpreter of a script is not there.",
	Why:     "The hook fails each time, and unless a policy says otherwise the action goes ahead.",
	Mistake: "`#!/usr/local/bin/python3` on a machine that has /usr/bin/python3",
	Fix:     "`#!/usr/bin/env python3`",
}

// interpreterMissing looks for missing interpreters: the shell of a command, interpreters named
// in it, and interpreters in the first line of scripts that are started directly.
func interpreterMissing(v *hookView) {
	shellMissing(v)
	for _, c := range v.calls {
		p := c.program()
		if _, is := languageOf(p); is && c.certain && !slices.Contains(desktops, p) && !isForeign(p) &&
			!strings.ContainsRune(p, '/') && !hasProgram(v.linter, p, c.dir) {
			f := v.report("interpreter-missing", c.at, "install it, or name one that is there",
				"there is no interpreter %q in PATH", p)
			f.missing = p
			v.add(*f)
		}
		s := directScript(v, c)
		if s == nil || !c.certain || s.shebang == "" || runtime.GOOS == "windows" {
			continue
		}
		line, words := strings.TrimSuffix(s.shebang, "\r"), strings.Fields(s.shebang)
		if len(words) == 0 {
			continue
		}
		program := words[0]
		if base(program) == "env" {
			if program = shebangProgram(line); program == "" {
				continue
			}
			if len(words) > 2 && !strings.HasPrefix(words[1], "-") && runtime.GOOS == "linux" {
				v.add(*v.report("interpreter-missing", s.at, fmt.Sprintf("write #!%s -S %s", words[0], strings.Join(words[1:], " ")),
					"env takes %q for the name of one program", strings.Join(words[1:], " ")))
				continue
			}
		}
		if !hasProgram(v.linter, program, "/") {
			fix := "install it, or name one that is there"
			if strings.ContainsRune(program, '/') && hasProgram(v.linter, base(program), "/") {
				fix = "write #!/usr/bin/env " + base(program)
			}
			v.add(*v.report("interpreter-missing", s.at, fix, "the first line of this script names %s, which is not there", program))
		}
	}
}

// shellMissing reports that the shell in an entry does not exist.
func shellMissing(v *hookView) {
	shell, _ := v.entry.Get("shell").Text()
	program := map[string]string{"bash": "bash", "powershell": "pwsh"}[shell]
	if program == "" || v.entry.Get("args").Exists() || runtime.GOOS == "windows" || hasProgram(v.linter, program, "/") {
		return
	}
	f := v.report("interpreter-missing", v.at("shell"), "install it, or remove \"shell\" and write the command for sh",
		"\"shell\" asks for %s, and there is no program %q in PATH", shell, program)
	f.Severity = Warning // the shell may exist on other machines
	v.add(*f)
}
