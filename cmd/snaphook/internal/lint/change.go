package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2/maybe"
	"github.com/rogpeppe/go-internal/diff"
)

// Change holds the fixes of one file.
type Change struct {
	File             string // absolute, after links are resolved
	Old, New         []byte
	OldMode, NewMode fs.FileMode // permissions
}

func (c Change) changes() bool { return c.OldMode != c.NewMode || !bytes.Equal(c.Old, c.New) }

// Write replaces the file as a whole, and sets its permissions.
func (c Change) Write() error {
	if !bytes.Equal(c.Old, c.New) {
		if err := maybe.WriteFile(c.File, c.New, c.NewMode); err != nil {
			return err
		}
	}
	return os.Chmod(c.File, c.NewMode) // the umask does not apply to the file's own mode
}

// Diff returns the change in the unified format of Git, which `git apply` and `patch -p1` read. Names are
// relative to a directory if the file is below it.
func (c Change) Diff(dir string) string {
	name := c.File
	if root, err := filepath.EvalSymlinks(dir); err == nil {
		if below, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(below) {
			name = below
		}
	}
	name = strings.TrimPrefix(filepath.ToSlash(name), "/")
	before, after := quoteName("a/"+name), quoteName("b/"+name)
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git %s %s\n", before, after)
	if c.OldMode != c.NewMode {
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", gitMode(c.OldMode), gitMode(c.NewMode))
	}
	end := ""
	if strings.Contains(name, " ") {
		end = "\t" // without a tab, the name would end at its first blank
	}
	_, text, _ := bytes.Cut(diff.Diff(before+end, c.Old, after+end, c.New), []byte("\n")) // without the first line, which repeats the command diff
	b.Write(text)
	return b.String()
}

// gitMode returns the mode of a file as Git keeps it.
func gitMode(mode fs.FileMode) string {
	if mode&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

// quoteName quotes a name that contains a control character, a quote or a backslash, as Git does.
func quoteName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F || r == '"' || r == '\\' }) {
		return strconv.Quote(name)
	}
	return name
}
