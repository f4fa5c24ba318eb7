package lint

import (
	"bytes"
	"path/filepath"
	"strings"
)

var ruleScriptNoShebang = Rule{
	ID: "script-no-shebang", Severity: Warning, look: noShebang, Fixable: true,
	Doc: "A script is started by its path, and its first line names no interpreter.",
	Why: "The shell that starts it reads it as a shell script: Python is read as shell, and bash syntax runs in `/bin/sh`. " +
		"Without a shell it does not start.",
	Mistake: "guard.sh begins with `input=$(cat)`",
	Fix:     "guard.sh begins with `#!/usr/bin/env bash`",
}

// noShebang looks for scripts that are started directly, and have no first line that names the
// interpreter.
func noShebang(v *hookView) {
	for _, c := range v.calls {
		s := directScript(v, c)
		if s == nil || !c.certain || bytes.HasPrefix(s.text, []byte("#!")) || isPolyglot(s) ||
			bytes.HasPrefix(s.text, []byte(byteOrderMark)) { // reported by script-bom
			continue
		}
		line := shebangs[filepath.Ext(s.path)]
		if line == "" && s.lang == langShell || line == "" && filepath.Ext(s.path) == "" {
			line = "#!/bin/sh\n"
			if s.ast != nil && len(bashOnly(s.ast)) > 0 {
				line = "#!/usr/bin/env bash\n"
			}
		}
		f := v.report("script-no-shebang", s.at, "begin it with "+strings.TrimSpace(line),
			"this script is started by its path, and its first line names no interpreter")
		if line == "" {
			f.Fix = "begin it with #! and the path of its interpreter"
		} else {
			f.edit = insertions(s, map[int]string{0: line})
		}
		if s.lang == langPython || s.lang == langNode {
			f.Severity = Error
			f.Message += ", so a shell reads it as a shell script"
		}
		v.add(*f)
	}
}

// isPolyglot reports whether a script needs no #! line: it is a .cmd or .bat file, or it begins with a colon, as files
// do that both cmd.exe and sh can read. It also returns true for an empty script, which does nothing in any shell.
func isPolyglot(s *hookScript) bool {
	text := bytes.TrimSpace(s.text)
	ext := strings.ToLower(filepath.Ext(s.path))
	return len(text) == 0 || text[0] == ':' || ext == ".cmd" || ext == ".bat"
}

// shebangs maps the endings of scripts to first lines.
var shebangs = map[string]string{
	".py": "#!/usr/bin/env python3\n", ".js": "#!/usr/bin/env node\n", ".mjs": "#!/usr/bin/env node\n",
	".cjs": "#!/usr/bin/env node\n", ".rb": "#!/usr/bin/env ruby\n", ".pl": "#!/usr/bin/env perl\n",
	".bash": "#!/usr/bin/env bash\n",
}
