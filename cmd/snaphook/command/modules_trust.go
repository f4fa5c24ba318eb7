package command

import (
	"path/filepath"

	"github.com/snaphook-go/snaphook/jsrun"
	"github.com/snaphook-go/snaphook/jsrun/modules"
)

// moduleScripts finds the files that a module is made of: its own, and those
// that it imports. One that cannot be built is covered all the same; it may be
// built once what it imports has changed, and is made of more then.
func moduleScripts(path string) ([]script, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	files, err := jsrun.Files(path, modules.Packages())
	if err != nil {
		files = []string{path}
	}
	return readScripts(files)
}
