//go:build unix

package trust_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
	"github.com/snaphook-go/snaphook/trust"
)

// TestAHookIsUnclearIfItMayRunATextThatTrustHasNotRead has the ways of programs that are clear with other words.
func TestAHookIsUnclearIfItMayRunATextThatTrustHasNotRead(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"x.sed": "1e ./evil.sh\n", "a.jq": "include \"b\"; .", "evil.sh": "ls\n", "plain.sh": "ls\n", "evil": "make\n",
		"bare/HEAD": "ref: refs/heads/main\n", "bare/config": "[core]\n", "bare/objects/x": "", ".git/HEAD": "ref: x\n", "sub/x": "",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
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

// TestNoBareRepositoryMayAppearWhereGitLooksForOne has a hook that calls git in a folder of the project.
func TestNoBareRepositoryMayAppearWhereGitLooksForOne(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
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
