package project

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// mostModuleFiles limits the files in a folder of modules.
const mostModuleFiles = 10_000

// moduleFiles returns the files that may belong to a module. It does not run the module, which may be untrusted. If the
// module may import files, all files below its [modules.Root] that a module can import are returned too.
func moduleFiles(ctx context.Context, path string) ([]string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	text, err := bounded.ReadFile(ctx, path, jsrun.MaxFile)
	if err != nil || importsFiles(text) {
		more, err := importable(ctx, modules.Root(path))
		if err != nil {
			return nil, err
		}
		files = append(files, lo.Without(more, path)...)
	}
	return files, nil
}

// importsFiles reports whether a module may import anything. It recognizes names that are written
// with escapes.
func importsFiles(text []byte) bool {
	return slices.ContainsFunc(
		[]string{"import", "require", "from", `\u`},
		func(word string) bool { return bytes.Contains(text, []byte(word)) },
	)
}

// importable returns the files below a directory that a module can import.
func importable(ctx context.Context, root string) (files []string, err error) {
	seen := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if seen++; seen > mostModuleFiles {
			return fmt.Errorf(
				"%s holds more than %d files; move the modules into a folder of their own",
				root,
				mostModuleFiles,
			)
		}
		ext := strings.ToLower(filepath.Ext(path))
		if err == nil && !entry.IsDir() && (ext == ".json" || slices.Contains(modules.Extensions, ext)) {
			files = append(files, path)
		}
		return ctx.Err() // nothing can be imported from a directory that cannot be read
	})
	return files, err
}
