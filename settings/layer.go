package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
)

// Layer is one settings file, with its rank.
type Layer struct {
	Name   string      // for people: "project settings"
	Source hook.Source // its rank, for the code that merges the layers
	File   string      // path; also the name in positions
	Data   []byte      // the text of the file; nil means that File is read
	Strict bool        // plain JSON only, see [ParseStrict]

	// Format converts the text of a file in another format to JSON, within the same limits of size and nesting. It
	// returns a [FormatError] if the position is known. Nil: the file is JSON.
	Format func(text []byte) (Converted, error)
}

// Text reads the layer without parsing it; see Read.
func (l Layer) Text() (text []byte, found bool, err error) {
	if l.Data != nil {
		return l.Data, true, nil
	}
	text, err = readFile(l.File)
	switch large := new(bounded.SizeError); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.As(err, &large):
		return nil, true, tooLong(l.File)
	case err != nil:
		return nil, true, fatal(hook.Position{File: l.File}, "cannot be read: %v", withoutPath(err))
	}
	return text, true, nil
}

// Read reads and parses the layer. If the file does not exist, found is false and err is nil. If it
// exists but cannot be read, is not a regular file or cannot be parsed, found is true, and err is a
// fatal [Problem] that names it.
func (l Layer) Read() (v Value, found bool, err error) {
	data, found, err := l.Text()
	if !found || err != nil {
		return Value{}, found, err
	}
	if l.Format != nil {
		v, err = l.convert(data)
		return v, true, err
	}
	v, err = parse(l.File, data, l.Strict)
	return v, true, err
}

// Read reads all layers at once. values[i] belongs to layers[i]; it is the zero Value if the file is missing or has a
// problem. Problems are in the order of the layers, at most one for each. An empty file, or one with only comments, is
// a fatal problem: it may be half written, and its guards would be lost.
func Read(layers []Layer) (values []Value, problems []Problem) {
	values = make([]Value, len(layers))
	errs := make([]error, len(layers))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, layer := range layers {
		// The error of one file must not cancel the reading of the others.
		g.Go(func() error {
			values[i], _, errs[i] = layer.Read()
			return nil
		})
	}
	_ = g.Wait()
	for i, err := range errs {
		if problem, ok := errors.AsType[Problem](err); ok {
			problems = append(problems, problem)
		} else if values[i].blank() {
			problems = append(problems, fatal(hook.Position{File: layers[i].File, Line: 1, Column: 1},
				"the file is empty, and may be half written; write {} to set nothing, or remove it"))
			values[i] = Value{}
		}
	}
	return values, problems
}

// readFile reads a regular file up to the size limit.
func readFile(name string) ([]byte, error) {
	text, err := bounded.ReadFile(context.Background(), name, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		if link := brokenLink(name); link != nil {
			return nil, link
		}
	}
	return text, err
}

// brokenLink returns an error if a file is missing because its path, or a folder above it, is a link to a missing
// target: the user meant settings to be there. Nil: there is no such link.
func brokenLink(name string) error {
	for at := filepath.Clean(name); ; at = filepath.Dir(at) {
		target, err := os.Readlink(at)
		if err == nil {
			if _, broken := os.Stat(at); broken == nil {
				return nil
			}
		}
		switch {
		case err == nil && at == filepath.Clean(name):
			return fmt.Errorf("it is a link to %s, which does not exist", target)
		case err == nil:
			return fmt.Errorf("%s is a link to %s, which does not exist", at, target)
		case !errors.Is(err, fs.ErrNotExist): // the nearest existing path is not a link
			return nil
		}
		if filepath.Dir(at) == at {
			return nil
		}
	}
}

// withoutPath removes the operation and the file's name from an error, because the problem's position already has the
// name.
func withoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
