package warm

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// Folders and files that a script makes in this process are those that bash leaves with the installed mkdir.
func TestFoldersAreTheSame(t *testing.T) {
	needPrograms(t)
	tools := Tools()
	for script, inside := range map[string]bool{
		"mkdir -p \"$PWD/a/b\" && echo one >> \"$PWD/a/b/log\"; echo two >> $PWD/a/b/log; mkdir -p a/b; echo $?": true,
		"mkdir -p a; mkdir -p a/c d old/new; echo x > a/c/f; echo y > d/f; echo z >> old/log":                    true,
		"mkdir -p a b/; mkdir -p a; exit 2": true,
		"mkdir -p a/../b; echo $?":          false,
		"mkdir -p a; [ -d a ] && echo yes":  false,
		"mkdir -p a; cat a/x":               false,
		"mkdir -p old/log; echo $?":         false,
		"mkdir -p a; cd a":                  false,
		"echo x > a; mkdir -p a":            false,
	} {
		here, there := t.TempDir(), t.TempDir()
		for _, dir := range []string{here, there} {
			if err := os.Mkdir(filepath.Join(dir, "old"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "old", "log"), []byte("before\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := tree(t, here)
		p, err := tools.Compile(script)
		if err != nil {
			t.Fatal(err)
		}
		got, why, ok := p.Run(&inprocess.Call{Env: scriptEnv("C.UTF-8"), Dir: here, PWD: here})
		if ok != inside {
			t.Errorf("%s ran in this process: %v (%s)", script, ok, why)
		}
		want := before
		if ok {
			cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", script)
			cmd.Dir, cmd.Env = there, []string{"PATH=/usr/bin:/bin", "PWD=" + there}
			out, _ := cmd.Output()
			if string(out) != string(got.Stdout) || cmd.ProcessState.ExitCode() != got.Exit {
				t.Errorf("%s: %d, %q, in bash %d, %q", script, got.Exit, got.Stdout, cmd.ProcessState.ExitCode(), out)
			}
			want = tree(t, there)
		}
		if left := tree(t, here); !maps.Equal(left, want) {
			t.Errorf("%s leaves %v, want %v", script, left, want)
		}
	}
}

// tree returns the modes and texts of all files in a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if e.Type().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		all[path[len(dir):]] = info.Mode().String() + " " + string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
