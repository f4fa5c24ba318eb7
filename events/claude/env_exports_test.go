package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snaphook-go/snaphook/events/claude"
)

func envFiles(t *testing.T, texts ...string) (files []string) {
	dir := t.TempDir()
	for i, text := range texts {
		file := filepath.Join(dir, string(rune('a'+i))+" file.sh")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func TestExportedGivesWhatFilesAddAndChange(t *testing.T) {
	for name, tt := range map[string]struct {
		texts []string
		want  map[string]string
	}{
		"a plain export":      {[]string{"export A=1\n"}, map[string]string{"A": "1"}},
		"the last file wins":  {[]string{"export A=1 B='x y'", "export A=2"}, map[string]string{"A": "2", "B": "x y"}},
		"lines in a value":    {[]string{"export A='one\ntwo=2\n'"}, map[string]string{"A": "one\ntwo=2\n"}},
		"what was there":      {[]string{"export OLD=same"}, map[string]string{}},
		"a change":            {[]string{`export OLD="$OLD+"`}, map[string]string{"OLD": "same+"}},
		"no export":           {[]string{"A=1"}, map[string]string{}},
		"what files print":    {[]string{"echo NOISE=1; export A=1"}, map[string]string{"A": "1"}},
		"the search path":     {[]string{"export PATH=/nowhere"}, map[string]string{"PATH": "/nowhere"}},
		"a change of place":   {[]string{"cd /; export A=1"}, map[string]string{"A": "1"}},
		"a variable is gone":  {[]string{"unset OLD"}, map[string]string{}},
		"a command that ends": {[]string{"false", "export A=1"}, map[string]string{"A": "1"}},
	} {
		got, err := claude.Exported(t.Context(), envFiles(t, tt.texts...), []string{"PATH=" + os.Getenv("PATH"), "OLD=same", "BASH_ENV=/nowhere"})
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestExportedOfNothingStartsNothing(t *testing.T) {
	if got, err := claude.Exported(t.Context(), nil, nil); got != nil || err != nil {
		t.Errorf("got %v, %v; want nothing", got, err)
	}
}

func TestAFileThatEndsTheShellIsAnError(t *testing.T) {
	_, err := claude.Exported(t.Context(), envFiles(t, "echo bye >&2; exit 0"), os.Environ())
	if err == nil || !strings.Contains(err.Error(), "ended the shell: bye") {
		t.Errorf("got %v, want the end of the shell, and what it said", err)
	}
}
