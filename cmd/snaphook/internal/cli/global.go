package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// Global holds the flags that the root command defines for every verb, and the
// exit status of the process.
type Global struct {
	Status  int // exit status of a verb that returned no error
	Dir     string
	Verbose bool
	Release string // version of the program

	// Find returns the project to which the directory belongs. If Find is nil, the directory is the project.
	Find func(dir string) string

	found string // the result of Find
}

// Directory returns the absolute path of the project: --dir, or the project of the current
// directory. If the project is in a directory above the current one, Directory prints the path on
// standard error. It returns an error if the directory does not exist.
func (g *Global) Directory() (string, error) {
	if g.found != "" {
		return g.found, nil
	}
	dir, err := filepath.Abs(g.Dir)
	if err != nil {
		return "", fmt.Errorf("the current directory: %w; give one with --dir", err)
	}
	if err := WantDir(dir); err != nil {
		return "", fmt.Errorf("--dir %s: %w", g.Dir, err)
	}
	if g.Dir != "" || g.Find == nil {
		return dir, nil
	}
	if g.found = g.Find(dir); g.found != dir {
		fmt.Fprintf(os.Stderr, "project: %s, the nearest parent directory with settings; --dir . selects the current directory\n",
			OneLine(filepath.ToSlash(g.found)))
	}
	return g.found, nil
}

// JSONFlag holds the flag --json of the verbs that have an answer for programs.
type JSONFlag struct {
	JSON bool
}

// AddJSON adds the flag --json.
func (f *JSONFlag) AddJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.JSON, "json", false, "Answer with one JSON document: --json | jq .")
}
