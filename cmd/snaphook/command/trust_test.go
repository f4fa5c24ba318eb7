package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"
	"golang.org/x/sync/errgroup"
)

func TestScriptsOfACommandAreFound(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Join(dir, "home"))
	for _, file := range []string{"guard.sh", "lib/run me", "check.py", "notes.txt", "home/mine", "tool"} {
		writeFile(t, filepath.Join(dir, file), []byte(file))
	}
	if err := os.Chmod(filepath.Join(dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string][]string{
		"./guard.sh --fast":                       {"guard.sh"},
		`"$LLXPRT_PROJECT_DIR"/guard.sh`:          {"guard.sh"},
		`'./lib/run me'`:                          {"lib/run me"},
		"~/mine":                                  {"home/mine"},
		"python3 check.py":                        {"check.py"},
		"cd . && FOO=1 bash guard.sh; ./check.py": {"guard.sh", "check.py"},
		"if true; then (. ./guard.sh); fi":        {"guard.sh"},
		"bash < guard.sh":                         {"guard.sh"},
		"env tool":                                {"tool"},
		"./guard.sh; ./guard.sh":                  {"guard.sh"},
		"cat notes.txt >> log.txt":                nil,
		"./missing.sh":                            nil,
		"./lib":                                   nil,
		"true":                                    nil,
		"$(cat notes.txt)":                        nil,
		"":                                        nil,
		"echo ${x:?}; ./guard.sh":                 {"guard.sh"},
	} {
		scripts, err := scriptsOf(dir, command)
		got := lo.Map(scripts, func(s script, _ int) string { return strings.TrimPrefix(s.File, dir+"/") })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", command, got, err, want)
		}
	}
}

func TestDecisionsOfManyProcessesAreAllKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "trust.json")
	want := records{}
	var g errgroup.Group
	for i := range 20 {
		dir, r := fmt.Sprintf("/p/%d", i), record{State: isGranted, Digests: map[string]string{"llxprt": "d"}, Time: time.Unix(int64(i), 0).UTC()}
		want[dir] = r
		g.Go(func() error { return decide(t.Context(), file, dir, r) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := readStore(file)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzStoreGivesDecisionsOrAnError(f *testing.F) {
	for _, text := range []string{``, `{}`, `null`, `{"/p": {"state": "granted", "digests": {"claude": "d"}, "time": "2026-01-01T00:00:00Z"}}`, `{"/p": {}}`, `{"/p"`} {
		f.Add([]byte(text))
	}
	file := filepath.Join(f.TempDir(), "trust.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		writeFile(t, file, text)
		all, err := readStore(file)
		if (all == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", all, err)
		}
		for dir, r := range all {
			if !filepath.IsAbs(dir) || r.State != isGranted && r.State != isRevoked {
				t.Errorf("got %q: %v, which is no decision", dir, r)
			}
		}
	})
}

func FuzzScriptsOfAnyCommand(f *testing.F) {
	for _, command := range []string{"./a.sh", `"$x"/y`, "a && (b; c)", "$(rm x)", "cat <<E\nE\n", "\x00", "~/", "${a[@]}", "a=(b)", "((1/0))", "diff <(a) >(b)"} {
		f.Add(command)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, command string) {
		late := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("no end with %q", command)) })
		defer late.Stop()
		if scripts, err := scriptsOf(dir, command); err != nil {
			t.Errorf("got %v, %v", scripts, err)
		}
	})
}
