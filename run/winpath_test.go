package run

import (
	"strings"
	"testing"
)

func TestWindowsPathIsWhatGitBashWrites(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\foo`:       "/c/Users/foo",
		`C:/x`:               "/c/x",
		`d:\a b\c.sh`:        "/d/a b/c.sh",
		`C:\`:                "/c/",
		`C:`:                 "/c",
		`\\srv\share\x y`:    "//srv/share/x y",
		`//srv/share`:        "//srv/share",
		`/usr/bin`:           "/usr/bin",
		`a\b`:                "a/b",
		`C:x`:                "C:x",
		`CD:\x`:              "CD:/x",
		`é:\x`:               "é:/x",
		``:                   "",
		`C:\Users\$USER\"x"`: `/c/Users/$USER/"x"`,
	} {
		if got := WindowsPath(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestPosixScriptConvertsPathsAndNothingElse(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{`C:\hooks\x.exe --in D:\a`, `/c/hooks/x.exe --in /d/a`},
		{`python "C:\Program Files\x.py" 'D:\a b'`, `python "/c/Program Files/x.py" '/d/a b'`},
		{`C:\Program\ Files\x.exe a`, `/c/Program\ Files/x.exe a`},
		{`C:\\hooks\\x.exe`, `/c/hooks/x.exe`},
		{`A=C:\a;B="C:\b" x>C:\out 2>&1&&y`, `A=/c/a;B="/c/b" x>/c/out 2>&1&&y`},
		{`x --path=C:\a$(cat C:\b)`, `x --path=/c/a$(cat /c/b)`},
		{`echo "C:\Users\$USER/x"`, `echo "/c/Users/$USER/x"`},
		{`echo "{\"file\":\"C:\x\y\"}"`, `echo "{\"file\":\"/c/x/y\"}"`},
		{`C:/hooks/x.py`, `C:/hooks/x.py`},
		{`curl http://x:\y`, `curl http://x:\y`},
		{`sed 's:\n:x:'`, `sed 's:\n:x:'`},
		{`grep '\\server\share'`, `grep '\\server\share'`},
		{`echo abC:\x`, `echo abC:\x`},
		{`echo "C:\" x`, `echo "C:\" x`},
		{`echo C:\`, `echo C:\`},
		{`echo a\ b\\c`, `echo a\ b\\c`},
		{"", ""},

		{`x.sh`, `bash x.sh`},
		{`  C:\hooks\x.sh a b`, `bash /c/hooks/x.sh a b`},
		{`"C:\my hooks\x.SH" a`, `bash "/c/my hooks/x.SH" a`},
		{`"${CLAUDE_PLUGIN_ROOT}/x.sh";y`, `bash "${CLAUDE_PLUGIN_ROOT}/x.sh";y`},
		{`'it'\''s/x.sh' a`, `bash 'it'\''s/x.sh' a`},
		{`bash x.sh`, `bash x.sh`},
		{`cat x.sh`, `cat x.sh`},
		{`x.shell`, `x.shell`},
		{`. x.sh`, `. x.sh`},
	} {
		if got := PosixScript(test.script); got != test.want {
			t.Errorf("%s: got\n%s, want\n%s", test.script, got, test.want)
		}
	}
}

func FuzzPosixScript(f *testing.F) {
	for _, seed := range []string{`C:\hooks\x.exe "D:\a b" 'E:\c'`, `C:\a\ b C:\\c\\`, `"C:\a\"`, `x.sh 'C:\`, `s:\n:x:`, `\C:\a`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		got := PosixScript(script)
		if !strings.Contains(script, `:\`) && !strings.HasSuffix(strings.TrimLeft(got, " \t\r\n"), strings.TrimLeft(script, " \t\r\n")) {
			t.Fatalf("%q became %q without a path in it", script, got)
		}
		for _, quote := range []string{`"`, `'`, "\n", ";", "$"} {
			if strings.Count(got, quote) != strings.Count(strings.TrimLeft(script, " \t\r\n"), quote) && strings.TrimSpace(script) == script {
				t.Fatalf("%q became %q: the number of %q changed", script, got, quote)
			}
		}
	})
}
