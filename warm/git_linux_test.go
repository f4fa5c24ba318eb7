package warm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

// Each query of git is answered in the process exactly as the installed git answers it, or is left to the installed
// git.
func TestGitIsTheSame(t *testing.T) {
	needPrograms(t)
	if file, _ := exec.LookPath("git"); file != "/usr/bin/git" {
		t.Skip("there is no /usr/bin/git")
	}
	write := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := func(text string) func(dir string) {
		return func(dir string) {
			f, err := os.OpenFile(filepath.Join(dir, ".git/config"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(text); err != nil {
				t.Fatal(err)
			}
		}
	}
	head := func(text string) func(dir string) { return func(dir string) { write(dir, ".git/HEAD", text) } }
	user := func(text string) func(dir string) {
		return func(dir string) { write(dir, "home/.gitconfig", text) }
	}
	for name, c := range map[string]struct {
		change func(dir string)
		env    map[string]string
		left   bool
	}{
		"a repository":                   {},
		"another branch":                 {change: head("ref: refs/heads/feat/x-1\n")},
		"a detached head":                {change: head(strings.Repeat("0a", 20) + "\n")},
		"a broken head":                  {change: head("nothing\n"), left: true},
		"a branch of a strange name":     {change: head("ref: refs/heads/a..b\n"), left: true},
		"a remote and a user":            {change: config("[remote \"origin\"]\n\turl = git@example.com:a/b.git\n[user]\n\tname = \"A B\" ; c\n")},
		"settings of the user":           {change: user("[user]\n\temail = a@b\n[alias]\n\tlg = \"!f() { git log; }; f\"\n[init]\ndefaultBranch = main\n")},
		"another work tree":              {change: config("[core]\n\tworktree = /tmp\n"), left: true},
		"a bare repository":              {change: config("[core]\n\tbare = true\n"), left: true},
		"an extension":                   {change: config("[extensions]\n\tworktreeConfig = true\n"), left: true},
		"another version of the format":  {change: config("[core]\n\trepositoryformatversion = 1\n"), left: true},
		"settings that are included":     {change: user("[include]\n\tpath = other\n"), left: true},
		"a trace":                        {change: user("[trace2]\n\tnormalTarget = /tmp/x\n"), left: true},
		"settings with an open quote":    {change: config("[user]\n\tname = \"A\n"), left: true},
		"settings with a broken line":    {change: config("[user\n"), left: true},
		"a name without a value":         {change: config("[user]\n\tname\n"), left: true},
		"settings on the line of a head": {change: config("[core] bare = true\n"), left: true},
		"a variable of git":              {env: map[string]string{"GIT_DIR": "/tmp"}, left: true},
		"a variable without effect":      {env: map[string]string{"GIT_EDITOR": "true"}},
		"a file in place of the folder": {change: func(dir string) {
			if err := os.Rename(dir+"/.git", dir+"/real"); err != nil {
				t.Fatal(err)
			}
			write(dir, ".git", "gitdir: real\n")
		}, left: true},
		"a folder that is no repository": {change: func(dir string) {
			if err := os.RemoveAll(dir + "/.git/objects"); err != nil {
				t.Fatal(err)
			}
		}, left: true},
		"a link": {change: func(dir string) {
			if err := os.Rename(dir+"/.git", dir+"/real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("real", dir+"/.git"); err != nil {
				t.Fatal(err)
			}
		}, left: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := testkit.Dir(t)
			init := exec.CommandContext(t.Context(), "/usr/bin/git", "init", "-q", "-b", "main", dir)
			init.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := init.CombinedOutput(); err != nil {
				t.Fatalf("%v, %s", err, out)
			}
			write(dir, "sub/deep/file", "")
			if c.change != nil {
				c.change(dir)
			}
			env := scriptEnv("C.UTF-8")
			env["HOME"] = dir + "/home"
			for name, value := range c.env {
				env[name] = value
			}
			for _, at := range []string{dir, dir + "/sub/deep"} {
				for _, query := range []string{
					"git rev-parse --show-toplevel", "git rev-parse --git-dir", "git rev-parse --is-inside-work-tree",
					"git branch --show-current", "git -C .. rev-parse --show-toplevel", "git -C / branch --show-current",
				} {
					query += " 2>/dev/null; echo $?"
					p, err := Tools().Compile(query)
					if err != nil {
						t.Fatal(err)
					}
					got, why, ok := p.Run(&inprocess.Call{Env: env, Dir: at, PWD: at})
					if outside := strings.Contains(query, "-C /") || at == dir && strings.Contains(query, "-C .."); !outside && ok == c.left {
						t.Errorf("%s ran here: %v (%s)", query, ok, why)
					}
					if !ok {
						continue
					}
					cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", query)
					cmd.Dir = at
					for name, value := range env {
						cmd.Env = append(cmd.Env, name+"="+value)
					}
					if want, err := cmd.Output(); err != nil || string(want) != string(got.Stdout) {
						t.Errorf("in %s, %s prints %q, want %q (%v)", at, query, got.Stdout, want, err)
					}
				}
			}
		})
	}
}
