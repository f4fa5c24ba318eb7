package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// No path leads a script to the open files of this process: scripts with such paths, also through links, are left to
// bash.
func TestFilesOfTheHostAreLeftToBash(t *testing.T) {
	dir := t.TempDir()
	secret, err := os.Create(filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	if _, err := secret.WriteString("of the host\n"); err != nil {
		t.Fatal(err)
	}
	of := fmt.Sprintf("/proc/self/fd/%d", secret.Fd())
	for name, target := range map[string]string{"link": of, "other": "link", "fds": "/proc/self/fd", "gone": "/proc/self/fd/999", "null": "/dev/null"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{
		"/dev/fd/0", "/dev//fd/0", "/dev/./stdin", "/proc/self/fd/0", "//proc/self/fd/0", "/proc/self/environ", "/proc/self/cwd/secret",
		"/dev/tty", "/usr/../proc/self/fd/0", of, "link", "other", "fds/0", "fds/999", "gone", "./link", dir + "/link", "/sys/kernel/notes",
		"../" + filepath.Base(dir) + "/other",
	}
	var scripts []string
	for _, path := range paths {
		scripts = append(scripts, "read -r x <"+path+" 2>/dev/null; echo \"$x\"", "x=$(<"+path+"); echo \"$x\"")
		for _, op := range []string{"-e", "-f", "-s", "-d"} {
			scripts = append(scripts, "[ "+op+" "+path+" ]; echo $?", "[[ "+op+" "+path+" ]]; echo $?")
		}
	}
	scripts = append(scripts, "[ -e null ]; echo $?", "[ -L fds/0 ]; echo $?", "[ -h /proc/self ]; echo $?")
	for _, script := range scripts {
		p, err := NewTools(nil).Compile(script)
		if err != nil {
			t.Errorf("%s: %v", script, err)
			continue
		}
		if r, _, ok := p.Run(&inprocess.Call{Env: fuzzEnv, Dir: dir}); ok {
			t.Errorf("%s ran in this process: %d, %q", script, r.Exit, r.Stdout)
		}
	}
}

// Regular files are read in this process, also through symbolic links.
func TestPlainFilesAreRead(t *testing.T) {
	needBash(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"read -r x <b; echo \"$x\"; x=$(<./a); echo \"$x\"; read -r y </dev/null; echo $?",
		"[ -e b ]; echo $?; [ -L b ]; echo $?; [ -L a ]; echo $?; [ -f b ]; echo $?; [ -d . ]; echo $?; [ -s a ]; echo $?",
		"[ -e c ]; echo $?; [ -e c/d ]; echo $?; [ -e a/b ]; echo $?; [ -e '' ]; echo $?; [[ -L c ]]; echo $?",
	} {
		if !agree(t, dir, script, nil) {
			t.Errorf("%s does not run in this process", script)
		}
	}
}
