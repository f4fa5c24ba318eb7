package environ

import (
	"os/user"
	"testing"
)

func TestTheHomeDirectoryIsKnownWithoutTheEnvironment(t *testing.T) {
	known, err := user.Current()
	if err != nil {
		t.Skip(err) // the system has no name for the current user
	}
	for given, want := range map[string]string{"/home/ann": "/home/ann", "": known.HomeDir} {
		t.Setenv("HOME", given)
		t.Setenv("USERPROFILE", given)
		if got, err := Home(); got != want || err != nil {
			t.Errorf("HOME=%q: %q, %v; want %q", given, got, err, want)
		}
	}
}
