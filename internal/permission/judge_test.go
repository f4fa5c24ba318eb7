package permission

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tricks are ways to run rm, or to look as if. Bash is the judge.
var tricks = []string{
	"echo \"${x:-'}\"; rm x; echo \"'}\"", "cat <<E\n${x:-'}\nE\nrm x\ncat <<E\n'}\nE", "echo \"${x#'}\"; rm x; echo \"'}\"", "echo \"${x:-$'}\"; rm x; echo \"'}\"",
	"ls \\\r\nrm x", "cat <<A\nA\r\ncat <<B\nA\nrm x\nB", "ls # a\\\nrm x", "ls # a \\\\\nrm x", "ls # a\\\n# b\\\nrm x",
	"((rm x) )", "((rm x); ls)", "( (rm x))", "echo $((rm x); ls)", "echo $((rm x) )", "echo \"$((rm x) )\"", "((rm x))", "((rm)) x", "echo $((rm x)\n)", "((rm\n)\n)",
	"[[ a && $(rm x) ]]", "echo ${x/$(rm y)/z}", "echo $[ $(rm x) ]", "a=$(case x in x) rm y;; esac)", "echo `echo \\`rm x\\``", "echo `echo \\`echo \\\\\\`rm x\\\\\\`\\``",
	"echo \"`echo \\\"\\`rm x\\`\\\"`\"", "cat <<-EOF\n\t$(rm x)\n\tEOF", "cat <<E\"O\"F\n$(rm x)\nEOF\nrm x", "rm\r", "rm\r x", "r\rm x", "rm\u00a0x", "rm\vx", "rm\fx",
	"function rm-x { :; }; ls", "ls #\\\nrm x", "ls\\\n#\nrm x", "echo ${x:-'$(rm x)'}", "echo \"${x:-'$(rm x)'}\"", "echo \"${x:-'`rm x`'}\"", "cat <<EOF\n'$(rm x)'\nEOF",
	"cat <<EOF\n\\$(rm x)\nEOF", "cat <<'EOF'\nEOF\nrm x\nEOF", "cat <<EOF\nEOF \nEOF\nrm x", "a=(1 2)rm x", "x() rm x", "!rm x", "! ! rm x", "time ! rm x", "{rm x;}", "if(rm x)then :;fi",
	"until(rm x)do :;done", "echo {a..$(rm x)}", "echo $'a\\'$(rm x)'", "echo $\"$(rm x)\"", "echo \"$'a\\'$(rm x)'\"", "echo @($(rm x))", "echo a >&$(rm x)", "{fd}>x rm x",
	"&>x rm x", "ls;;rm x", "echo ${ rm x; }", "case a in b) ;; *) rm x;; esac", "case a in a) ;& b) rm x;; esac", "declare -f rm x", "readonly rm x", "rm=a rm", "coproc A { rm x; }; wait",
	"coproc rm x; wait", "echo a | while read x; do rm x; done", "a=x; [[ $a = $(rm x) ]]", "a[$(rm x)]=1", "declare -A a=([$(rm x)]=1)", "let a=$(rm x)", "for ((i=$(rm x)0;i<0;)); do :; done",
	"for i in $(rm x); do :; done", "cat < <(rm x)", "cat <<<\"$(rm x)\"", "echo \\`rm x\\`", "echo '`rm x`'", "\\rm x", "r''m x", "'rm' x", "$'rm' x", "$'\\x72m' x", "$\"rm\" x", "r\\\nm x",
	"{rm,x}", "x=rm; $x y", "x='rm y'; $x", "$(echo rm) x", "${x:-rm} y", "\"${x:-rm}\" y", "touch rm; r? x", "touch rm; [r]m x", "touch rm; r* x", "$x rm y", "command time rm x",
	"builtin rm x", "f() { rm x; }; f", "f() ( rm x ); f", "f() if true; then rm x; fi; f", "(:);rm x", "{ :; };rm x", "true&rm x; wait", "true&&rm x", "false||rm x", "true|rm x", "true|&rm x",
	"true # x\nrm x", "true #'\nrm x #'", "echo \"a\\\\\"; rm x; echo \"b\"", "echo 'a\\'; rm x; echo ''", "echo \"a\" '\"' ; rm x; echo '\"'", "echo ${#x}; rm x", "echo ${x#y}; rm x",
	"echo a#b; rm x", "echo $#; rm x", "echo $[1]; rm x", "echo ${x+'}'}; rm x", "echo \"${x+'}\"; rm x", "echo \"${x+\"}\"}\"; rm x", "if :; then :; else :; fi; rm x", "((1<2)); rm x",
	"((x=1<<2)); rm x\n2", "echo $((1<<2)); rm x\n2", "[[ a < b ]]; rm x", "[[ a =~ (b|c) ]]; rm x", "[[ a =~ b;c ]]\nrm x", "x=a; echo ${x^^}; rm x", "echo ${x@Q}; rm x", "echo !(a); rm x",
	"select x in; do :; done; rm x", "alias e=echo; e a; rm x", "trap 'rm x' EXIT", "eval 'true'; rm x", "\nrm x", ";rm x", "\t rm x", "\xef\xbb\xbfrm x", "'r'$'m' x", "-- rm x", "time -- rm x",
	"time -p -- rm x", "time -p rm x", "! time rm x", "time time rm x", "rm>x", "rm<<<x", "rm&", "rm;", "(rm)", "2>x rm", "rm 2>&1", "a=1 rm", "a=(1) rm", "a+=1 >x rm", "<x rm", "rm\\\n x", "r\\m x", "exit 0; rm x",
}

// mayMiss are the tricks that run rm by another program or name, which rules
// do not follow.
var mayMiss = map[string]bool{"trap 'rm x' EXIT": true}

func TestNoTrickOfBashGetsPastARule(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the judge is bash: ", err)
	}
	r := mustParse(t, "Bash(rm *)")
	for _, command := range tricks {
		ran, matched := runsRm(t, bash, os.Getenv("PATH"), command), r.Match(bashCall(command))
		if ran && !matched && !mayMiss[command] {
			t.Errorf("bash runs rm for %q, and %s does not match", command, r)
		}
	}
}

// runsRm reports whether bash calls rm, which does nothing but to say so.
func runsRm(t *testing.T, bash, path, command string) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	called := filepath.Join(t.TempDir(), "called")
	cmd := exec.CommandContext(ctx, bash, "-c", command)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + path, "HOME=" + cmd.Dir, "CALLED=" + called, "BASH_FUNC_rm%%=() { : >\"$CALLED\"; }"}
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // most of the commands fail
	_, err := os.Stat(called)
	return err == nil
}

// soup is what random commands are made of: nothing in it starts a program or
// ends elsewhere than in the directory of the test.
var soup = []string{
	"rm x", "\nrm x\n", "; rm x;", " && rm x\n", "rm", "x", " ", "\n", "\\", "\\\n", "'", "\"", "`", "$(", ")", "(", "((", "))", "$((", "{ ", "}", "; ", ";;", "&&", "||", "|", "&",
	"<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "<<<", "<(", ">(", "${x:-", "${x#", "${x/", "${", "$[", "\"${x:-'}\"", "\"${x#", "}\"", "\"$(", ")\"", "$x", "$'", "$\"", "#", " #", "# ", "!", "[[ ", " ]]", "case a in ", "a)", " esac", "if ",
	"then ", "fi", "for i in a;do ", "done", "f()", "function g ", "x=", "x=(", "a[", "]", "=", "+=", "<", ">", "2>", "~", "*", "?", "{a,", "@(", "time ", "coproc ", "let ", "export ", "-", "\t", "echo ", ":;",
}

func FuzzNoSoupOfShellSyntaxGetsPastARule(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip("the judge is bash: ", err)
	}
	f.Add([]byte{79, 15, 0, 14})
	f.Fuzz(func(t *testing.T, picks []byte) {
		if len(picks) > 30 {
			return
		}
		var command strings.Builder
		for _, pick := range picks {
			command.WriteString(soup[int(pick)%len(soup)])
		}
		r := mustParse(t, "Bash(rm *)")
		if !r.Match(bashCall(command.String())) && runsRm(t, bash, "/nonexistent", command.String()) {
			t.Errorf("bash runs rm for %q, and %s does not match", command.String(), r)
		}
	})
}
