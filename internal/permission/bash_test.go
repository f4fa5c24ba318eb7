package permission

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// bashTests has for each rule commands that it must match, and commands that it must not match.
var bashTests = []struct {
	rule       string
	runs, rest []string
}{
	{"Bash(git *)", []string{
		"git", "git push", "  git   push", "FOO=1 git push", "FOO=1 BAR='a b' git push", "npm t && git push", "npm t || git push",
		"npm t; git push", "npm t | git apply", "npm t |& git apply", "npm t & git push", "ls\ngit status", "ls\r\ngit status",
		"echo \"unterminated", "git <<EOF\nx\nEOF", "! git diff", "git>x", ">x git diff", "git\tpush", "git \\\n push", "gi\\\nt push",
	}, []string{"npm t", "gitk", "echo git push", "ls # git push", "echo 'a && git push'", "", "# git", "FOO=git", "my-git push"}},
	{"Bash(rm *)", []string{
		"echo $(rm -rf x)", "echo `rm -rf x`", "echo \"$(rm x)\"", "echo \"`rm x`\"", "echo \"a $(echo \"$(rm x)\")\"", "echo $(echo `rm x`)",
		"(rm x)", "{ rm x; }", "if true; then rm x; fi", "if rm x; then :; fi", "if a; then b; elif rm x; then c; else d; fi", "while rm x; do :; done",
		"until a; do rm x; done", "for i in a b; do rm $i; done", "for ((i=0; i<$(rm x); i++)); do :; done", "for i in $(rm x); do :; done",
		"case a in a) rm x;; esac", "case $(rm x) in a) ;; esac", "select x in a; do rm x; done", "f() { rm x; }; f", "function f { rm x; }",
		"f() (rm x)", "a | xargs rm", "a | xargs -- rm", "cat <(rm x)", "tee >(rm x)", "x=$(rm y)", "x=$(rm y) true", "export X=$(rm y)", "a[$(rm x)]=1",
		"x=(a $(rm x))", "[[ -n $(rm x) ]]", "[ -n \"$(rm x)\" ]", "((a = $(rm x)))", "echo $((1 + $(rm x)))", "echo ${x:-$(rm y)}", "echo \"${x:-`rm y`}\"",
		"cat <<EOF\n$(rm x)\nEOF", "cat <<EOF\n`rm x`\nEOF", "cat <<<$(rm x)", "cat <<EOF | rm x\nEOF", "cat <<EOF\nhi\nEOF\nrm x", "a > $(rm x)", "coproc rm x", "coproc { rm x; }",
		"let x=$(rm y)", "declare x=$(rm y)", "time rm x", "time -p rm x", "time -- rm x", "\\time -f %e -o out rm x", "time (rm x)", "! time rm x", "timeout 5 rm x",
		"timeout -k 5 10s rm x", "timeout -k5 10s rm x", "timeout -s KILL 10s rm x", "timeout --signal=KILL 10s rm x", "timeout --signal KILL 10s rm x",
		"timeout --sig KILL 10s rm x", "timeout --foreground -v 10s rm x", "timeout -vk 5 10s rm x", "timeout -- 5 rm x", "timeout $T rm x", "nice rm x", "nice -n 5 rm x", "nice -n5 rm x",
		"nice -5 rm x", "nice --adjustment=5 rm x", "nice --adjustment 5 rm x", "nohup rm x &", "stdbuf -oL rm x", "stdbuf -o L -e 0 rm x", "stdbuf --output=L rm x",
		"command rm x", "command -p rm x", "command -- rm x", "builtin rm x", "noglob rm x", "nohup nice -n 5 timeout 5 command rm x", "FOO=1 nohup rm x",
		"time FOO=1 nice rm x", "\"timeout\" 5 rm x", "\\rm x", "\"rm\" x", "'rm' x", "r''m x", "r\"\"m x", "\"r\"'m' x", "r\\m x", "$'rm' x", "$\"rm\" x", "r\\\nm x",
		"\"r\\\nm\" x", "rm\tx", "rm", "eval 'rm x'", "eval rm x", "trap 'rm x' EXIT", "exec rm x", "rm;", "rm&", ";rm", "(rm)", "rm</dev/null", "2>&1 rm x", ">f rm x", "echo a&&rm x", "echo a||rm x", "echo a;rm x", "echo a|rm x",
		"echo a\n\nrm x", "echo a # b\nrm x", "true && (cd x; { rm y; })", "echo $(echo $(echo $(rm x)))", "echo ${x/a/$(rm y)}", "echo ${x[$(rm y)]}", "eval $(rm x)",
		"a=1 b=2 rm x", "a+=1 rm x", "trap 'x' EXIT; rm x", "if", "echo $(", "echo `", "'", "{ rm x", "rm x)", "cat <<EOF", "rm ../*.go", "rm {a,b}",
		// Commands whose program is unknown before they run.
		"$CMD -rf x", "${CMD} x", "\"$CMD\" x", "$(echo rm) x", "`echo rm` x", "r$X x", "$X rm x", "{rm,-rf,x}", "{r,}m x", "r? x", "[r]m x", "r* x", "$'\\x72m' x", "timeout 5 $CMD", "nohup {rm,x}", "xargs $CMD", "$'\\162m' x", "r$((0))m x",
	}, []string{
		"echo $(date)", "echo \"a && rm b\"", "echo 'a && rm b'", "echo 'x; rm y'", "echo '$(rm x)'", "echo '`rm x`'", "echo \\$\\(rm x\\)", "echo \"\\$(rm x)\"", "echo \"\\`rm x\\`\"",
		"sudo rm x", "echo rm x", "env rm x", "/bin/rm x", "find . -exec rm {} +", "bash -c 'rm x'", "eval 'ls x'", "trap - EXIT", "trap 'ls x' EXIT", "set -euo pipefail", "printf %s x", "source venv/bin/activate", "export A=1 B=$C", "declare -r a=1", "read -r line", "unset A", "[ \"$x\" = y ]", "[[ $x == y ]]", "echo $((1+2))", "exec ls", "OPTIND=1", "cat ~/x", "jobs", "wait $!", "ls ~", "sh <<EOF\nrm x\nEOF", "cat <<'EOF'\n$(rm x)\nEOF",
		"cat <<\"EOF\"\n$(rm x)\nEOF", "cat <<\\EOF\n`rm x`\nEOF", "echo a # rm x", "echo a \\; rm x", "echo a \\\nrm x", "rmdir x", "rm-x", "rm=1", "rm() { :; }", "for rm in a; do :; done",
		"case rm in rm) ;; esac", "command -v rm", "command -V rm", "command -pv rm", "xargs -0 rm", "xargs -I{} rm {}", "timeout 5 echo rm x", "time", "nohup", "timeout 5", "xargs", "echo $HOME",
		"ls *.go", "echo {a,b}", "./$X", "echo \"$X\"", "git add .", "x=rm", "export rm", "[[ rm ]]", "git commit -m \"rm x\"", "nice -n rm x", "timeout -k rm 5 ls", "rmdir $X", "",
	}},
	{"Bash(git push *)", []string{"git push", "git push origin", "echo $(date)", "echo $HOME", "echo ${HOME}", "echo \"$HOME\"", "echo `date`", "echo \"`date`\"", "echo $((1))", "x=$y",
		"cat <<EOF\n$x\nEOF", "git \"push\" -f", "\"git\" push", "git pu''sh", "git {push,-f}", "a | xargs git", "a | xargs git push", "git $X", "for i in a; do b $i; done"},
		[]string{"echo '$HOME'", "echo \\$HOME", "git pull", "git pushx", "git -c a=b push", "echo git push", "cat <<'EOF'\n$x\nEOF", "ls # $x", "git add *.go", "mkdir {a,b}", "git add {a,b}", "cat <(ls)"}},
	{"Bash(ls *)", []string{"ls", "ls -l"}, []string{"lsof", "lsof -i"}},
	{"Bash(ls*)", []string{"ls", "ls -l", "lsof", "lsof -i"}, []string{"l", "als"}},
	{"Bash(git commit:*)", []string{"git commit", "git commit -m x", "git commit -m 'a\nb'"}, []string{"git commits", "git"}},
	{"Bash(git:*)", []string{"git", "git x"}, []string{"gitk", "echo $X"}},
	{"Bash(npm test)", []string{"npm test", "npm  test", "npm test > log", "FOO=1 npm test", "npm 'test'", "npm test $X"}, []string{"npm test --watch", "npm", "npm testing"}},
	{"Bash(ls)", []string{"ls", "echo $(ls)", "a; ls"}, []string{"ls -l", "echo $HOME", "ls $HOME"}},
	{"Bash(git * main)", []string{"git push origin main", "git push main", "git checkout 'x' \"main\"", "git $X"}, []string{"git push origin dev", "git main", "git push main now"}},
	{"Bash(* --force)", []string{"git push --force", "x -a --force", "echo $X"}, []string{"git push --force-with-lease", "--force"}},
	{"Bash(*secret*)", []string{"cat a/secret/b", "cat 'my secret'", "cat se\"cr\"et", "FOO=secret true"}, []string{"cat x", "ls # secret"}},
	{"Bash(rm \\*)", []string{"rm \\*", "rm '*'", "rm *"}, []string{"rm a"}},
	{"Bash(find * -exec rm *)", []string{"find . -name x -exec rm {} +", "find . -exec 'rm' -f {} \\;"}, []string{"find . -name x"}},
	{"Bash(git commit -m \"x y\")", []string{"git commit -m \"x y\"", "git commit -m 'x y'", "git commit -m x\\ y"}, []string{"git commit -m \"x z\""}},
	{"Bash(echo * > /etc/*)", []string{"echo a > /etc/x", "echo a >/etc/x", "echo a >\"/etc/x\"", "> /etc/x echo a"}, []string{"echo a > /tmp/x", "echo '> /tmp/'"}},
	{"Bash(* 2>&1)", []string{"make 2>&1", "make 2>& 1"}, []string{"make"}},
	{"Bash(curl * | sh)", []string{"curl -s x | sh", "cd a && curl x | sh", "(curl x | sh)"}, []string{"curl x", "curl x | tee sh"}},
	{"Bash(cd * && rm *)", []string{"cd a && rm b"}, []string{"cd a", "cd a; rm b"}},
	{"Bash(timeout *)", []string{"timeout 5 ls", "nohup timeout 5 ls"}, []string{"ls"}},
	{"Bash(time *)", []string{"time ls", "time -p ls"}, []string{"ls"}},
	{"Bash(xargs *)", []string{"a | xargs -0 rm", "xargs ls"}, []string{"ls"}},
	{"Bash(FOO=1 *)", []string{"FOO=1 ls", "FOO='1' ls"}, []string{"FOO=2 ls", "ls"}},
	{"Bash(export *)", []string{"export A=1", "export -p", "if a; then export B; fi"}, []string{"echo export"}},
	{"Bash([[ *)", []string{"[[ -f x ]]", "if [[ -f x ]]; then y; fi"}, []string{"[ -f x ]"}},
	{"Bash", []string{"", "ls", "'"}, nil},
	{"Bash()", []string{"ls", "'"}, nil},
	{"Bash(*)", []string{"ls", "'"}, nil},
	{"Bash( * )", []string{"ls"}, nil},
	{"Bash(:*)", []string{"ls"}, nil},
	{"Bash(**)", []string{"ls"}, nil},
}

func TestABashRuleMatchesAnyCommandThatWouldRun(t *testing.T) {
	for _, tt := range bashTests {
		r := mustParse(t, tt.rule)
		for _, command := range tt.runs {
			if !r.Match(bashCall(command)) {
				t.Errorf("%s does not match %q, want a match", tt.rule, command)
			}
		}
		for _, command := range tt.rest {
			if r.Match(bashCall(command)) {
				t.Errorf("%s matches %q, want none", tt.rule, command)
			}
		}
	}
}

func TestACommandThatNobodyCanReadMatchesEveryBashRule(t *testing.T) {
	deep := func(open, in, end string, n int) string { return strings.Repeat(open, n) + in + strings.Repeat(end, n) }
	for name, command := range map[string]string{
		"long":                   "echo " + strings.Repeat("x", maxCommand),
		"deep":                   deep("echo $(", "ls", ")", 1000),
		"very deep":              deep("$(", "ls", ")", 100_000),
		"as deep as may be":      deep("$(", "ls", ")", maxCommand/3-1),
		"deep, with quoted ends": deep("a ')' $(", "ls", ")", 5000),
		"deep backticks":         strings.Repeat("`", 60_000),
		"deep braces":            deep("{ ", "ls", ";}", 10_000),
		"deep arithmetic":        "echo $((" + deep("(", "1", ")", 30_000) + "))",
		"deep keywords":          deep("if ", "ls", "; then ls; fi", 3000),
		"a long list":            strings.Repeat("a && ", 10_000) + "a",
		"wrapped very often":     strings.Repeat("exec ", 12_000) + "ls",
		"wrapped in many":        strings.Repeat("nice -n 1 timeout 1 xargs ", 2_000) + "ls",
		"a zero byte":            "echo a\x00b",
		"a bad substitution":     "echo ${",
	} {
		for _, rule := range []string{"Bash(git *)", "Bash(git push)", "Bash(zz)"} {
			if !mustParse(t, rule).Match(bashCall(command)) {
				t.Errorf("%s does not match a command that is %s, want a match", rule, name)
			}
		}
	}
	r := mustParse(t, "Bash(git *)")
	for _, input := range []string{"", "{}", `{"command": 1}`, `{"command": null}`, `{"command": ["ls"]}`, "not json", "[]"} {
		if !r.Match(Call{Tool: "Bash", Input: wire.Object(input)}) {
			t.Errorf("%s does not match the input %s, want a match", r, input)
		}
	}
}

func TestAPatternOfManyPartsEndsSoon(t *testing.T) {
	r := mustParse(t, "Bash("+strings.Repeat("a*", 2000)+"b | c)")
	r.Match(bashCall(strings.Repeat("a", 60_000)))
	r.Match(bashCall(strings.Repeat("a|", 1500) + "a"))
	nested := mustParse(t, "Bash(zz)")
	nested.Match(bashCall(strings.Repeat("echo x$(", 380) + strings.Repeat("y", 50_000) + strings.Repeat(")", 380)))
}

func bashCall(command string) Call {
	return Call{Tool: "Bash", Input: wire.Object(`{"command":` + string(wire.Quote(command)) + `}`), Dir: "/repo/app"}
}

// TestMatchOfAnotherToolDoesNotAllocate is not parallel: AllocsPerRun counts
// the whole process.
func TestMatchOfAnotherToolDoesNotAllocate(t *testing.T) {
	r, c := mustParse(t, "Bash(git push *)"), bashCall("git push")
	c.Tool = "PowerShell"
	if n := testing.AllocsPerRun(100, func() { r.Match(c) }); n != 0 {
		t.Errorf("%v allocs, want 0", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	for name, command := range map[string]string{
		"short": "git status", "list": "cd /tmp && FOO=1 timeout 5 make -j4 2>&1 | tee \"out log\"", "nested": strings.Repeat("$(", 390) + "ls" + strings.Repeat(")", 390),
		"long": strings.Repeat("echo $(date) 'a b' x; ", 2900), "sequel": strings.Repeat("echo x$(", 380) + strings.Repeat("y", 50_000) + strings.Repeat(")", 380),
	} {
		b.Run(name, func(b *testing.B) {
			r, c := mustParse(b, "Bash(rm *)"), bashCall(command)
			b.ReportAllocs()
			for b.Loop() {
				r.Match(c)
			}
		})
	}
	b.Run("path", func(b *testing.B) {
		r, c := mustParse(b, "Edit(src/**/*.ts)"), Call{Tool: "Edit", Input: wire.Object(`{"file_path":"/repo/app/src/a/b.ts"}`), Dir: "/repo/app"}
		b.ReportAllocs()
		for b.Loop() {
			r.Match(c)
		}
	})
}
