package gitignore_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/internal/gitignore"
)

// repository makes a repository of files with their text.
func repository(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRulesLeaveFilesOut(t *testing.T) {
	for _, tt := range []struct {
		rules, path string
		want        bool
	}{
		{"*.ts", "a.ts", true},
		{"*.ts", "deep/in/a.ts", true},
		{"*.ts", "a.js", false},
		{"*.ts\n!a.ts", "a.ts", false},
		{"!a.ts\n*.ts", "a.ts", true},
		{"# a.ts", "a.ts", false},
		{`\#a`, "#a", true},
		{`\!a`, "!a", true},
		{"/a.ts", "a.ts", true},
		{"/a.ts", "deep/a.ts", false},
		{"deep/a.ts", "deep/a.ts", true},
		{"deep/a.ts", "very/deep/a.ts", false},
		{"out", "out/a.ts", true},
		{"out/", "out/a.ts", true},
		{"a.ts/", "a.ts", false},
		{"out/\n!out/a.ts", "out/a.ts", true},
		{"out/*\n!out/a.ts", "out/a.ts", false},
		{"a  ", "a", true},
		{`a\ `, "a ", true},
		{"a.ts\r\n", "a.ts", true},
		{"\ufeffa.ts", "a.ts", true},
		{"**/x/a.ts", "x/a.ts", true},
		{"**/x/a.ts", "y/x/a.ts", true},
		{"x/**/a.ts", "x/a.ts", true},
		{"x/**/a.ts", "x/y/z/a.ts", true},
		{"x/**", "x/y", true},
		{"x/**", "x", false},
		{"a?c", "abc", true},
		{"a[a-c]c", "abc", true},
		{"a[!a-c]c", "abc", false},
		{"a[]]c", "a]c", true},
		{"a[c", "a[c", false},
		{"[[:digit:]]x", "7x", true},
		{"{a,b}", "a", false},
		{"{a,b}", "{a,b}", true},
		{".claude/hooks", ".claude/hooks/pre/bash.sh", true},
	} {
		dir := repository(t, map[string]string{".gitignore": tt.rules})
		if got := gitignore.Open(dir).Ignores(filepath.Join(dir, tt.path), false); got != tt.want {
			t.Errorf("with %q, %q is left out: %v, want %v", tt.rules, tt.path, got, tt.want)
		}
	}
}

func TestTheNearestFileDecides(t *testing.T) {
	dir := repository(t, map[string]string{".gitignore": "*.ts", "keep/.gitignore": "!a.ts"})
	tree := gitignore.Open(filepath.Join(dir, "keep"))
	for path, want := range map[string]bool{"keep/a.ts": false, "keep/b.ts": true, "a.ts": true} {
		if got := tree.Ignores(filepath.Join(dir, path), false); got != want {
			t.Errorf("%s is left out: %v, want %v", path, got, want)
		}
	}
}

func TestOutsideARepositoryNothingIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*"), 0o644); err != nil {
		t.Fatal(err)
	}
	if tree := gitignore.Open(dir); tree.Ignores(filepath.Join(dir, "a"), false) {
		t.Error("a file outside a repository is left out")
	}
	tree := gitignore.Open(repository(t, map[string]string{".gitignore": "*"}))
	if tree.Ignores(filepath.Join(dir, "a"), false) {
		t.Error("a file of somewhere else is left out")
	}
}

// FuzzLikeGit compares the package with git check-ignore.
func FuzzLikeGit(f *testing.F) {
	if _, err := exec.LookPath("git"); err != nil {
		f.Skip("git is not installed")
	}
	for _, seed := range [][2]string{
		{"*.ts", "a.ts"}, {"a/**/b", "a/x/b"}, {"[a-c]*\n!b", "b"}, {`a\ `, "a "}, {"x/", "x/y"}, {"**", "a"}, {"a**b", "axb"},
		{"[[:alpha:]x", "a"}, {"[a-", "a"}, {"[]-a]", "a"}, {`\`, `\`}, {"a//b", "a/b"}, {"/", "a"}, {"**/", "a/b"}, {"[[:", "["},
		{"a/**/", "a/b/c"}, {"**/**", "a"}, {"a*b*c", "aXbYc"}, {`[\]]`, "]"}, {"[a-\\", "a"}, {"!", "a"}, {"[[:alpha:]-z]", "-"},
	} {
		f.Add(seed[0], seed[1])
	}
	dir := f.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		f.Skipf("git init: %v: %s", err, out)
	}
	f.Fuzz(func(t *testing.T, rules, path string) {
		if !fits(rules) || !fits(path) || filepath.ToSlash(filepath.Clean(path)) != path || strings.HasPrefix(path, "/") || !filepath.IsLocal(path) ||
			path == "." || strings.HasPrefix(path, ".git") || strings.ContainsRune(rules, 0) || strings.Contains(path, "\n") {
			t.Skip()
		}
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(rules), 0o644); err != nil {
			t.Fatal(err)
		}
		want, ok := git(dir, path)
		if !ok {
			t.Skip()
		}
		if got := gitignore.Open(dir).Ignores(filepath.Join(dir, path), false); got != want {
			t.Errorf("with %q, %q is left out: %v; git says %v", rules, path, got, want)
		}
	})
}

func fits(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' && c != '\n' || c > 126 {
			return false
		}
	}
	return len(s) < 40
}

func git(dir, path string) (ignored, ok bool) {
	cmd := exec.Command("git", "-c", "core.ignorecase=false", "check-ignore", "-q", "--no-index", "--", path)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_LITERAL_PATHSPECS=1")
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	return err == nil, code == 0 || code == 1
}

func ExampleTree_Ignores() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	_ = os.Mkdir(filepath.Join(dir, ".git"), 0o755)
	_ = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.local.ts\n"), 0o644)
	tree := gitignore.Open(dir)
	fmt.Println(tree.Ignores(filepath.Join(dir, "guard.ts"), false), tree.Ignores(filepath.Join(dir, "mine.local.ts"), false))
	// Output: false true
}

// A repository that is not trusted decides how long its rules are, and how many.
func TestRulesThatTakeTooLongLeaveNothingOut(t *testing.T) {
	for name, rules := range map[string]string{
		"one of many stars": strings.Repeat("a*", 60_000) + "b",
		"a long set":        "a*[" + strings.Repeat("b", 120_000) + "]",
		"many":              strings.Repeat("a*b\n", 30_000),
		"many of slashes":   "a*b\n" + strings.Repeat("**/", 40_000) + "x",
	} {
		files := map[string]string{".gitignore": "kept.ts\n" + rules, "one/.gitignore": rules, "one/two/.gitignore": rules}
		root := repository(t, files)
		tree := gitignore.Open(root)
		if !tree.Ignores(filepath.Join(root, "kept.ts"), false) {
			t.Errorf("%s: the first rule leaves nothing out", name)
		}
		for i := 0; !tree.Spent() && i < 200_000; i++ {
			tree.Ignores(filepath.Join(root, "one", "two", strings.Repeat("a", 240)+fmt.Sprint(i)), false)
		}
		if !tree.Spent() || tree.Ignores(filepath.Join(root, "kept.ts"), false) {
			t.Errorf("%s: the rules are compared without end", name)
		}
	}
}

func TestAFileThatIsTooLargeIsNotDroppedInSilence(t *testing.T) {
	root := repository(t, map[string]string{".gitignore": "*.ts\n" + strings.Repeat("# a comment\n", 20_000)})
	if tree := gitignore.Open(root); tree.Ignores(filepath.Join(root, "a.ts"), false) || !tree.Spent() {
		t.Error("a file of 240 kB is read, or nothing says that it is not")
	}
}
