package llxprtcases

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestPrepareWritesScriptsAndFiles(t *testing.T) {
	c := mustParse(t, `"event": "e", "expect": {"success": true}, "projectDirName": "x$HOME*[y] ;ü",
		"scripts": {"a.sh": "#!/bin/bash\n", "tools/b.sh": ""}, "files": {"sub/keep": "text"}`)
	p := c.Prepare(t)
	if filepath.Base(p.Project) != "x$HOME*[y] ;ü" {
		t.Errorf("the project is %s", p.Project)
	}
	if whole, err := filepath.EvalSymlinks(p.Project); err != nil || whole != p.Project {
		t.Errorf("the project %s is a link to %s, error %v", p.Project, whole, err)
	}
	for name, mode := range map[string]os.FileMode{"a.sh": 0o755, "tools/b.sh": 0o755, "sub/keep": 0o644} {
		info, err := os.Stat(filepath.Join(p.Project, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: got %v, error %v; want mode %v", name, info, err, mode)
		}
	}
	if got := mustRead(t, filepath.Join(p.Project, "sub/keep")); got != "text" {
		t.Errorf("sub/keep holds %q", got)
	}
}

func TestPrepareKeepsOutOfOtherFolders(t *testing.T) {
	for _, name := range []string{"../a.sh", "/a.sh", "@PROJECT@", "sub/../../a.sh"} {
		c := mustParse(t, `"event": "e", "expect": {"success": true}, "scripts": {"`+name+`": ""}`)
		if _, err := c.prepareIn(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not below the project") {
			t.Errorf("%s: got error %v, want a refusal", name, err)
		}
	}
	if _, err := (Case{Name: "n", ProjectDirName: "p"}).prepareIn(t.TempDir()); err == nil {
		t.Error("a case that was not loaded is prepared")
	}
}

func TestScriptsCanBeStartedWhileOthersAreWritten(t *testing.T) {
	c := mustParse(t, `"event": "e", "expect": {"success": true}, "scripts": {"a.sh": "#!/bin/bash\n"}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				p, err := c.prepareIn(t.TempDir())
				if err == nil {
					err = exec.CommandContext(t.Context(), filepath.Join(p.Project, "a.sh")).Run()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestEnviron(t *testing.T) {
	for _, name := range []string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GITHUB_SHA", "UNSET_BY_CASE", "CHANGED", "KEPT"} {
		t.Setenv(name, "outer=1")
	}
	p := mustParse(t, `"event": "e", "expect": {"success": true},
		"env": {"UNSET_BY_CASE": null, "CHANGED": "a b\n$c", "GITHUB_SHA": "abc", "NEW": "@PROJECT@", "EMPTY": ""}`).Prepare(t)
	got := p.Environ()
	for name, want := range map[string]string{
		"KEPT": "outer=1", "CHANGED": "a b\n$c", "GITHUB_SHA": "abc", "NEW": p.Project, "EMPTY": "", "PATH": os.Getenv("PATH"),
	} {
		if !slices.Contains(got, name+"="+want) {
			t.Errorf("%s=%s is missing", name, want)
		}
	}
	for _, pair := range got {
		name, _, _ := strings.Cut(pair, "=")
		if slices.Contains([]string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "UNSET_BY_CASE"}, name) {
			t.Errorf("%s is set", pair)
		}
		if n := strings.Count("\n"+strings.Join(got, "\n"), "\n"+name+"="); n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	if os.Getenv("CHANGED") != "outer=1" {
		t.Error("the environment of the process has changed")
	}
}
