package lint

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
)

var ruleScriptCrlf = Rule{
	ID: "script-crlf", Severity: Error, look: crlf, Fixable: true,
	Doc:     "Lines of a script end with CR LF.",
	Why:     "A shell reads the CR as a part of the last word, and the operating system reads it as a part of the interpreter's name.",
	Mistake: "a script that was saved on Windows",
	Fix:     "`sed -i 's/\\r$//' guard.sh`, and `*.sh text eol=lf` in .gitattributes",
}

// crlf looks for scripts with the line ends of Windows.
func crlf(v *hookView) {
	for _, c := range v.calls {
		s := scriptOf(v, c)
		if s == nil || !bytes.Contains(s.text, []byte("\r\n")) {
			continue
		}
		direct := directScript(v, c) == s && strings.HasPrefix(string(s.text), "#!")
		first, _, _ := bytes.Cut(s.text, []byte("\n"))
		if s.lang != langShell && !(direct && bytes.HasSuffix(first, []byte("\r"))) {
			continue // other languages accept these line ends
		}
		at := bytes.Index(s.text, []byte("\r\n"))
		f := v.report("script-crlf", s.position(at), "save it with LF alone: sed -i 's/\\r$//' "+s.file,
			"lines of this script end with CR LF, which %s does not understand", languageName(s, direct))
		for i := range s.text {
			if s.text[i] == '\r' && i+1 < len(s.text) && s.text[i+1] == '\n' {
				f.edit = append(f.edit, change{file: s.path, seen: s.text, start: i, end: i + 1})
			}
		}
		v.add(*f)
	}
	for _, s := range librariesOf(v) {
		if at := bytes.Index(s.text, []byte("\r\n")); s.lang == langShell && at >= 0 {
			v.add(*v.report("script-crlf", s.position(at), "save it with LF alone: sed -i 's/\\r$//' "+s.file,
				"lines of this file, which a script of the hook reads with source, end with CR LF, which a shell does not understand"))
		}
	}
}

func languageName(s *hookScript, direct bool) string {
	if s.lang == langShell {
		return "a shell"
	}
	if direct {
		return "the system, in the name of the interpreter,"
	}
	return "its interpreter"
}

// librariesOf returns the files that the scripts of a hook read with source.
func librariesOf(v *hookView) (found []*hookScript) {
	for _, s := range v.scripts {
		if s.inline || s.ast == nil {
			continue
		}
		w := &callWalker{shellScope: newScope(v.Dir, s.path, pluginRoot(v)), at: hook.Position{File: s.file}}
		w.stmts(s.ast.Stmts, false)
		for _, c := range w.found {
			if p := c.program(); p != "." && p != "source" || c.file() == "" || c.file() == s.path {
				continue
			}
			if lib := v.script(c.file(), c); lib != nil && lib.lang == langOther && filepath.Ext(lib.path) == "" {
				// The file has no first line and no ending that names its language. It is shell text, because a shell
				// sources it.
				lib.lang = langShell
				lib.parse()
			} else if lib == nil {
				continue
			}
			found = append(found, v.linter.scripts[c.file()])
		}
	}
	return found
}
