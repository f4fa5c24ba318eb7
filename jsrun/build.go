package jsrun

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/internal/lazyregexp"
)

// BuildError lists the mistakes in the text of a module and of its imports.
type BuildError struct{ Mistakes []Mistake } // at least one

// Mistake is one mistake with its position.
type Mistake struct {
	File         string // relative to the module's directory; empty if there is no position
	Line, Column int    // from 1, columns in bytes
	Message      string
}

// Error returns the first mistake, and the number of the others.
func (e *BuildError) Error() string {
	text := e.Mistakes[0].String()
	if more := len(e.Mistakes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

func (m Mistake) String() string {
	if m.File == "" {
		return m.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Message)
}

// noExport matches esbuild's message for a name that a module with a bare name does not export.
var noExport = lazyregexp.New(`^No matching export in "` + virtual + `:(.+)" for import "(.+)"$`)

const noSuchPart = "$2 of $1 is not available: only the part of it that works without a system and a terminal is there; write import type if it is a type"

func buildError(all []api.Message) *BuildError {
	e := &BuildError{}
	for _, message := range all {
		m := Mistake{Message: noExport.ReplaceAllString(message.Text, noSuchPart)}
		if at := message.Location; at != nil {
			m.File, m.Line, m.Column = at.File, at.Line, at.Column+1
		}
		e.Mistakes = append(e.Mistakes, m)
	}
	return e
}

// Files returns the names of the files of a module: its own file, and all files that it imports. It runs nothing, but
// reads the files as [Open] does, with the Modules, the Root and the Check of opt. The error is a [*BuildError] if the
// module cannot be built; then it cannot be opened either.
func Files(ctx context.Context, path string, opt Options) ([]string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	from, err := newSources(ctx, full, opt)
	if err != nil {
		return nil, err
	}
	build := building(full, opt.library(), from)
	build.Metafile = true
	result, err := buildWithin(ctx, build)
	if err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, buildError(result.Errors)
	}
	var made struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &made); err != nil {
		return nil, fmt.Errorf("the files of %s: %w", path, err)
	}
	var files []string
	for name := range made.Inputs {
		if file := filepath.Join(filepath.Dir(full), filepath.FromSlash(name)); !isVirtual(name) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files, nil
}
