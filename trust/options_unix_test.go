//go:build unix

package trust_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/trust"
)

// TestAHookIsUnclearIfItMayRunATextThatTrustHasNotRead tries programs that are clear with some arguments, and may run
// an unread text with others.
func TestAHookIsUnclearIfItMayRunATextThatTrustHasNotRead(t *testing.T) {
	dir := testkit.Dir(t)
	for path, text := range map[string]string{
		"x.sed": "1e ./evil.sh\n", "a.jq": "include \"b\"; .", "evil.sh": "ls\n", "plain.sh": "ls\n", "evil": "make\n",
		"shared/HEAD": "ref: x\n", "shared/commondir": "../other\n", "evil.py": "#!/usr/bin/env python3\nexec(1)\n", "plain.py": "#!/usr/bin/env python3\nimport json\n",
		"evil.js": "#!/usr/bin/env node\nrequire('child_process').execSync('make')\n", "plain.js": "#!/usr/bin/env node\nrequire('fs')\n",
		"bare/HEAD": "ref: refs/heads/main\n", "bare/config": "[core]\n", "bare/objects/x": "", ".git/HEAD": "ref: x\n", "sub/x": "", "calls/make.sh": "make\n", "zero.sh": "find calls -exec sh -c '. \"$0\"' {} \\;\n", "list": "calls\x00",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("bare/objects", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for command, unclear := range map[string]bool{
		"sed p file": false, "sed -n p file -E": false, "sed -- p file -f": false, "sed p -f x.sed": true, "sed p file --expression='1e ./evil.sh'": true,
		"sed p file -e '1e ./evil.sh'": true, "sed p $FILES": true, `sed p "$FILE"`: false, "sed p {a,-fx.sed}": true, "sed -e p -f x.sed": true,
		"jq . file": false, "jq -r .a file -e": false, "jq .a -r file --arg n v": false, "jq a.jq -f": true, "jq . file -L lib": true, "jq . file --from-file a.jq": true, "jq . -rf a.jq": true,
		"awk '{print}' -f x": false, "awk -f x.awk": true,

		"cat plain.sh | sh": false, "cat -A plain.sh | sh": true, "cat - | sh": true, "cat | sh": true, "cat plain.sh - | sh": true, "cat plain.sh | cat | sh": true,
		"sed 's/^# //' plain.sh | sh": true, "head -3 plain.sh | sh": true, "tail -c 9 plain.sh | sh": true, "grep -o e.* plain.sh | sh": true, "grep . plain.sh | sh": true,
		`printf '\056/evil' | sh`: true, "printf '%s' ls | sh": false, `printf '%s\n' ls 'cat plain.sh' | sh`: false, "printf '%b' '\\056/evil' | sh": true, "printf ls | sh": false, "printf -v x ls | sh": true, "printf '%c' l s | sh": true,
		"echo ls | sh": false, `echo '\056/evil' | sh`: true, `echo -e '\x2e/evil' | sh`: true, `echo "$X" | sh`: true, "echo make all | sh": true, "echo bash plain.sh | sh": false, "echo . evil | sh": true,

		"git status": false, "git -C . status": false, "git -C sub diff": false, `git -C "$CLAUDE_PROJECT_DIR" log`: false, "git -C bare log": true, "git -C sub -C ../bare log": true, "git --git-dir=bare log": true, "git --git-dir bare log": true,
		"git -C sub --git-dir ../bare log": true, "git --git-dir=.git log": false, "git -C /usr log": false, "git --git-dir=/usr/x log": false, "git -C $(ls) log": true, "git -C": true, "GIT_DIR=bare git log": true, "GIT_DIR=.git git log": false, "GIT_DIR=/usr/x git log": false,
		"bash -c 'sh evil'": true, "eval 'sh evil'": true, "trap 'sh evil' EXIT": true, `echo "sh evil"; sh evil`: true, "bash -c 'sh plain.sh'": false, "bash -c 'python3 evil.py'": true, "python3 evil.py": true, "./evil.py": true, "node evil.js": true, "./evil.js": true, "python3 plain.py": false, "./plain.py": false, "node plain.js": false, "./plain.js": false,
		"git show HEAD:x | bash -s -- a": true, "curl x | bash -o pipefail": true, "git log | { sh; }": true, "git log | (sh)": true, "git log | time sh": true, "f() { sh; }; git log | f": true, "{ sh; } < plain.sh": true,
		"exec < plain.sh; sh": true, "sh": true, "git log | sh /dev/stdin": true, "git log | . /dev/stdin": true, "git log | xargs -I true sh -c true": true, "git log | parallel": true, "git log | xargs -I{} cp {} x": false,
		"cat plain.sh evil | sh": true, "git show HEAD:x.py | python3 3<<<1": true, "sh < plain.sh": false, "sh <<< ls": false, "sh <<E\nls\nE": false, "sh -s a < plain.sh": false, "timeout 5 sh < plain.sh": false,
		"x=true; f() { $x; }; x=make; f": true, "x=true; for i in 1 2; do $x; x=make; done": true, "f() { git status; }; cd bare; f": true, "trap '$x' EXIT; x=make": true, "f() { sh x.sh; }; cd sub; f": false, "x=ls; f() { $x; }; x=pwd; f": false,
		"cd a; cd b; cd c; cd d; cd e; cd f; sh x.sh": true, many("x=true%d; ", 70) + "x=make; $x": true,
		`x=true; x=make; eval "$x"`: true, `x=true; x=make; sh -c "$x"`: true, `x=true; x=make; sh <<< "$x"`: true, "x=true; x=make; y=$x; $y": true, `p=s/x; p='e make #/y/'; sed "$p" f`: true, `o=-e; o=evil.sh; sh "$o" plain.sh`: true, `x=cat; x=sh; git log | "$x"`: true,
		"d=sub; f=1.sh; [ a ] && d=b; [ b ] && f=2.sh; sh $d/$f": true, `for f in plain.sh evil.sh; do sh "$f"; done`: false,
		`export "BASH_ENV=evil"; bash -c :`: true, `x=true; declare "x=make"; $x`: true, `export "X=$(git log)"; ls`: false, "export $(git log)": true, "builtin export BASH_ENV=evil; bash -c :": true, `\export BASH_ENV=evil; bash -c :`: true,
		"x=true; printf -v x make; $x": true, "x=true; unset x; : ${x:=make}; $x": true, "y=true; declare -n y=z; z=make; $y": true, "export PATH": false, "declare -a x; local y": false, `export PATH="/usr/local/bin:$PATH"; ls`: false,
		`sed 's,x*\,*,p;/$(make)/s,e#,x,' f`: true, `sed '/x\/p;/e make #/p' f`: true, `sed 's/a\.b/c/' f`: false,
		"cd link && git status": true, "git -C link status": true, "git -C shared status": true,
		"git config user.name": false, "git config --get user.name": false, "git config core.fsmonitor make; git status": true, "git config -e": true, "git config --list": false, "git config --unset x": true, `git config "$X"`: false,
		"git grep -nOmake x": true, "mapfile -tC make -c1 a": true, "hash -rp /usr/bin/make ls": true, "fd -Hx make": true, "jobs -x make": true, "install -s --strip-program=make a b": true, "rg --hostname-bin make": true, "gh ext install .": true, ". -- ./evil": true, ". -- ./plain.sh": false, "grep -rn x .": false,
		`echo "scons() { :; }"; scons`: true, "sh -c 'scons() { :; }'; scons": true, "scons() { :; }; sh -c scons": true, `scons() { command scons "$@"; }; scons`: true, "log() { echo x; }; log": false, "log() { echo x; }; env log": true,
		`export "$X"; bash -c :`: true, `export "${P}ATH=$X"; ls`: true, `builtin export "X=$Y"; ls`: true, `local "$1"`: true, `local "x=$1"`: false,
		`env XDG_CONFIG_HOME="$X" git log`: true, `env EDITOR="$X" git log`: true, `env HOME="$X" git log`: true, `env HOME=/tmp git log`: false,
		"find calls -exec sh {} \\;": true, "find -L calls -exec sh {} +": true, "find calls -exec cat {} \\;": false, "find -L calls -name x": false,
		"find .. -exec sh {} \\;": true, "find / -name x -exec sh {} \\;": true, "find .. -name x": false,
		"find -H $X -exec sh {} \\;": true, "find sub -files0-from list -exec sh {} +": true,
		"cd sub; find -q ../calls -exec sh {} \\;": true, "o=-L; o=-H; cd sub; find $o ../calls -exec sh {} \\;": true, "cd sub; find -name x -exec sh {} \\;": true,
		"find calls -exec sh -c 'echo \"$1\"' _ {} \\;": false, "find calls -exec sh -c 'sh \"$1\"' _ {} \\;": true, "find calls -exec sh -c {} \\;": true, "find calls -exec sh plain.sh {} \\;": false,
		"find sub -exec sh {} x \\;": false, "find sub -exec sh -s {} \\;": true, "find sub -exec sh -- {} \\;": false, "find sub -exec sh {} \\; -exec sh \\;": true, "find list -exec sh sub/{} \\;": true, "find sub -exec {} \\;": true,
		"find sub -execdir sh {} \\;": true, "find sub -execdir ./x \\;": true, "find sub -execdir cat {} \\;": false, "find sub -okdir git log \\;": true,
		"find sub $X {} \\;": true, "find sub -name $X": true, `find sub -name "$X"`: false, `find sub -name "$@"`: true, `find sub -name "${X[@]}"`: true, "find sub -name {$X,y}": true, `find "$X" -name x`: false, `find "$X" -exec sh {} \;`: true,
		`find sub "$X" sh {} \;`: true, `find "$X" -name "$Y"`: false, `find "$X" ls "$Y"`: true, `find sub -newer "$X" -name "$Y"`: false,
		"sh zero.sh": true, "find calls -exec sh -c '. \"$0\"' {} \\;": true,

		"x=ls; ((x=1)); $x": true, "x=ls; : $((x=1)); $x": true, "x=ls; let x=1; $x": true, "x=ls; let 'x = 1'; $x": true, "x=ls; for ((x=1; x<2; x++)); do $x; done": true, "x=ls; ((x++)); $x": true, "x=ls; ((y==1)); $x": false,
		"x=ls; y='x=1'; ((y)); $x": true, "x=ls; y='x=1'; [[ 1 -eq y ]]; $x": true, "x=ls; [[ $x == y ]]; $x": false, "x=ls; echo $((1 + 2)); $x": false,
		"declare -u x; x=ls; $x": true, "declare -i x=5; x=ls; $x": true, "local -r x=ls; $x": false, "declare x=l; declare x+=s; $x": true,
		"RANDOM=ls; $RANDOM": true, "BASH_SOURCE=ls; $BASH_SOURCE": true, "SECONDS=ls; $SECONDS": true, "x=(ls pwd); ${x[1]}": true, "x=ls; ${x[0]}": false, "x=ls; ${x[1]} make": true,

		`m=a; [ "$X" ] || m=; jq -n --arg m "$m" '{a:$m}'`: false, `m=a; [ "$X" ] || m=-f; jq "$m" x`: true, `m=a; [ "$X" ] || m=-f; awk -F "$m" '{print}'`: false,
		"jq --arg a $X .": true, `jq --arg a "$X" .`: false, "jq --arg $X b .": true, "jq . a$X": true, "jq --indent $X .": true, "awk -F $X '{print}'": true, `awk -F "$X" '{print}'`: false, "sed p a$X": true,
		"sh -o $X plain.sh": true, `sh -o "$X" plain.sh`: true, "bash -euo pipefail plain.sh": false, "bash -eo pipefail": true, "python3 -W $X plain.py": true, `python3 -W "$X" plain.py`: false, "bash --rcfile $X -i plain.sh": true, "bash --rcfile plain.sh -i plain.sh": false,
		"git config user.name$X": true, `git config "user.name$X"`: false, "rg a$X": true, `rg "a$X"`: false, "sort a$(ls)": true,
		"rg x *": true, "rg x sub/*": false, "rg x ./*": false, `rg '*' sub`: false, "rg x -- [x-]*": true, "find * -name x": true, "p='*'; rg x $p": true, `p='*'; rg "$p" sub`: false,
		"HOME=bare git status": true, "XDG_CONFIG_HOME=$PWD/sub git log": true, "export HOME=$(git log); ls": true, "HOME=/tmp git log": false, "PAGER=cat git log": false, "EDITOR=make git log": true, `export "SHELL=make"`: true, "ZDOTDIR=sub zsh -c ls": true,
		"sh <<E\nls\nmake\nE": true, "sh <<'E'\nls {a,b} ..\n$x\nE": true, "sh <<'E'\nls {a,b} ..\nE": false, "sh <<E\nls $X\nE": true, "x=make; sh <<E\n$x\nE": true, "x=ls; sh <<E\n$x\nE": false, "sh <<\\E\n$(make)\nE": true,
		"python3 - a <<'E'\nx = {'a': 1}\nprint(f'{x}..')\nE": false, "python3 <<E\nexec('x')\nE": true, "python3 <<E\nprint($X)\nE": true, "x=ls; x=pwd; sh <<E\n$x\nE": true, "sh <<'E'\n" + many("echo %d\n", 400) + "E": false,
		"x=make; f() { $x; }; f; for x in ls; do :; done": true, "for x in ls pwd; do $x; done": false, "alias ls=make": true, "alias": false,
		"cat() { git show HEAD:x; }; cat plain.sh | sh": true, "echo() { git log; }; echo ls | sh": true, "./echo x | sh": true, "PATH=.:$PATH; cat plain.sh | sh": true,
		"python3 /dev/stdin": true, "node /dev/fd/0": true, "sh /dev/stdin": true, ". /proc/self/fd/0": true,
		"python3 <<'E'\nx = 1\nprint(f\"we're {x}: [{{exec}}] {x!r:>{x}}\", f'''don't {x}''')\nE": false, "python3 <<'E'\nprint(f'''{ #}\n exec('x') }''')\nE": true,
		"python3 <<'E'\nprint(f\"{exec(\"x\")}\")\nE": true, "python3 <<'E'\nprint(f'{{{exec(\"x\")}}}')\nE": true,
		"python3 <<'E'\nimport os\nprint(os.environ[k], os.environ['X'] == 'a')\nE": false, "python3 <<'E'\nimport os\nif os.environ[k] != 'x': pass\nE": false, "python3 <<'E'\nimport os\nx = {'a': os.environ['A'], 'b': [os.environ['B'] for k in 'a']}\nE": false, "python3 <<'E'\nimport os\nos.environ[k] = 'x'\nE": true, "python3 <<'E'\nimport os\nos.environ[k] += 'x'\nE": true,
		"python3 <<'E'\nimport os\nos.environ['A'], b = 'x', 1\nE": true, "python3 <<'E'\nimport os\nfor os.environ['A'] in ['1']: pass\nE": true, "python3 <<'E'\nimport os\n(os.environ['A'], b) = '1', 2\nE": true, "python3 <<'E'\nimport os\nos.environ['A'] //= 1\nE": true,
		`node -e "x.replace(/\\u001b\\[[0-9;]*m/g, '')"`: false, `node -e "x.match(/[\\u4e00-\\u9fff]/)"`: false, `node -e "function f() { return arguments.length }"`: false, `node -e "function process(d) { return d }"`: false, `node -e "ev\\u0061l('1')"`: true, `node -e "eva\\u006c('1')"`: true, `node -e "\\u0065\\u0076al('1')"`: true, `node -e "const p = process"`: true,
		`grep -q '\[x\]' plain.sh`: false, `echo "[[ x ]] ** $1"; G='\033[0;32m'; echo -e "$G"`: false, ". ./[[]x": true,
		`for f in a.json b.json; do jq . "$f"; done`: false, `for f in a b; do sed -n 1p "$f"; done`: false, `p=p; p='e make'; sed "$p" f`: true, `sed -e p -e "$X" f`: true, `sed -e p -e s/a/b/ f`: false, "for f in a -fx.sed; do sed p $f; done": true,
		"awk -F $UNSET '{print}' -f evil.awk": true,

		"cd bare && git log": true, "cd bare/objects && git log": true, "cd sub && git log": false, "git --work-tree=sub status": false,
	} {
		h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: command}}
		c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		if is := c.Hooks[0].Unclear != ""; is != unclear {
			t.Errorf("%s: unclear %v (%s), want %v", command, is, c.Hooks[0].Unclear, unclear)
		}
	}
}

// A hook with a list of arguments runs this list; its command may be only the name of the program.
func TestTheArgumentsOfAHookAreReadAndItsCommandIfAShellRunsIt(t *testing.T) {
	dir := testkit.Dir(t)
	if err := os.WriteFile(filepath.Join(dir, "evil.sh"), []byte("make\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		command string
		argv    []string
		unclear bool
	}{
		{"sh", []string{"sh", "-c", "ls"}, false},
		{"sh", []string{"sh", "-c", "make"}, true},
		{"/bin/sh", []string{"sh", "evil.sh"}, true},
		{"sh", []string{"/bin/bash", "-c", "sh"}, true},
		{"bash", []string{"/bin/bash", "-c", "bash"}, true},
		{"./evil.sh # /bash", []string{"/bin/bash", "-c", "./evil.sh # /bash"}, true},
		{"ls # /bash", []string{"/bin/bash", "-c", "ls # /bash"}, false},
		{"jq", []string{"jq", ".", "x"}, false},
		{"jq", []string{"jq", "-f", "x"}, true},
		{"make", nil, true},
		{"ls", []string{"/bin/bash", "-c", "cd x && make"}, true},
	} {
		h := &hook.Hook{Identity: hook.Identity{Type: "command", Command: test.command, Argv: test.argv}}
		c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: []string{"PATH=/usr/bin:/bin"}})
		if err != nil {
			t.Fatal(err)
		}
		if is := c.Hooks[0].Unclear != ""; is != test.unclear {
			t.Errorf("%q %q: unclear %v (%s), want %v", test.command, test.argv, is, c.Hooks[0].Unclear, test.unclear)
		}
	}
}

// many joins n texts with the numbers from 0.
func many(format string, n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// TestNoBareRepositoryMayAppearWhereGitLooksForOne has a hook that calls git in a folder of the project. The hook fails
// once the folder has a file HEAD.
func TestNoBareRepositoryMayAppearWhereGitLooksForOne(t *testing.T) {
	dir := testkit.Dir(t)
	for _, folder := range []string{".git", "sub"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h := &hook.Hook{Identity: hook.Identity{Dialect: "claude", ID: "1", Type: "command", Command: "git -C sub status"}}
	c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Environ: []string{"PATH=/usr/bin:/bin"}})
	if err != nil || c.Hooks[0].Unclear != "" {
		t.Fatal(err, c.Hooks[0].Unclear)
	}
	r := c.Wrap(h, &run.Command{Argv: []string{"true"}})
	if _, err := r.Run(t.Context(), hook.Call{Hook: h, Dir: dir}); err != nil {
		t.Errorf("before: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub/HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), hook.Call{Hook: h, Dir: dir}); hook.ClassOf(err) != hook.ClassUntrusted {
		t.Errorf("with sub/HEAD: %v", err)
	}
}
