package bash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/bash"
	"github.com/snaphook-go/snaphook/internal/deep"
)

func TestTextIsWhatAProgramGetsOfALiteralWord(t *testing.T) {
	for word, want := range map[string]string{
		`a`: "a", `a\ b`: "a b", `'a\b'`: `a\b`, `"a\b"`: `a\b`, `"a\"b"`: `a"b`, `"a\$b"`: "a$b", `a'b'"c"`: "abc", "\"a\\\nb\"": "ab", `$'a'`: "a",
		`$x`: "?", `"a$x"`: "?", "`a`": "?", `$(a)`: "?", `$'\x61'`: "?", `<(a)`: "?",
	} {
		file, err := bash.Parse("echo " + word)
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := bash.Text(bash.Call(file.Stmts[0]).Args[1]); ok != (want != "?") || ok && text != want {
			t.Errorf("%s: got %q, %v; want %q", word, text, ok, want)
		}
	}
}

func TestAWrappersCommandBeginsAfterItsOwnWords(t *testing.T) {
	for command, want := range map[string]string{
		"timeout 5 x": "x", "timeout -k 5 10 x": "x", "timeout -k5 10 x": "x", "timeout --signal KILL 5 x": "x", "nice -n 5 x": "x",
		"env -C d x": "x", "env -u A -i x": "x", "sudo -u me -- x y": "x y", "doas -u me x": "x", "command -v x": "", "xargs -n 1 x": "x",
		"flock f x": "x", "setsid -w x": "x", "stdbuf -oL x": "x", "exec -a n x": "x", "nohup x": "x", "strace -f -e t x": "x", "caffeinate -t 5 x": "x",
	} {
		words := strings.Fields(command)
		own, ok := bash.Wrappers[words[0]].Skip(words[1:], func(int) bool { return false })
		if got := strings.Join(words[1+own:], " "); ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %q, %v; want %q", command, got, ok, want)
		}
	}
	if own, ok := bash.Wrappers["nice"].Skip([]string{"-$x", "a", "b"}, func(i int) bool { return i == 0 }); own != 1 || !ok {
		t.Errorf("an option with an expansion: %d, %v; want 1, true", own, ok)
	}
}

func TestAnOptionThatTheTableDoesNotHaveIsNotKnown(t *testing.T) {
	env := bash.Wrappers["env"]
	for option, want := range map[string]bool{"-i": true, "-i0": true, "-uPATH": true, "-C": true, "--chdir=x": true, "--ignore-environment": true, "--": true, "-x": false, "-ix": false, "--new": false} {
		if env.Knows(option) != want {
			t.Errorf("env %s: want %v", option, want)
		}
	}
	for own, want := range map[string]string{"-C d": "d", "-Cd": "d", "-iC d": "d", "--chdir d": "d", "--chdir=d": "d", "-u C -C d": "d", "-u C": "", "": ""} {
		if got, ok := env.Value(strings.Fields(own), "C", "chdir"); got != want || ok != (want != "") {
			t.Errorf("env %s: got %q, %v; want %q", own, got, ok, want)
		}
	}
}

func TestAnInterpreterIsFoundByItsNameWithAnyVersion(t *testing.T) {
	for program, want := range map[string]bash.Language{
		"/usr/bin/python3.12": bash.Python, "python": bash.Python, "lua5.4": bash.Lua, `C:\x\powershell.exe`: bash.PowerShell, "bash-5.2": bash.Shell, "fish": bash.Fish, "pythonic": "", "base64": "", "": "",
	} {
		if got := bash.Interpreter(program); got != want {
			t.Errorf("%s: got %q, want %q", program, got, want)
		}
	}
}

func TestStatementsBeforeAMistakeAreRead(t *testing.T) {
	var got []bool
	for stmt, err := range bash.Stmts("a; b\nc (\n") {
		got = append(got, stmt != nil && err == nil)
	}
	if !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("got %v, want two statements and a mistake", got)
	}
}

func TestNoTextIsNestedTooDeepToBeParsed(t *testing.T) {
	for script := range deep.Shell(1 << 20) {
		if _, err := bash.Parse(script); err == nil {
			t.Errorf("%.20q is parsed", script)
		}
	}
}

func FuzzParse(f *testing.F) {
	for script := range deep.Shell(64) {
		f.Add(script)
	}
	f.Fuzz(func(_ *testing.T, script string) {
		_, _ = bash.Parse(script)
		_, _ = bash.ParseComments(script)
		for range bash.Stmts(script) {
			continue
		}
	})
}
