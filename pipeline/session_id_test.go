package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/pipeline"
)

func TestAnIDThatNoHookCouldGetIsRefused(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet})
	defer sys.Close()
	for id, fine := range map[string]bool{"": true, "a b/ü": true, strings.Repeat("x", 4096): true, strings.Repeat("x", 1<<20): false, "a\x00b": false} {
		if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{ID: id}); (err == nil) != fine {
			t.Errorf("%.10q (%d bytes): got %v, want fine: %v", id, len(id), err, fine)
		}
	}
}

func TestADirectoryThatDoesNotExistIsRefused(t *testing.T) {
	sys := pipeline.NewSystem(pipeline.Config{Log: quiet})
	defer sys.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file + "s": "does not exist", file: "is not a directory"} {
		if _, err := sys.NewSession(t.Context(), pipeline.SessionConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v; want an error with its name and %q", dir, err, want)
		}
	}
}
