package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/snaphook-go/snaphook/internal/inprocess"
)

// A script leaves the same files in this process as in bash.
func TestWrittenFilesAreTheSame(t *testing.T) {
	needBash(t)
	if runtime.GOOS != "linux" {
		t.Skip("scripts write files in this process on Linux alone")
	}
	for script, inside := range map[string]bool{
		"echo one >> log; echo two >>log; echo \"$e\" >> new":                                        true,
		"f=log; echo x >> \"$f\"; echo y >> $f; echo z 2>> err":                                      true,
		"echo over > log; : > empty; printf %s a > sub/new":                                          true,
		"{ echo a; echo b >&2; } >> log 2>&1; (echo c) >> log":                                       true,
		"f() { echo \"$1\" >> log; }; f a; f b; x=$(f c; echo out); f $x":                            true,
		"for i in 1 2 3; do echo $i; done > list; echo end >> link":                                  true,
		"echo a >> \"$PWD/log\"; echo b >> ./log":                                                    false, // by two paths
		"cd sub; echo a > b; cd ..; echo c >> sub/../c":                                              true,
		"echo a | while read -r x; do echo \"$x\" >> log; done":                                      true,
		"echo 1 > log; echo 2 >> log":                                                                false, // only bash knows the offset of the first redirection
		"while read -r l; do echo \"x$l\"; done < log > log":                                         false, // bash has emptied the file before the loop reads
		"{ read -r x; echo more >> log; read -r y; } < log":                                          false, // bash reads on in the new text
		"{ { read -r x; echo m >> log; } <<< a; } < log":                                             false,
		"{ read -r x; echo \"$x\"; } < log | while read -r x; do echo \"$x\" > log; done":            false, // both commands of the pipe run at the same time
		"x=$(<log); echo \"$x\" > log; echo end >> new":                                              true,  // the file is read to its end before it is written
		"echo 1 > log; read -r x < log; echo $x":                                                     false,
		"echo 1 >> log; [ -s link ] && echo yes":                                                     false,
		"echo 1 >> new; [ -e ./new ] && echo yes":                                                    false,
		"echo 1 >> sub; echo $?":                                                                     false,
		"echo 1 >> missing/new":                                                                      false,
		"echo 1 >> dangling":                                                                         false,
		"echo 1 >> log; trap x EXIT":                                                                 false,
		"echo 1 >> log; [ -n x ] && eval y":                                                          false,
		"echo a >> pipe":                                                                             false,
		"echo a >> /dev/null; x=/dev/null; echo b > $x; echo c > /dev/stderr; echo d >> /dev/stdout": true,
	} {
		dirs := [2]string{t.TempDir(), t.TempDir()}
		for _, dir := range dirs {
			filled(t, dir)
		}
		before := content(t, dirs[0])
		p, err := NewTools(nil).Compile(script)
		if err != nil {
			if inside {
				t.Errorf("%s: %v", script, err)
			}
			continue
		}
		got, why, ok := p.Run(&inprocess.Call{Env: fuzzEnv, Dir: dirs[0], PWD: dirs[0], Name: "bash"})
		if ok != inside {
			t.Errorf("%s ran in this process: %v (%s)", script, ok, why)
		}
		want := before
		if ok {
			if r := bash(t, dirs[1], script, nil, nil); !cmp.Equal(r, got, cmpopts.EquateEmpty()) {
				t.Errorf("%s: %s", script, cmp.Diff(r, got))
			}
			want = content(t, dirs[1])
		}
		if left := content(t, dirs[0]); !cmp.Equal(left, want) {
			t.Errorf("%s leaves other files: %s", script, cmp.Diff(want, left))
		}
	}
}

// If a file cannot be written after all, the other files stay as they were, and bash has to run the script.
func TestAWriteThatFailsIsUndone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("scripts write files in this process on Linux alone")
	}
	dir := t.TempDir()
	filled(t, dir)
	before := content(t, dir)
	s := &state{run: &run{Call: &inprocess.Call{}, left: 1 << 20, dirs: []string{dir + "/d", dir + "/d/e"}, files: []*output{
		{file: dir + "/log", data: []byte("more")}, {file: dir + "/new", data: []byte("x")}, {file: dir + "/link", empty: true},
		{file: dir + "/d/e/f", data: []byte("z")}, {file: dir + "/missing/new", data: []byte("y")},
	}}}
	if s.write() {
		t.Error("the files are written")
	}
	if left := content(t, dir); !cmp.Equal(left, before) {
		t.Error(cmp.Diff(before, left))
	}
}

func filled(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "log", "dangling": "nothing", "pipe": "/dev/stdin"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// content returns the modes and texts of the files in a folder and in its folder sub.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, at := range []string{dir, filepath.Join(dir, "sub")} {
		entries, err := os.ReadDir(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			path := filepath.Join(at, e.Name())
			if e.Type().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				info, err := e.Info()
				if err != nil {
					t.Fatal(err)
				}
				all[path[len(dir):]] = info.Mode().String() + string(text)
			} else {
				all[path[len(dir):]] = e.Type().String()
			}
		}
	}
	return all
}
