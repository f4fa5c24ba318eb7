package lint

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/lint.md")

func TestThePageSaysWhatTheRulesSay(t *testing.T) {
	const file = "../../../../docs/lint.md"
	if *update {
		if err := os.WriteFile(file, []byte(Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != Page() {
		t.Errorf("%s is not what the rules say; write it: go test ./cmd/snaphook/internal/lint -update", file)
	}
}
