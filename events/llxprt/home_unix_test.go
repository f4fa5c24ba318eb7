//go:build unix

package llxprt_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/settings"
)

// Where the project is the home directory, the settings file is read as one layer, however the
// directory is spelled.
func TestTheHomeDirectoryIsOneLayerHoweverItIsSpelled(t *testing.T) {
	root := t.TempDir()
	home, link := filepath.Join(root, "home"), filepath.Join(root, "link")
	if err := errors.Join(os.MkdirAll(filepath.Join(home, ".claude"), 0o755), os.Symlink(home, link), os.Mkdir(filepath.Join(root, "other"), 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	for _, spelled := range []string{home, home + "/", link, root + "/other/../home"} {
		t.Setenv("HOME", spelled)
		for dir, want := range map[string]bool{home: false, home + "/": false, link: false, home + "/.claude/..": false, ".": false, root + "/other": true, home + "/.claude": true} {
			if got := hasUser(llxprt.Discover(dir)); got != want {
				t.Errorf("llxprt, home %q, project %q: a layer of the user's is there: %v, want %v", spelled, dir, got, want)
			}
			if got := hasUser(llxprt.Gemini.Discover(dir)); got != want {
				t.Errorf("gemini, home %q, project %q: a layer of the user's is there: %v, want %v", spelled, dir, got, want)
			}
			if got := hasUser(claude.Discover(dir)); got != want {
				t.Errorf("claude, home %q, project %q: a layer of the user's is there: %v, want %v", spelled, dir, got, want)
			}
		}
	}
}

func hasUser(layers []settings.Layer) bool {
	for _, l := range layers {
		if l.Name == "user" {
			return true
		}
	}
	return false
}
