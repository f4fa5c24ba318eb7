//go:build unix

package permission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/wire"
)

// A foreign project may contain links, and the model may be told to write through them.
func TestARuleIsAboutTheFileThatALinkLeadsTo(t *testing.T) {
	root := t.TempDir()
	repo, home := filepath.Join(root, "repo"), filepath.Join(root, "home")
	for _, dir := range []string{"repo/src/deep", "repo/docs", "home/.ssh", "real"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"repo/keys": "../home/.ssh", "repo/absolute": filepath.Join(home, ".ssh"), "repo/notes.txt": filepath.Join(home, ".ssh", "id"), "repo/new": "../home/.ssh/authorized_keys",
		"repo/a": "b", "repo/b": "c", "repo/c": "keys", "repo/docs/up": "../../home", "repo/src/deep/out": "../../docs", "repo/loop": "loop", "repo/self": ".", "repo/root": "/",
		"repo/harmless": "docs", "alias": "repo", "repo/proc": "/proc/self/root",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for rule, files := range map[string]map[string]bool{
		"Read(~/.ssh/**)": {
			"keys/id": true, "./keys/id": true, "keys//id": true, "docs/../keys/id": true, "absolute/id": true, "notes.txt": true, "new": true, "new/": true, "a/id": true, "a/../.ssh/id": true,
			"docs/up/.ssh/id": true, "docs/up/../home/.ssh/id": true, "src/deep/out/up/.ssh/id": true, "src/deep/out/../keys/id": true, "self/self/keys/id": true,
			"root" + home + "/.ssh/id": true, "root/" + strings.TrimPrefix(home, "/") + "/.ssh": true, "proc" + home + "/.ssh/id": true, "/proc/self/root" + home + "/.ssh/id": true,
			"/proc/self/cwd/../" + home: false, "~/.ssh/id": true, "~/./.ssh//id": true, "~/x/../.ssh/id": true, home + "/.ssh/id": true, repo + "/keys/id": true, root + "/alias/keys/id": true,
			"keys/../x": false, "harmless/id": false, "loop/id": false, "missing/id": false, "keys/missing/../../x": false, "src/a": false, "": false,
			"keys/" + strings.Repeat("x/../", 800) + "id": true, strings.Repeat("self/", 30) + "keys/id": true,
		},
		"Edit(src/**)":   {"self/src/x": true, root + "/alias/src/x": true, "docs/up/../repo/src/x": true, "src/deep/out/x": true, "src/../docs/x": false},
		"Edit(/docs/**)": {"harmless/x": true, "src/deep/out/x": true, "harmless/../src/x": false},
		"Write(*.env)":   {"self/.env": true, "self/x": false},
	} {
		r, err := Parse(rule, Origin{Root: repo, Home: home})
		if err != nil {
			t.Fatal(err)
		}
		for file, want := range files {
			tried++
			c := Call{Tool: r.tool[0][0], Dir: repo, Input: wire.Object(`{"file_path":` + string(wire.Quote(file)) + `}`)}
			if got := r.Match(c); got != want {
				t.Errorf("%s matches %.120q: %v, want %v", rule, file, got, want)
			}
		}
	}
	// The project itself was opened by a link.
	r, err := Parse("Edit(/src/**)", Origin{Root: root + "/alias"})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"src/x", repo + "/src/x", root + "/alias/src/x"} {
		if !r.Match(Call{Tool: "Edit", Dir: root + "/alias", Input: wire.Object(`{"file_path":` + string(wire.Quote(file)) + `}`)}) {
			t.Errorf("Edit(/src/**) of a root that is a link does not match %s", file)
		}
	}
	// A link may name the file that a rule is about.
	for rule, files := range map[string]map[string]bool{
		"Read(/" + root + "/alias/docs/**)":       {repo + "/docs/x": true, "docs/x": true, repo + "/src/x": false},
		"Read(/" + root + "/alias/harmless/*.md)": {repo + "/docs/x.md": true, "docs/x.md": true, "docs/x.go": false, "harmless/x.md": true},
		"Read(/keys/**)":                          {home + "/.ssh/id": true, "~/.ssh/id": true, home + "/x": false},
		"Read(keys)":                              {home + "/.ssh/id": false, "keys/id": true}, // the rule names a file in any directory: only a search for links could find this one
		"Read(src/deep/out/*)":                    {"docs/x": true, "docs/x/y": false},
		`Read(/\k\e\ys/**)`:                       {home + "/.ssh/id": true},
		"Read(/notes.txt)":                        {home + "/.ssh/id": true, home + "/.ssh/other": false},
		"Read(/loop/**)":                          {"loop/x": true, "docs/x": false},
		"Read(/missing/**)":                       {"missing/x": true, "docs/x": false},
	} {
		r, err := Parse(rule, Origin{Root: repo, Home: home})
		if err != nil {
			t.Fatal(err)
		}
		for file, want := range files {
			tried++
			c := Call{Tool: "Read", Dir: repo, Input: wire.Object(`{"file_path":` + string(wire.Quote(file)) + `}`)}
			if got := r.Match(c); got != want {
				t.Errorf("%s matches %s: %v, want %v", rule, file, got, want)
			}
		}
	}
	r, err = Parse("Glob(~/.ssh/**)", Origin{Root: repo, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]bool{root + "/repo/docs/up/**": true, root + "/repo/keys/*": true, root + "/repo/docs/*": false, root + "/repo/harmless/**": false} {
		tried++
		if got := r.Match(Call{Tool: "Glob", Dir: repo, Input: wire.Object(`{"path":"src","pattern":` + string(wire.Quote(pattern)) + `}`)}); got != want {
			t.Errorf("%s matches a search for %s: %v, want %v", r, pattern, got, want)
		}
	}
	t.Logf("%d spellings", tried)
}

// The test is not parallel: it sets foldsCase as on another system.
func TestNamesAreTheSameInOtherLettersWhereTheSystemThinksSo(t *testing.T) {
	defer func(was bool) { foldsCase = was }(foldsCase)
	foldsCase = true
	for file, want := range map[string]bool{".ENV": true, "x/.Env": true, "SRC/.env": true, ".envy": false} {
		if got := fileCall("Read", file, "/Repo").matches(t, "Read(.env)"); got != want {
			t.Errorf("Read(.env) matches %s: %v, want %v", file, got, want)
		}
	}
	if !fileCall("Read", "/REPO/src/a", "/repo").matches(t, "Read(src/**)") || !fileCall("Read", "SRC/A.go", "/repo").matches(t, "Read(src/[A-Z].go)") {
		t.Error("a folder in other letters does not match")
	}
}
