package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

// Global holds the flags that the root command defines for every verb, and the
// exit status of the process.
type Global struct {
	Status  int // the exit status of a verb that returned no error
	Dir     string
	Verbose bool
}

// Directory returns the absolute path of the project: --dir, or the current directory. It is an
// error if the directory does not exist.
func (g *Global) Directory() (string, error) {
	dir, err := filepath.Abs(g.Dir)
	if err != nil {
		return "", fmt.Errorf("the current directory: %w; give one with --dir", err)
	}
	if err := WantDir(dir); err != nil {
		return "", fmt.Errorf("--dir %s: %w", g.Dir, err)
	}
	return dir, nil
}

// JSONFlag is the flag --json of the verbs that have an answer for programs.
type JSONFlag struct {
	JSON bool
}

// AddJSON adds the flag of the verbs that have an answer for programs.
func (f *JSONFlag) AddJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.JSON, "json", false, "Answer with one JSON document: --json | jq .")
}
