package errorline_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/errorline"
)

func TestTheLineThatNamesTheErrorIsFound(t *testing.T) {
	for _, test := range []struct{ name, stderr, want string }{
		{"nothing", "", ""},
		{"white space", " \n\t\n", ""},
		{"one line", "no\n", "no"},
		{"the first of some lines", "\n  curl: (6) could not resolve\nsecond\n", "curl: (6) could not resolve"},
		{"a traceback", "Traceback (most recent call last):\n  File \"g.py\", line 1, in <module>\n    import x\nModuleNotFoundError: No module named 'x'\n", "ModuleNotFoundError: No module named 'x'"},
		{"a traceback with carets", "Traceback (most recent call last):\n  File \"g.py\", line 1, in <module>\n    a / b\n    ~~^~~\nZeroDivisionError: division by zero\n", "ZeroDivisionError: division by zero"},
		{"lines before a traceback", "starting\nInstalled 3 packages\nTraceback (most recent call last):\n  File \"g.py\", line 1\nKeyError: 'a'\n", "KeyError: 'a'"},
		{"a message of several lines", "Traceback (most recent call last):\n  File \"g.py\", line 1\nValueError: one\ntwo\n", "ValueError: one"},
		{"a chain of exceptions", "Traceback (most recent call last):\n  File \"g.py\", line 1\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"g.py\", line 2\nOSError: b\n", "OSError: b"},
		{"an exception group", "  + Exception Group Traceback (most recent call last):\n  |   File \"g.py\", line 6, in <module>\n  |     f()\n  | ExceptionGroup: many (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File \"g.py\", line 3\n    | ValueError: a\n    +------------------------------------\n", "ExceptionGroup: many (1 sub-exception)"},
		{"a traceback in a log line", "ERROR:root:failed Traceback (most recent call last):\n  File \"g.py\", line 1\nKeyError: 'a'\n", "KeyError: 'a'"},
		{"a traceback that is cut", "Traceback (most recent call last):\n  File \"g.py\", line 1\n", "Traceback (most recent call last):"},
		{"lines that end with CR LF", "Traceback (most recent call last):\r\n  File \"g.py\", line 1\r\nKeyError: 'a'\r\n", "KeyError: 'a'"},
		{"syntax of Python", "  File \"a.py\", line 1\n    x = (\n        ^\nSyntaxError: '(' was never closed\n", "SyntaxError: '(' was never closed"},
		{"a module that Node does not find", "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n- /g.js\n    at Module (node:internal)\n\nNode.js v20\n", "Error: Cannot find module 'x'"},
		{"an exception of Node", "/g.js:3\n    throw new Error(\"x\")\n    ^\n\nError: x\n    at g.js\n", "Error: x"},
		{"a text that Node throws", "[eval]:1\nthrow \"no\"\n^\nno\n(Use `node --trace-uncaught ...` to show)\n", "no"},
		{"a warning of Node", "(node:12) [MODULE] Warning: slow\n(Use `node --trace-warnings ...` to show)\nblocked by rule 3\n", "blocked by rule 3"},
		{"a warning alone", "(node:12) Warning: slow\n", "(node:12) Warning: slow"},
		{"an error of Bun", "1 | require('x')\n            ^\nerror: Cannot find package 'x'\n", "error: Cannot find package 'x'"},
		{"a panic of Rust", "thread 'main' panicked at src/main.rs:2:5:\nno config\nnote: run with RUST_BACKTRACE\n", "no config"},
		{"an older panic of Rust", "thread 'main' panicked at 'no config', src/main.rs:2:5\n", "thread 'main' panicked at 'no config', src/main.rs:2:5"},
		{"a panic of Go", "panic: no config\n\ngoroutine 1 [running]:\n", "panic: no config"},
		{"a locale of bash", "bash: warning: setlocale: LC_ALL: cannot change locale\n./g.sh: line 2: jq: command not found\n", "./g.sh: line 2: jq: command not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := errorline.Of(test.stderr); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheErrorsOfInstalledInterpretersAreFound(t *testing.T) {
	for _, test := range []struct {
		argv []string
		want string
	}{
		{[]string{"python3", "-c", "import no_such_module"}, "No module named"},
		{[]string{"python3", "-c", "x = ("}, "SyntaxError: "},
		{[]string{"node", "-e", "require('no-such-module')"}, "Error: Cannot find module 'no-such-module'"},
		{[]string{"node", "-e", "JSON.parse('{')"}, "SyntaxError: "},
		{[]string{"bash", "-c", "no_such_program"}, "command not found"},
	} {
		if _, err := exec.LookPath(test.argv[0]); err != nil {
			continue
		}
		var stderr strings.Builder
		cmd := exec.CommandContext(t.Context(), test.argv[0], test.argv[1:]...)
		cmd.Stderr = &stderr
		if err := cmd.Run(); err == nil {
			t.Errorf("%q does not fail", test.argv)
		}
		if got := errorline.Of(stderr.String()); !strings.Contains(got, test.want) {
			t.Errorf("%q: got %q of %q, want %q in it", test.argv, got, stderr.String(), test.want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Traceback (most recent call last):\n  x\n^\n")
	f.Add("thread 'main' panicked at x:\n")
	f.Fuzz(func(t *testing.T, stderr string) {
		line := errorline.Of(stderr)
		if strings.Contains(line, "\n") || line == "" != (strings.TrimSpace(stderr) == "") || !strings.Contains(stderr, line) {
			t.Errorf("got %q of %q, want one of its lines", line, stderr)
		}
	})
}
