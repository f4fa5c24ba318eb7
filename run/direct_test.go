//go:build unix

package run

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// directScripts lists scripts for which Direct returns arguments. bare means that the program starts without a shell;
// otherwise bash starts, and reports why the program cannot be started.
var directScripts = []struct {
	name, script string
	bare         bool
}{
	{"a program of the project", `$DIR/guard.sh`, true},
	{"with arguments", `$DIR/guard.sh --strict -n 5 a=b x:y,z@w +1 %s`, true},
	{"in double quotes", `"$DIR/guard.sh" --strict`, true},
	{"half in double quotes", `"$DIR"/guard.sh --strict`, true},
	{"in braces and double quotes", `"${DIR}/guard.sh"`, true},
	{"in braces", `${DIR}/guard.sh`, true},
	{"a variable in an argument", `./probe $DIR/x "$DIR" a$DIR:$DIR ${DIR}x`, true},
	{"a value with a blank", `./probe $BLANK "$BLANK" "x${BLANK}y"`, true},
	{"a value with a star", `./probe $STAR "$STAR"x`, true},
	{"an empty value", `./probe $NONE "$NONE" x$NONE`, true},
	{"a value with a backslash", `./probe $SLASH "$SLASH"`, true},
	{"a variable in single quotes", `./probe '$DIR' \$DIR "\$DIR"`, true},
	{"blanks around", "  \t./probe\ta   b \t ", true},
	{"single quotes", `./probe 'a b' '' 'a"b' 'a\b' 'a*b' '$(x)' 'a;b|c&d<e>f#g'`, true},
	{"double quotes", `./probe "a b" "" "a'b" "a*b?[c]" "~" "{a,b}" "!x" "a;b|c&d<e>f#g"`, true},
	{"escapes in double quotes", `./probe "a\"b" "a\\b" "a\$b" "a\x\n" "\*" "\'"`, true},
	{"escapes", `./probe a\ b \* \~ \{a,b\} \# \\ \' \" \; \| \$x \! \[ \(`, true},
	{"quotes that join", `./probe a'b'"c"d\ e''`, true},
	{"text beyond ASCII", `./probe 'Zürich – 東京' "🙂 é"`, true},
	{"words that are options", `./probe - -- -e -c +x`, true},
	{"words that would be reserved in front", `./probe if then time in esac`, true},
	{"a comment", `./probe a # it's $(x) "`, true},
	{"a path with a blank", `./"a b"/probe x`, true},
	{"a blank that is escaped", `./a\ b/probe x`, true},
	{"a quoted program", `"./probe" x`, true},
	{"a program in PATH", `probe x`, true},
	{"a script in PATH", `named x`, true},
	{"a quoted program in PATH", `'probe' x`, true},
	{"a builtin's name with a folder", `/bin/echo a b`, true},
	{"cat", `cat`, true},
	{"an absolute program", `/bin/sh -c 'echo "$0 $@ $SHLVL"; exit 5' a "b c"`, true},
	{"another bash", `bash -c 'echo "$0 $@ $SHLVL $PWD $OLDPWD"; exit 6' a "b c"`, true},
	{"a script that env finds the interpreter for", `./guard.bash 1 2`, true},
	{"another folder", `./link/guard.sh`, true},
	{"env", `env -i A=1 ./probe`, true},
	{"a program that fails", `/bin/false`, true},
	{"a killed program", `./killed.sh`, true},
	{"a program that ends by SIGTERM", `./ended.sh`, true},
	{"a word that looks like an assignment", `./probe A=1 B+=2 1=3`, true},
	{"a long argument", `./probe ` + strings.Repeat("x", 60000), true},

	{"no such program", `no-such-program x`, false},
	{"no such file", `./no-such-file x`, true},
	{"no such absolute file", `/no/such/file`, true},
	{"a file below a file", `./guard.sh/x`, true},
	{"a dangling link", `./dangling`, true},
	{"a folder", `./bin`, true},
	{"a folder with a slash", `./bin/`, true},
	{"a folder in PATH", `folder`, false},
	{"the folder above", `..`, false},
	{"a file that is no program", `./locked.sh x`, true},
	{"a file in PATH that is no program", `locked.sh x`, false},
	{"a missing interpreter", `./nobody.sh x`, true},
	{"a script without a first line", `./plain a 'b c'`, true},
	{"an empty script", `./empty`, true},
	{"a broken binary", `./binary`, true},
	{"a dollar in a name", `'no$such' x`, false},
	{"a blank in a name", `'no such' x`, false},
}

func TestDirectIsOnlyWhatNeedsNoShell(t *testing.T) {
	vars := map[string]string{"DIR": "/x", "BLANK": "a b", "STAR": "*", "NONE": "", "SLASH": `a\b`, "ECHO": "echo", "CONTROL": "a\x01", "BROKEN": "\xff"}
	for _, script := range []string{
		"", " ", "#", "# x", "x # y\nz", "x;", "x; y", "x && y", "x || y", "x | y", "x |& y", "x &", "! x", "(x)", "{ x; }",
		"x >y", "x <y", "x 2>&1", "x &>y", "x <<E\ny\nE", "x <<<y", ">y", "A=1", "A=1 x", "A+=1 x", "a[0]=1", "1=2", "'A=1' x",
		"x\n", "\nx", "x\ny", "x\r", "x\r\n", "x \\\ny", "x\x00", "x\x01", "x '\x7f'", "x '\xff'", "x \\", "x '", `x "`, "x `y`", "x $(y)", `x "$(y)"`, "x \"`y`\"",
		"x $HOME", `x "$HOME"`, "x ${HOME}", "x $DIRX", "x ${DIRX}", "x ${DIR:-y}", "x ${DIR%/*}", "x ${#DIR}", "x ${!DIR}", "x ${DIR[0]}", "x ${DIR:1}", "x ${DIR@Q}", "x ${DIR^}",
		"x ${BLANK}", "x ${STAR}", "x ${NONE}", "x a${NONE}", "x ${SLASH}", "x $CONTROL", "x $BROKEN", "x $1", "x $@", "x \"$@\"", "x $?", "x $$", "x $", `x "$"`, "x $((1))", "x $[1]",
		"$NONE x", "'' x", `"" x`, "$ECHO x", "$NONE", "%1", "%", "x *", "x a?", "x [a]", "x a]", "x {a,b}", "x a{1..3}", "x {}", "x ~", "x ~/y", "x a=~", "x a:~", "x !(a)", "x @(a)", "x +(a)", "x a^b",
		"x $'a'", `x $"a"`, `x "a"$'b'`, "x <(y)", "x >(y)", "[[ x ]]", "((1))", "let x", "x() { y; }", "function x { y; }", "if x; then y; fi", "for x in y; do z; done",
		"while x; do y; done", "case x in y) ;; esac", "select x in y; do z; done", "coproc x", "time x", "declare x", "export x=y", "local x", "x Zürich", "Zürich", "x a\u00a0b", "x \\é",
		`"echo" x`, `\echo x`, `'[' x ]`, `ec"ho" x`, "exec x", "command x", "eval x", ". x", "source x", "if", "then", "{", "}", "!", "]]", "in",
		"x " + strings.Repeat("y", 1<<16), "[ x ]", "test x", ": x", "cd x", "exit", "exit 2", "true", "echo '{}'", `printf '{}'`, "read x", "kill x", "type x", "trap x y", "wait",
	} {
		if argv, ok := Direct(script, vars); ok || argv != nil {
			t.Errorf("%q became %q, want a shell", script, argv)
		}
	}
}

func TestDirectKnowsTheWordsOfBash(t *testing.T) {
	words, err := exec.Command(Shell("")[0], "-c", "compgen -b; compgen -k").Output()
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(string(words)) {
		for _, script := range []string{word + " x", "'" + word + "' x", `\` + word} {
			if argv, ok := Direct(script, nil); ok && len(argv[0]) > 0 && argv[0] == word {
				t.Errorf("%s became %q, want a shell", script, argv)
			}
		}
	}
}

func TestDirectNeedsBash(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if argv, ok := Direct("/bin/x", nil); ok {
		t.Errorf("got %q without bash, want a shell", argv)
	}
}

func FuzzPlainWords(f *testing.F) {
	for _, test := range directScripts {
		f.Add(test.script)
	}
	for _, seed := range []string{" /bin/x  --all ", "x 2 %s a=b", "a=b x", "time x", "coproc x y", "export a=b", "let x=1", "x in do", "- x", "[ x", "x,y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, script string) {
		plain, ok := plainWords(script)
		if !ok || bashWords[plain[0]] || strings.Contains(plain[0], "=") {
			return
		}
		if parsed, ok := parsedWords(script, nil); !ok || !slices.Equal(plain, parsed) {
			t.Errorf("%q has the plain words %q; the parser finds %q, %v", script, plain, parsed, ok)
		}
	})
}

var controls = regexp.MustCompile(`[\x00-\x08\x0a-\x1f\x7f]`)

func FuzzDirect(f *testing.F) {
	for _, test := range directScripts {
		f.Add(test.script)
	}
	for _, seed := range []string{`x a\`, `x "\`, "x ''$D", "x $D$D'$D'", `x "${D}\$D"$DD`, "x ~$D", "x {$D,b}", "x \"$D\"[0]", "x $D[0]", `x \$D`, `x \\$D`, "x é", "x a#b", "x a=b~", "x\t\"\t\""} {
		f.Add(seed)
	}
	const value = `a b*~"\$'`
	names := []string{"D", "DIR", "BLANK", "STAR", "NONE", "SLASH"}
	vars := map[string]string{}
	env := []string{"PATH=/usr/bin:/bin"}
	for _, name := range names {
		vars[name], env = value, append(env, name+"="+value)
	}
	bash := Shell("")[0]
	f.Fuzz(func(t *testing.T, script string) {
		argv, ok := Direct(script, vars)
		if !ok {
			return
		}
		if controls.MatchString(script) {
			t.Fatalf("%q has control characters", script)
		}
		cmd := exec.Command(bash, "-c", `printf '%s\0' `+QuoteVars(script, names...))
		cmd.Env, cmd.Dir = env, t.TempDir()
		got, err := cmd.Output()
		if want := strings.Join(argv, "\x00") + "\x00"; err != nil || !bytes.Equal(got, []byte(want)) {
			t.Fatalf("%q became %q; bash reads %q, %v", script, argv, got, err)
		}
	})
}
