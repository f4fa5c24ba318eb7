package lint

import "strings"

var ruleScriptBOM = Rule{
	ID: "script-bom", Severity: Error, look: scriptBOM, Fixable: true,
	Doc:     "A script that is started by its path begins with a byte order mark.",
	Why:     "The system does not see #! after it: a shell runs the script, and takes the mark for a part of the first word.",
	Mistake: "a script that was saved as \"UTF-8 with BOM\"",
	Fix:     "`sed -i '1s/^\\xEF\\xBB\\xBF//' guard.sh`",
}

const byteOrderMark = "\xEF\xBB\xBF"

func scriptBOM(v *hookView) {
	for _, c := range v.calls {
		s := scriptOf(v, c)
		if s == nil || !strings.HasPrefix(string(s.text), byteOrderMark) || s.lang != langShell && directScript(v, c) != s {
			continue
		}
		effect := "so its first line is not read as #!"
		if directScript(v, c) != s {
			effect = "which the shell takes for a part of the first word"
		}
		f := v.report("script-bom", s.at, "save it as UTF-8 without a byte order mark",
			"this script begins with a byte order mark, %s", effect)
		f.edit = fileEdit{{file: s.path, seen: s.text, start: 0, end: len(byteOrderMark)}}
		v.add(*f)
	}
}
