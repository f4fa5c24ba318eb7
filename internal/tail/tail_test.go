package tail_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/snaphook-go/snaphook/internal/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, file, text string, flag int) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// wants reads as many bytes as text has, and fails the test if they differ from text.
func wants(t *testing.T, r io.Reader, text string) {
	t.Helper()
	b := make([]byte, len(text))
	if n, err := io.ReadFull(r, b); err != nil || string(b) != text {
		t.Fatalf("got %q, %v; want %q", b[:n], err, text)
	}
}

func TestAReaderFollowsAFileThroughItsLife(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	name := filepath.Join(t.TempDir(), "r")
	r := tail.New(ctx, name, nil)
	defer func() { _ = r.Close() }()
	write(t, name, "first ", os.O_APPEND) // the file did not exist when the Reader was made
	wants(t, r, "first ")
	write(t, name, "second ", os.O_APPEND)
	wants(t, r, "second ")
	write(t, name, "last", os.O_APPEND)
	if err := os.Rename(name, name+".1"); err != nil {
		t.Skipf("an open file cannot be renamed here: %v", err)
	}
	write(t, name, "of the next", os.O_APPEND)
	wants(t, r, "lastof the next")
	write(t, name, "new", os.O_TRUNC)
	wants(t, r, "new")
	cancel()
	if n, err := r.Read(make([]byte, 8)); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v; want EOF", n, err)
	}
}

func TestRotatedFilesAreOpenedOnceEach(t *testing.T) {
	name := filepath.Join(t.TempDir(), "r")
	for suffix, text := range map[string]string{"": "3", ".1": "2", ".2": "1", ".4": "no"} {
		write(t, name+suffix, text, 0)
	}
	read := func(files []*os.File) string {
		var all strings.Builder
		for _, f := range files {
			if _, err := io.Copy(&all, f); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
		}
		return all.String()
	}
	newest, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = newest.Close() }()
	if got := read(tail.Rotated(name, newest)); got != "12" {
		t.Errorf("got %q, want 12", got)
	}
	for _, move := range [][2]string{{".2", ".3"}, {".1", ".2"}, {"", ".1"}} {
		if err := os.Rename(name+move[0], name+move[1]); err != nil {
			t.Skipf("an open file cannot be renamed here: %v", err)
		}
	}
	write(t, name+".4", "0", os.O_TRUNC)
	if got := read(tail.Rotated(name, newest)); got != "012" {
		t.Errorf("after a rotation: got %q, want 012", got)
	}
	if got := tail.Rotated(name, nil); got != nil {
		t.Errorf("of no file: %v", got)
	}
}
