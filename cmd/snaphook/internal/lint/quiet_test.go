package lint

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// The linter finds nothing but notes in testdata/quiet: projects of public hook sets whose hooks work.
func TestHooksThatWorkHaveNoFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/quiet/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	path := programPath(t)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		projects, order := map[string]*corpusCase{}, []string{}
		for _, f := range archive.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if projects[name] == nil {
				projects[name] = newCase(name, string(archive.Comment))
				order = append(order, name)
			}
			projects[name].clean[rest] = strings.ReplaceAll(string(f.Data), `\r`+"\n", "\r\n")
		}
		for _, name := range order {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				c := projects[name]
				for _, f := range c.check(t, c.write(t, "clean", c.clean), path) {
					if f.Severity != Note {
						t.Errorf("found:%s", listed([]Finding{f}))
					}
				}
			})
		}
	}
}
