package trust_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/trust"
)

func TestTheDigestIsOfWhatAHookIsAndRuns(t *testing.T) {
	dir := project(t, map[string]string{"*guard": "#!/bin/sh\n", "notes": "x"})
	digest := func(h hook.Hook, reaching ...string) string {
		t.Helper()
		c, err := trust.Cover(t.Context(), dir, []*hook.Hook{&h}, trust.Options{Reaching: reaching})
		if err != nil {
			t.Fatal(err)
		}
		return c.Digest
	}
	h := hook.Hook{Identity: hook.Identity{ID: "1", Dialect: "llxprt", Event: "BeforeTool", Type: "command", Command: "./guard", Position: hook.Position{File: "a", Line: 1}}}
	same, was := h, digest(h)
	same.ID, same.Position = "2", hook.Position{File: "b"}
	if digest(same) != was {
		t.Error("the digest depends on where the hook stands")
	}
	for name, change := range map[string]func(*hook.Hook){
		"event":   func(h *hook.Hook) { h.Event = "AfterTool" },
		"command": func(h *hook.Hook) { h.Command = "./guard --off" },
		"matcher": func(h *hook.Hook) { h.Pattern = "x" },
		"if":      func(h *hook.Hook) { h.If = "Bash" },
		"timeout": func(h *hook.Hook) { h.Timeout = time.Second },
		"async":   func(h *hook.Hook) { h.Background = hook.Async },
	} {
		other := h
		if change(&other); digest(other) == was {
			t.Errorf("another %s has the same digest", name)
		}
	}
	if digest(h, `hooksConfig: {"disabled":["x"]}`) == was {
		t.Error("what reaches further has the same digest")
	}
	testkit.WriteFile(t, filepath.Join(dir, "guard"), "#!/bin/sh\nexit 2\n", 0o755)
	if digest(h) == was {
		t.Error("another script has the same digest")
	}
}

// TestAnUnclearHookCoversEveryFileOfTheProject checks that the covered files include files that git does not track,
// files of submodules and files below links.
func TestAnUnclearHookCoversEveryFileOfTheProject(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this machine has no git")
	}
	other := project(t, map[string]string{"linked.py": ""})
	dir := project(t, map[string]string{"a.sh": "", "deep/b": "", "run.log": "", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/c": "", "ignored/d": "", ".gitignore": "ignored\n"})
	if err := os.Symlink(other, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "a.sh", "deep/b"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	got, c := covered(t, dir, "make guard")
	slices.Sort(got)
	want := []string{".gitignore", "a.sh", "deep/b", "ignored/d", "link/linked.py", "run.log", "sub/.git", "sub/c"}
	if !slices.Equal(got, want) || !strings.Contains(c.Hooks[0].Unclear, "make") {
		t.Errorf("got %q, %q; want the whole tree: %q", got, c.Hooks[0].Unclear, want)
	}
}

// Trust covers at most 20 000 files of a project, and the report says that changes of other files are not noticed.
func TestAProjectWithMoreFilesThanTrustCoversIsToldSo(t *testing.T) {
	files := map[string]string{}
	for i := range 20_100 {
		files[fmt.Sprintf("d%d/%d", i%7, i)] = ""
	}
	files["sparse"] = ""
	dir := project(t, files)
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Fatal(err)
	}
	got, c := covered(t, dir, "make guard")
	if len(got) != 20_000 || !strings.Contains(c.Hooks[0].Unclear, "a change to any further file is not noticed") {
		t.Errorf("%d files, %q; want 20000, and that there are more", len(got), c.Hooks[0].Unclear)
	}
}

func FuzzIndexOfGit(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + strings.Repeat("\x00", 62) + "name\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("DIRC\x00\x00\x00\x03\xff\xff\xff\xff" + strings.Repeat("\xff", 90)))
	dir := project(f, map[string]string{"name": ""})
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, index []byte) {
		testkit.WriteFile(t, filepath.Join(filepath.Join(dir, ".git"), "index"), string(index), 0o755)
		for _, name := range first(covered(t, dir, "make")) {
			if filepath.IsAbs(name) || strings.HasPrefix(name, "..") {
				t.Errorf("%q is not in the project", name)
			}
		}
	})
}

func first(files []string, _ *trust.Covered) []string { return files }

func TestWhatIsReadLaterIsWhatWasCovered(t *testing.T) {
	dir := project(t, map[string]string{"a.ts": "1", "b.ts": "2", "c.ts": "3"})
	h := &hook.Hook{Identity: hook.Identity{Type: "module", Command: "a.ts"}}
	c, err := trust.Cover(t.Context(), dir, []*hook.Hook{h}, trust.Options{Files: func(context.Context, *hook.Hook) ([]string, error) {
		return []string{filepath.Join(dir, "a.ts"), filepath.Join(dir, "b.ts")}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range [][3]string{{"a.ts", "1", ""}, {"b.ts", "4", "has changed"}, {"c.ts", "3", "did not exist"}} {
		err := c.Check(filepath.Join(dir, test[0]), []byte(test[1]))
		if (err == nil) != (test[2] == "") || err != nil && !strings.Contains(err.Error(), test[2]) {
			t.Errorf("%s: got %v, want %q", test[0], err, test[2])
		}
	}
}
