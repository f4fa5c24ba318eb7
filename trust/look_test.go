package trust

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAFileThatChangesWhileTrustReadsTheProjectMustStayAbsent(t *testing.T) {
	for name, change := range map[string]func(path string) (before, after func() error){
		"it goes after the look at its links": func(path string) (before, after func() error) {
			return func() error { return os.WriteFile(path, nil, 0o600) }, func() error { return os.Remove(path) }
		},
		"it comes after the look at its links": func(path string) (before, after func() error) {
			return func() error { return nil }, func() error { return os.WriteFile(path, nil, 0o600) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "guard.sh")
			before, after := change(path)
			if err := before(); err != nil {
				t.Fatal(err)
			}
			c := newCollector(t.Context(), dir, []string{})
			c.has, c.gone = map[string]bool{}, map[string]bool{}
			_, _ = c.real(path)
			if err := after(); err != nil {
				t.Fatal(err)
			}
			if _, err := c.add(path); err != nil {
				t.Fatal(err)
			}
			if c.has[path] || !slices.Equal(c.not, []string{path}) {
				t.Errorf("covered: %v; must stay absent: %q", c.has[path], c.not)
			}
		})
	}
}
