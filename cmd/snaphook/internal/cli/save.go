package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// SaveFile replaces a regular file as a whole; it writes in place to any other file, such as
// /dev/stdout or a pipe.
func SaveFile(path string, text []byte, mode fs.FileMode) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && !isFolder(filepath.Dir(path)):
		return fmt.Errorf("there is no directory %s; make the directory, or name a file in another directory", filepath.Dir(path))
	case err != nil || info.Mode().IsRegular():
		return maybe.WriteFile(path, text, mode)
	case info.IsDir():
		return errors.New("this is a directory; name a file in the directory")
	}
	return os.WriteFile(path, text, mode)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadUntil reads a file or a pipe of at most limit bytes, until ctx ends.
func ReadUntil(ctx context.Context, path string, limit int64) (text []byte, err error) {
	file, err := OpenUntil(ctx, path)
	if err != nil {
		return nil, err
	}
	in := &Interruptible{Ctx: ctx, In: file}
	defer in.Close()
	err = bounded.Copy(ctx, in, limit, func(part []byte) { text = append(text, part...) })
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}
