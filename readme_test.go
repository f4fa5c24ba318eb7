package snaphook_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/events/llxprt"
	"github.com/snaphook-go/snaphook/pipeline"
)

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The Go code in the README is the body of Example, which compiles and runs.
func TestReadmeShowsTheExample(t *testing.T) {
	_, code, found := strings.Cut(read(t, "README.md"), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("the README has no Go code")
	}
	body := "\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n\t")
	body = strings.ReplaceAll(body, "\n\t\n", "\n\n")
	if !strings.Contains(read(t, "example_test.go"), body) {
		t.Errorf("the README's Go code is not the body of Example:\n%s", body)
	}
}

// The table of events in docs/llxprt.md agrees with the declarations.
func TestPageListsTheEventsOfLLxprt(t *testing.T) {
	page := read(t, "docs/llxprt.md")
	for _, e := range pipeline.Events(llxprt.Dialect) {
		info := e.Info()
		row := fmt.Sprintf("| %s | %s | %s | %s |", info.Name, info.Doc, info.Subject, strings.Join(info.Can.Words(), ", "))
		if row = strings.ReplaceAll(row, "|  |", "| |"); !strings.Contains(page, strings.ReplaceAll(row, "|  |", "| |")) {
			t.Errorf("docs/llxprt.md has no row\n%s", row)
		}
	}
}
