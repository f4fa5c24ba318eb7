package systems

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
)

// addition describes a dialect's source of hooks other than its settings: extensions, plugins or modules.
type addition struct {
	Flag  string   // name of the flag: extension, plugin or module
	one   string   // the noun, with its article
	files []string // at least one of these files has to exist
	named bool     // the value may be NAME=DIR
}

// added is one extension or plugin.
type added struct {
	name string // NAME or NAME@MARKETPLACE; empty if none is given
	dir  string // absolute
}

// read reads one value of the flag: DIR or, if named is set, NAME=DIR. A directory with "=" in its
// first element has to begin with "./".
func (k addition) read(value string) (one added, err error) {
	dir := value
	if name, rest, ok := strings.Cut(value, "="); ok && k.named && !strings.ContainsRune(filepath.ToSlash(name), '/') {
		one.name, dir = name, rest
	}
	if one.dir, err = filepath.Abs(dir); err != nil {
		return one, err
	}
	if err := cli.WantDir(one.dir); err != nil {
		return one, err
	}
	return one, k.check(one.dir)
}

// check returns an error if the directory has none of the files of an extension or a plugin.
func (k addition) check(dir string) (err error) {
	for _, file := range k.files {
		if err = cli.WantFile(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
			return nil
		}
	}
	if len(k.files) == 1 {
		return fmt.Errorf("%s: %w", k.files[0], err)
	}
	return fmt.Errorf("neither %s is in this directory; give %s's own directory", strings.Join(k.files, " nor "), k.one)
}
