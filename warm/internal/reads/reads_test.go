package reads

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/shell"
)

// Programs that may change something are refused, and so are those that nobody knows.
func TestOnlyProgramsThatReadAreKnown(t *testing.T) {
	for call, want := range map[string]string{
		"sed s/a/b/": "whole", "sed -n -E s/a(b)/x/gp;1p;/x/d;$!d": "whole", "sed s/a/b/ file": "ignored", "sed 5q": "uncertain",
		"sed s/a/b/w out": "no", "sed s/a/b/e": "no", "sed -i s/a/b/": "no", "sed w out": "no", "sed 1e": "no", "sed r file": "no", "sed s/[/]w/x/": "no",
		"sed -f script": "no", "sed s/a\\/b/w out/": "whole", "sed s,a,b,;w out": "no", "sed 1{p;w out}": "no", "sed --posix p": "no",
		"sort": "whole", "sort -u -k2,2 -t :": "whole", "sort -rno out": "no", "sort --output=x": "no", "sort --compress-program=x": "no", "sort a b": "ignored",
		"uniq -c": "whole", "uniq in out": "no", "tail -n 3": "whole", "tail -f x": "no", "tail -3": "whole", "head -1": "uncertain", "head -1 file": "ignored",
		"find . -name x": "ignored", "find . -delete": "no", "find . -exec x": "no", "find . -fprintf x y": "no", "find . -okdir x": "no",
		"awk {print}": "whole", "awk -F: {print(1)}": "whole", "awk {print>\"x\"}": "no", "awk {system(1)}": "no", "awk -f x": "no", "awk {print|\"sh\"}": "no",
		"date +%F": "ignored", "date -d x +%s": "ignored", "date -s x": "no", "date 010100": "no", "date --set=x": "no",
		"git rev-parse HEAD": "ignored", "git -C dir branch --show-current": "ignored", "git branch new": "no", "git branch -D x": "no", "git branch": "ignored",
		"git branch --list x": "ignored", "git branch -v x": "no", "git config user.name": "ignored", "git config user.name x": "no", "git config --get x": "ignored",
		"git config --unset x": "no", "git status --porcelain": "ignored", "git diff --output=x": "no", "git log -1 --format=%H": "ignored", "git stash": "no",
		"git stash list": "ignored", "git symbolic-ref --short HEAD": "ignored", "git symbolic-ref HEAD refs/heads/x": "no", "git tag x": "no", "git tag -l": "ignored",
		"git -c alias.x=y x": "no", "git push": "no", "git remote": "ignored", "git remote add x y": "no", "git cat-file --batch": "no", "git worktree add x": "no",
		"jq .": "whole", "jq -n 1": "uncertain", "jq . file": "ignored", "jq --arg a b .a": "whole", "jq --args . a": "uncertain",
		"grep -E x": "whole", "grep -q x": "uncertain", "grep x file": "ignored", "grep -e x": "whole", "grep -P x -": "uncertain", "cat": "whole", "cat x": "ignored",
		"cat - x": "uncertain", "cut -d , -f 1": "whole", "python3 x": "no", "tee x": "no", "env": "no", "ps": "no", "xargs rm": "no", "": "no",
	} {
		words := strings.Split(call, " ")
		if words[0] == "sed" && len(words) > 2 && !strings.HasPrefix(words[1], "-") && words[2] != "file" { // a script with spaces
			words = []string{"sed", strings.Join(words[1:], " ")}
		}
		got := "no"
		if input, ok := Only(words[0], words[1:]); ok {
			got = map[shell.Input]string{shell.Ignored: "ignored", shell.Whole: "whole", shell.Uncertain: "uncertain"}[input]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
}

// FuzzOnly checks that no arguments make the check panic, and that sed is never given a file to write.
func FuzzOnly(f *testing.F) {
	for _, seed := range []string{"sed\ns/a/b/;p", "awk\n-F\n:", "git\n-C", "date\n-d", "sed\n-e", "find", "jq\n--arg\na", "sort\n-k", "grep\n-e", "sed\ns[a[b[w x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, call string) {
		words := strings.Split(call, "\n")
		_, ok := Only(words[0], words[1:])
		if ok && words[0] == "sed" && len(words) == 2 && (strings.HasPrefix(words[1], "w") || strings.HasPrefix(words[1], "e")) {
			t.Errorf("%q only reads", call)
		}
	})
}
