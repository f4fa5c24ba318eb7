package pipeline_test

import (
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
