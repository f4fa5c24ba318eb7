package bounded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneFileHasManyNames(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	if err := errors.Join(os.Mkdir(home, 0o755), os.Mkdir(filepath.Join(home, "sub"), 0o755), os.Mkdir(filepath.Join(dir, "other"), 0o755),
		os.Symlink(home, filepath.Join(dir, "link")), os.Symlink("link", filepath.Join(dir, "again"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(home)
	for name, want := range map[string]bool{
		home: true, home + "/": true, home + "/.": true, home + "/sub/..": true, dir + "/link": true, dir + "/again/": true, dir + "//home": true,
		".": true, "sub/..": true, "../link/sub/..": true, "": true,
		dir + "/other": false, dir: false, home + "/sub": false, dir + "/gone": false,
	} {
		if got := SameFile(home, name); got != want {
			t.Errorf("%q: the same as %q is %v, want %v", name, home, got, want)
		}
	}
	if !SameFile(dir+"/gone/", dir+"/other/../gone") || SameFile(dir+"/gone", dir+"/away") {
		t.Error("what is not there is compared by its path")
	}
}

func TestAFileHasToBeRegularAndSmall(t *testing.T) {
	dir := t.TempDir()
	small, large, sparse := filepath.Join(dir, "small"), filepath.Join(dir, "large"), filepath.Join(dir, "sparse")
	if err := errors.Join(os.WriteFile(small, []byte("12345678"), 0o600), os.WriteFile(large, []byte("123456789"), 0o600),
		os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 3<<30), os.Symlink(small, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{small: nil, filepath.Join(dir, "link"): nil, dir: ErrDirectory, os.DevNull: ErrNotRegular, filepath.Join(dir, "gone"): fs.ErrNotExist} {
		if text, err := ReadFile(t.Context(), name, 8); !errors.Is(err, want) || err == nil && string(text) != "12345678" {
			t.Errorf("%s: %q, %v; want %v", name, text, err, want)
		}
	}
	for name, limit := range map[string]int64{large: 8, sparse: 1 << 20} {
		var over *SizeError
		if text, err := ReadFile(t.Context(), name, limit); !errors.As(err, &over) || over.Limit != limit || text != nil {
			t.Errorf("%s: %d bytes, %v; want an error of its size", name, len(text), err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("it took too long"))
	if _, err := ReadFile(ctx, sparse, 4<<30); err == nil || !strings.Contains(err.Error(), "it took too long") {
		t.Errorf("a reading that has ended: %v", err)
	}
}

func TestALimitIsReadableForPeople(t *testing.T) {
	for limit, want := range map[int64]string{1 << 30: "1 GiB", 3 << 20: "3 MiB", 64 << 10: "64 KiB", 1000: "1000 bytes", 1<<20 + 1: "1048577 bytes"} {
		if got := (&SizeError{limit}).Error(); got != "it is larger than "+want {
			t.Errorf("%d: %q, want %s", limit, got, want)
		}
	}
}
