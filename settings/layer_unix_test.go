//go:build unix

package settings_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/snaphook-go/snaphook/settings"
)

func TestFileThatCannotBeReadIsAProblem(t *testing.T) {
	dir := t.TempDir()
	link, loop, socket := filepath.Join(dir, "link"), filepath.Join(dir, "loop"), filepath.Join(dir, "socket")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	if err := os.Symlink(".", filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"none", "none/none", "here/none", "here/none/none"} { // none of them exists
		if _, found, err := (settings.Layer{File: filepath.Join(dir, name)}).Read(); found || err != nil {
			t.Errorf("%s: found %v, %v; want none, and no error", name, found, err)
		}
	}
	for name, want := range map[string]string{
		filepath.Join(link, "a", "settings.json"): "cannot be read: " + link + " is a link to nowhere, which does not exist",
		link:   "cannot be read: it is a link to nowhere, which does not exist",
		loop:   "cannot be read: too many levels of symbolic links",
		socket: "cannot be read: it is not a regular file",
	} {
		_, found, err := settings.Layer{File: name}.Read()
		if got, want := problem(t, err).String(), name+": "+want; got != want || !found {
			t.Errorf("got  %s, found %v\nwant %s", got, found, want)
		}
	}
}

func TestFileThatMayNotBeReadIsAProblem(t *testing.T) {
	name := write(t, "settings.json", "{}")
	if err := os.Chmod(name, 0); err != nil {
		t.Fatal(err)
	}
	_, _, err := settings.Layer{File: name}.Read()
	if os.Getuid() == 0 { // this user may read everything
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
		return
	}
	if got, want := problem(t, err).String(), name+": cannot be read: permission denied"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
