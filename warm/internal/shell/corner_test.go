package shell

import (
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// Scripts at the corners of the language run in this process and end as in bash.
func TestCorners(t *testing.T) {
	needBash(t)
	for _, script := range []string{
		"f() { local x=1; local x; echo \"[$x]\"; }; f",
		"f() { local x=$(false); echo $?; export y=$(false); echo $?; }; f",
		"x=o; f() { local x=i; g; echo $x; }; g() { x=c; local x=z; echo $x; }; f; echo $x",
		"f() { shift; echo \"$# $1\"; }; f a b; echo \"$# $1\"",
		"x=1 y=$x; echo \"$y\"",
		"unset x; echo \"[${x-}] [${x:-}] [$x]\"",
		"set -e; i=0; ((i++)); echo never",
		"set -e; i=0; ((i++)) || true; echo $i",
		"set -e; x=$((0)); echo \"$x\"",
		"set -u; f() { echo \"${1:-none}\"; }; f",
		"n=0; echo x | while read -r l; do n=5; done; echo $n",
		"if ! false; then echo yes; fi; ! true && echo no || echo other",
		"f() { false || return; echo no; }; f; echo $?",
		"f() { return 300; }; f; echo $?",
		"cat=1; [[ ' a' == [[:space:]]* ]] && echo space",
		"x='a b'; [[ $x == 'a b' ]] && [[ $x == a\\ b ]] && [[ $x == \"a b\" ]] && echo same",
		"y='*'; [[ abc == a\"$y\" ]] || echo literal",
		"read -r x <<EOF\na \\$b \\\\ \\` \"q\" 'q' \\n\nEOF\necho \"$x\"",
		"read -r x <<\"EOF\"\na $b \\ `\nEOF\necho \"$x\"",
		"while read -r a b; do echo \"$b $a\"; done <<EOF\n1 2\n3 4 5\n\nEOF",
		"for i in a b; do for j in 1 2; do echo $i$j; break; done; done",
		"for i in; do echo no; done; echo $?",
		"i=0; while ((i < 3)); do ((i+=1)); echo $i; done",
		"i=5; until [ $i -le 3 ]; do i=$((i-1)); done; echo $i $((i*i%4-7/2)) $((-i)) $((i==3&&i!=4))",
		"echo \"$(read -r x; echo \"<$x>\")\"; read -r y; echo \"[$y]\"",
		"{ read -r x; echo \"$x\"; } </dev/stdin",
		"echo a | { read -r x; echo b | { read -r y; echo $x$y; }; }",
		"(exit 3) || echo $?; (exit 3) && echo no; echo $?",
		"x=$(exit 3) || echo $?; x=a$(exit 4)b; echo $? $x",
		"echo $(echo 'a   b') \"$(echo 'a   b')\"",
		"printf '%s' a; printf '%s\\n'; printf '%d %d\\n' 1; printf 'x\\n' ; printf '%%\\n'; printf '%s %s\\n' a b c",
		"echo -n; echo -e; echo -e 'a\\\\b'; echo -n -e 'c\\n'; echo -- x; echo '\\n'",
		"x='a:b:c'; echo ${x%%:*} ${x#*:} ${x##*:} ${x%:*}",
		"x='{\"a\": \"b\"}'; echo \"${x#*\\\"a\\\": \\\"}\"; echo \"${x%%\\\"*}\"",
		"x=\"it's\"; echo \"${x%\"'\"*}\" \"${x/\"'\"/_}\"",
		"x=aXbXc; echo \"${x//X/}\" \"${x/X}\" \"${x//X/ - }\"",
		"x=abc; echo \"${x:1}\" \"${x:1:1}\" \"${x: -1}\" \"${x:5}\"",
		"a=b; a+=c; a+=; echo $a; b+=x; echo $b",
		"[ ]; echo $?; [ '' ]; echo $?; [ ! ]; echo $?; [ = ]; echo $?; [ -n ]; echo $?; [ ! -n ]; echo $?",
		"[ ! a = b ]; echo $?; [ -f = -f ]; echo $?; [ ! = a ]; echo $?; test; echo $?; test ! ''; echo $?",
		"[[ -e / && -d / && ! -f / && ! -s /nothing && ! -L / ]]; echo $?",
		"[ -z $nothing ] && [ -n \"$nothing\" ] || echo empty",
		"case a in b) ;; [!b]) echo not b ;; esac; case '' in '') echo empty;; esac; case ']' in [ab]) ;; *) echo x;; esac",
		"case 'a*b' in a\\*b) echo star;; esac; case ab in a?) echo q;; esac; case \"\" in ?*) echo no;; *) echo e;; esac",
		"set -e; f() { if false; then :; fi; echo on; }; f; { false; } || echo caught; (exit 2) || echo c2",
		"set -e; for i in 1 2; do [ $i = 2 ] && echo two; done; echo end",
		"set -e; if [ a = b ] || false; then :; else echo else; fi; while false; do :; done; echo end",
		"set -e; f() { [ a = b ] && echo; true; }; f; ! f; echo end",
		"set -eo pipefail; x=$(false | echo y) || echo failed $x; false | true; echo never",
		"set -e; case x in x) false ;; esac; echo never",
		"set -e; { echo a; false; echo never; } >&2; echo never",
		"exit 3 | exit 4; echo $?; exit | true; (exit); echo $?",
		"f() { exit 5; }; (f); echo $?; x=$(f); echo $?; f; echo never",
		"echo a >&2 2>/dev/null; { echo b >&2; } 2>&1; { echo c; } >/dev/null 2>&1; echo d 2>&1 >/dev/null",
		"export A=1; A+=2; echo $A; unset A; echo \"[$A]\"; e=changed; echo \"$e\"",
		"echo \"$*|$#\"; for p; do echo \"<$p>\"; done; shift 2; echo \"$1\"; shift 5; echo $? $#",
		"x='a\nb'; echo $x; echo \"$x\"; for w in $x; do echo \"<$w>\"; done; read -r y <<< \"$x\"; echo \"$y\"",
		"IFS= read -r x <<< '  padded  '; echo \"[$x]\"; read -r x <<< '  padded  '; echo \"[$x]\"; read -r <<< ' p '; echo \"[$REPLY]\"",
		"read -r a b c <<< ' 1  2  3  4 '; echo \"[$a][$b][$c]\"; read -r a b <<< 'x'; echo \"[$a][$b]\"",
		"read -r -d : a; echo \"$? [$a]\"; read -r b; echo \"[$b]\"",
		"x=ÄÖ; echo \"${x}\" \"${x#Ä}\" \"${x%%Ö*}\"; [[ $x == *Ö ]] && echo ends",
		": ${E:=assigned} ${e:+set}; echo \"$E\"",
		"true; echo $?; echo $? $(false) $?; false; x=$?; echo $x",
		"if false; then trap x EXIT; exec x; a=(1 2); x=${a[1]}; f <(ls) &>/dev/null; eval y & fi; echo on",
		"f() { source x; cd /; return; }; [ -z x ] && f; false && `date` || : || x=1 env || echo \"${x/a b/\\\"}\" || echo {1..3}",
		"echo \"$0\" ${0##*/} \"${BASH_SOURCE[0]}|$BASH_SOURCE|${BASH_SOURCE[0]:-$0}\"; echo \"${1:?no} ${e?no}\"",
		"cd /; pwd; cd usr/bin; pwd; cd ..; pwd; cd ./lib/../bin/; echo \"$PWD\"; cd /usr//; pwd; cd /..; pwd; cd -- /usr; pwd",
		"(cd /usr; pwd); x=$(cd /usr/bin && pwd); echo \"$x $(cd \"$(echo /usr)\" && pwd)\"; cd /nothing 2>/dev/null || echo none; [ -d bin ] && echo; cd /; [ -d usr/bin ] && echo there",
		"a=(1 2); x=\"<${a[@]}>\"; echo \"$x\"; for w in \"<${a[@]}>\" \"<$@>\" \"${nothing[@]}-\" \"${nothing[@]}\"; do echo \"($w)\"; done; echo \"all: ${a[@]}, $#\"; y=\"$@\"; echo \"$y\"",
		"cd; pwd; cd /usr | true; pwd; f() { cd /usr; }; f; [ -e bin ]; echo $?",
		"a=(x 'y z' \"$e\" $e); echo ${#a[@]} \"${a[1]}\" ${a[-1]} \"${a[@]}\" \"${a[*]}\" ${a[*]} ${a[@]}; for i in \"${a[@]}\"; do echo \"<$i>\"; done; echo $a \"$a\" ${a:-none} ${#a}",
		"a=(); echo \"${#a[@]} [${a[@]}] [${a:-none}] [${a[0]}]\"; a+=(1); a+=(2 3); a[3]=4; a[0]=0; i=2; echo \"${a[@]} ${a[i]} ${a[$i]} ${a[i+1]} ${a[7]}\"; for x in \"${a[@]}\" end; do echo $x; done",
		"b=(\"$@\"); echo ${#b[@]}; b+=(\"$@\"); echo ${#b[@]} \"${b[2]}\"; set -u; c=(); echo \"[${c[@]}]${#c[@]}[${c[*]}]\"; x=s; echo \"${x[0]} ${x[@]}\"",
		"f() { local a=(1 2); a+=(3); echo \"${a[@]}\"; local -r k=v; echo $k; }; a=(o); f; echo \"${a[@]}\"; readonly A=1; echo $A; declare d=4; echo $d; declare -a l=(1 2); echo ${l[1]}; typeset t=5; echo $t",
		"f() { declare d=in; local -a l=(\"$@\"); echo $d ${#l[@]}; g; echo ${l[@]}; }; g() { l+=(z); }; d=out; f a b; echo $d; readonly R=2; (echo $R); declare -r Q=3; echo $Q; declare -x X=4; echo $X",
		"n=0; a=(x y); for w in \"${a[@]}\"; do a[n]=$w$w; ((n++)); done; echo \"${a[*]}\"; b=(\"${a[@]}\"); b[1]=c; echo \"${a[1]} ${b[1]}\"; (a+=(s)); echo ${#a[@]}; unset a; echo ${#a[@]}",
		"case x in y) shopt -s extglob; for ((i=0;i<3;i++)); do :; done ;; x) echo x ;; esac; ! true && wait",
	} {
		t.Run(script, func(t *testing.T) {
			if !agree(t, t.TempDir(), script, []byte("first line\nsecond:third\n")) {
				p, err := NewTools(nil).Compile(script)
				why := ""
				if err == nil {
					_, why, _ = p.Run(&inprocess.Call{Stdin: []byte("first line\nsecond:third\n"), Env: fuzzEnv, Params: []string{"p1", "", "p 3"}, Dir: "/", PWD: "/", Name: "bash"})
				}
				t.Errorf("it is not run in this process: %v %s", err, why)
			}
		})
	}
}
