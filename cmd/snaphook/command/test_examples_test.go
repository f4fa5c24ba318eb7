package command

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/fixture"
)

// exampleFixtures lists the fixtures of the examples, with the flags that they need.
var exampleFixtures = map[string][]string{
	"quickstart/hooks/guard.hooktest.json": {"--dir", "quickstart", "--coverage", "--min", "100"},
	"xcsh/permission-gate.hooktest.json":   {"--dir", "xcsh", "--module", "xcsh/permission-gate.ts"},
}

func TestExamplesHoldTheirFixtures(t *testing.T) {
	examples := filepath.Join("..", "..", "..", "examples")
	var there []string
	err := filepath.WalkDir(examples, func(path string, _ fs.DirEntry, err error) error {
		if slices.ContainsFunc(fixture.Suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
			below, _ := filepath.Rel(examples, path)
			there = append(there, filepath.ToSlash(below))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		t.Run(file, func(t *testing.T) {
			given, known := exampleFixtures[file]
			if !known {
				t.Fatal("it is new: say in exampleFixtures with which flags it runs")
			}
			args := []string{"test", filepath.Join(examples, file)}
			for i, arg := range given {
				if i > 0 && (given[i-1] == "--dir" || given[i-1] == "--module") {
					arg = filepath.Join(examples, arg)
				}
				args = append(args, arg)
			}
			status, out, err := execute(t, args...)
			if err != nil || status != 0 || !strings.HasSuffix(out, " passed, 0 failed\n") {
				t.Errorf("status %d, %v\n%s", status, err, out)
			}
		})
	}
}

// execute runs a verb in this process.
func execute(t *testing.T, args ...string) (status int, out string, err error) {
	t.Helper()
	var b bytes.Buffer
	f := &cli.Global{}
	root := newRoot(f)
	root.SetArgs(args)
	root.SetOut(&b)
	root.SetErr(&b)
	root.SilenceUsage, root.SilenceErrors = true, true
	err = root.ExecuteContext(t.Context())
	return f.Status, b.String(), err
}
