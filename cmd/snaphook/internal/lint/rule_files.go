package lint

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

var ruleScriptMissing = Rule{
	ID: "script-missing", Severity: Error, look: missing,
	Doc:     "The program or the script of a hook is not there.",
	Why:     "The hook fails each time, and unless a policy says otherwise the action goes ahead.",
	Mistake: `{"type": "command", "command": "./hooks/gaurd.sh"}`,
	Fix:     `{"type": "command", "command": "./hooks/guard.sh"}`,
}

// missing looks for programs and scripts that do not exist.
func missing(v *hookView) {
	for _, c := range v.calls {
		if !c.certain || v.hasBackslashes() {
			continue
		}
		if l, script, _, ok := c.interpreted(); ok {
			path := c.resolve(script)
			if path != "" && !isThere(path) && !(l == langPython && v.has(c.program(), c.dir)) &&
				(l == langPowerShell || !v.foreign(script)) {
				v.add(*v.report("script-missing", c.at, v.nearFile(path), "%s runs %s, which is not there", c.program(), shortPath(path)))
			}
			continue
		}
		p := c.program()
		switch {
		case p == "" || isBuiltin(p) || v.foreign(p):
		case strings.ContainsRune(p, '/'):
			if path := c.resolve(p); path != "" && !isThere(path) {
				v.add(*v.report("script-missing", c.at, v.nearFile(path), "%s is not there", shortPath(path)))
			}
		case !v.has(p, c.dir):
			if _, is := languageOf(p); is && !slices.Contains(desktops, p) {
				continue // reported by interpreter-missing
			}
			f := v.report("script-missing", c.at, "install it, or write the path of a program that is there",
				"there is no program %q in PATH", p)
			f.Severity, f.missing = Warning, p // the program may exist on other machines
			if slices.Contains(desktops, p) {
				f.Severity = Note
			}
			v.add(*f)
		}
	}
}

// desktops lists programs that only one operating system has.
var desktops = strings.Fields(
	"afplay osascript say open pbcopy terminal-notifier notify-send paplay aplay xdg-open dunstify canberra-gtk-play powershell wsl",
)

// foreign reports whether a word is a path or program of Windows, or is checked by another rule.
func (v *hookView) foreign(word string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	if strings.HasPrefix(word, "~/") {
		return true // a quoted "~/" is checked by rule tilde-quoted
	}
	ext := strings.ToLower(filepath.Ext(word))
	return slices.Contains([]string{".exe", ".cmd", ".bat", ".ps1"}, ext) || strings.Contains(word, `\`) ||
		len(word) > 2 && word[1] == ':' && word[2] == '/'
}

// has reports whether a program exists, by the rules of a shell.
func (v *hookView) has(program, dir string) bool {
	if strings.ContainsRune(program, '/') {
		path, ok := (&shellScope{dir: dir}).path(program)
		return !ok || isThere(path)
	}
	there, known := v.programs[program]
	if !known {
		there = slices.ContainsFunc(filepath.SplitList(v.Path), func(folder string) bool {
			info, err := os.Stat(filepath.Join(folder, program))
			return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
		})
		v.programs[program] = there
	}
	return there
}

// nearFile suggests an existing file for the path of a missing one.
func (v *hookView) nearFile(path string) string {
	dir, err := bounded.OpenDir(filepath.Dir(path))
	if err != nil {
		return "write the path of a file that is there; relative paths start at the project's directory"
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(1000) // a few are enough
	slices.Sort(names)
	if near := nearName(filepath.Base(path), names); near != "" {
		return "did you mean " + shortPath(filepath.Join(filepath.Dir(path), near)) + "?"
	}
	return "put the file there, or remove the hook"
}

// builtins lists the words that a shell runs without a program.
var builtins = strings.Fields(`
	. : [ [[ alias bg break builtin cd command continue declare dirs disown echo enable eval exec exit export false fc
	fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly
	return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait ! { } (
	time coproc`)

func isBuiltin(word string) bool { return slices.Contains(builtins, word) }

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
	v.shellMissing()
	for _, c := range v.calls {
		p := c.program()
		if _, is := languageOf(p); is && c.certain && !slices.Contains(desktops, p) && !v.has(p, c.dir) && !v.foreign(p) &&
			!strings.ContainsRune(p, '/') {
			f := v.report("interpreter-missing", c.at, "install it, or name one that is there",
				"there is no interpreter %q in PATH", p)
			f.missing = p
			v.add(*f)
		}
		s := v.direct(c)
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
		if !v.has(program, "/") {
			fix := "install it, or name one that is there"
			if strings.ContainsRune(program, '/') && v.has(base(program), "/") {
				fix = "write #!/usr/bin/env " + base(program)
			}
			v.add(*v.report("interpreter-missing", s.at, fix, "the first line of this script names %s, which is not there", program))
		}
	}
}

// shellMissing reports that the shell in an entry does not exist.
func (v *hookView) shellMissing() {
	shell, _ := v.entry.Get("shell").Text()
	program := map[string]string{"bash": "bash", "powershell": "pwsh"}[shell]
	if program == "" || v.entry.Get("args").Exists() || runtime.GOOS == "windows" || v.has(program, "/") {
		return
	}
	f := v.report("interpreter-missing", v.at("shell"), "install it, or remove \"shell\" and write the command for sh",
		"\"shell\" asks for %s, and there is no program %q in PATH", shell, program)
	f.Severity = Warning // the shell may exist on other machines
	v.add(*f)
}

// direct returns the script that a call starts by its path, without an interpreter.
func (v *hookView) direct(c programCall) *hookScript {
	if p := c.program(); !strings.ContainsRune(p, '/') {
		return nil
	}
	if _, is := languageOf(c.program()); is {
		return nil
	}
	return v.scripts1(c)
}

func (v *hookView) scripts1(c programCall) *hookScript {
	path := c.file()
	if path == "" {
		return nil
	}
	return v.linter.scripts[path]
}

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
		if path == "" || !c.certain || !strings.ContainsRune(c.program(), '/') || isSystems(path) || v.foreign(path) {
			continue
		}
		if _, is := languageOf(c.program()); is {
			continue
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 != 0 {
			continue
		}
		at := hook.Position{File: shortPath(path), Line: 1, Column: 1}
		f := v.report("script-not-executable", at, "chmod +x "+shortPath(path),
			"this file is started by its path and is not executable, so the hook ends with 126")
		if s := v.linter.scripts[path]; s != nil {
			f.edit = fileEdit{{file: path, seen: s.text, executable: true}}
		}
		v.add(*f)
	}
}

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
		s := v.scripts1(c)
		if s == nil || !bytes.Contains(s.text, []byte("\r\n")) {
			continue
		}
		direct := v.direct(c) == s && strings.HasPrefix(string(s.text), "#!")
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
	for _, s := range v.libraries() {
		if at := bytes.Index(s.text, []byte("\r\n")); s.lang == langShell && at >= 0 {
			v.add(*v.report("script-crlf", s.position(at), "save it with LF alone: sed -i 's/\\r$//' "+s.file,
				"lines of this file, which a script of the hook reads with source, end with CR LF, which a shell does not understand"))
		}
	}
}

// isPolyglot reports whether a script needs no #! line: it is a .cmd or .bat file, or it begins with a colon, as files
// do that both cmd.exe and sh can read. It also returns true for an empty script, which does nothing in any shell.
func isPolyglot(s *hookScript) bool {
	text := bytes.TrimSpace(s.text)
	ext := strings.ToLower(filepath.Ext(s.path))
	return len(text) == 0 || text[0] == ':' || ext == ".cmd" || ext == ".bat"
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

// shebangs maps the endings of scripts to first lines.
var shebangs = map[string]string{
	".py": "#!/usr/bin/env python3\n", ".js": "#!/usr/bin/env node\n", ".mjs": "#!/usr/bin/env node\n",
	".cjs": "#!/usr/bin/env node\n", ".rb": "#!/usr/bin/env ruby\n", ".pl": "#!/usr/bin/env perl\n",
	".bash": "#!/usr/bin/env bash\n",
}

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
		s := v.direct(c)
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
			f.edit = s.insertions(map[int]string{0: line})
		}
		if s.lang == langPython || s.lang == langNode {
			f.Severity = Error
			f.Message += ", so a shell reads it as a shell script"
		}
		v.add(*f)
	}
}
