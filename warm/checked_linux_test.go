package warm

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/run"
)

// countedBash puts a bash into PATH that adds a line to a file for each start, and returns the file.
func countedBash(t *testing.T) (starts string) {
	t.Helper()
	bin := t.TempDir()
	starts = filepath.Join(bin, "starts")
	wrapper := "#!/bin/sh\necho \"$*\" >> '" + starts + "'\nexec /bin/bash \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "bash"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return starts
}

// checked answers as if each file had the text that was checked, whatever the file has now.
type checked string

func (c checked) Same(context.Context, string) error { return nil }

func (c checked) Open(_ context.Context, path string) (*os.File, []byte, error) {
	f, err := os.Open(path)
	return f, []byte(c), err
}

func TestTheBytesThatTrustHasCheckedRunInTheProcess(t *testing.T) {
	needPrograms(t)
	starts, dir := countedBash(t), t.TempDir()
	file := filepath.Join(dir, "guard.sh")
	const readsEcho = "case $(echo 'a\\tb') in *t*) exit 3;; esac; exit 4\n" // exits with 3 in bash, and with 4 in dash
	for name, tt := range map[string]struct {
		checked, file string
		exit, starts  int
	}{
		"the file is the same":                                         {"#!/bin/bash\nexit 3\n", "#!/bin/bash\nexit 3\n", 3, 0},
		"the file has changed since":                                   {"#!/bin/bash\nexit 3\n", "#!/bin/bash\nexit 4\n", 3, 0},
		"bash alone runs the old text":                                 {"#!/bin/bash\nexit $(($$ * 0 + 3))\n", "#!/bin/bash\nexit 4\n", 3, 2},
		"the file cannot run here":                                     {"#!/bin/bash\nexit 3\n", "#!/bin/bash\ntrap 'exit 4' EXIT\n", 3, 2},
		"started by its first line, which was that of another shell":   {"#!/bin/bash\n" + readsEcho, "#!/bin/sh\n" + readsEcho, 3, 0},
		"started by its first line, which had no option":               {"#!/bin/bash -e\nfalse\nexit 4\n", "#!/bin/bash\nfalse\nexit 4\n", 1, 0},
		"started by its first line, which has been the same all along": {"#!/bin/bash\n" + readsEcho, "#!/bin/bash\n" + readsEcho, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(tt.file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(starts, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			pool := New(Config{})
			defer pool.Close()
			c := &run.Command{Argv: []string{"bash", "-c", "bash " + file}, Direct: []string{"bash", file}}
			if strings.HasPrefix(name, "started by its first line") {
				c = &run.Command{Argv: []string{"bash", "-c", file}, Direct: []string{file}}
			}
			c.Pin(checked(tt.checked))
			c.SetWarm(pool, "", dir)
			for range 2 {
				reply, err := c.Run(t.Context(), hook.Call{Dir: dir, Hook: &hook.Hook{}})
				if err != nil || reply.Exit != tt.exit {
					t.Errorf("exit %d, %v, want %d", reply.Exit, err, tt.exit)
				}
			}
			text, err := os.ReadFile(starts)
			if got := strings.Count(string(text), "guard.sh"); err != nil || got != tt.starts {
				t.Errorf("bash was started %d times, want %d: %v\n%s", got, tt.starts, err, text)
			}
		})
	}
}

func TestAScriptWhoseFirstLineChangesIsRunByItsNewShell(t *testing.T) {
	needPrograms(t)
	dashes(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "guard.sh")
	pool := New(Config{})
	defer pool.Close()
	c := &run.Command{Argv: []string{"bash", "-c", file}, Direct: []string{file}}
	for i, tt := range []struct {
		first string
		exit  int
	}{{"/bin/bash", 3}, {"/bin/sh", 4}, {"/bin/bash -n", 0}, {"/bin/bash", 3}, {"/bin/cat", 0}} {
		text := "#!" + tt.first + "\ncase $(echo 'a\\tb') in *t*) exit 3;; esac; exit 4\n"
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			c.SetWarm(pool, run.WarmBash, dir)
		}
		reply, err := c.Run(t.Context(), hook.Call{Dir: dir, Hook: &hook.Hook{}})
		if err != nil || reply.Exit != tt.exit {
			t.Errorf("%s: exit %d, %v, want %d", tt.first, reply.Exit, err, tt.exit)
		}
	}
}
