package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// sources are the settings of one dialect for one directory.
type sources struct {
	dialect *dialect
	dir     string // absolute
	layers  []settings.Layer
	load    pipeline.Load
}

// sources finds out where the settings of a dialect come from.
func (f *flags) sources(d *dialect) (*sources, error) {
	dir, err := f.directory()
	if err != nil {
		return nil, err
	}
	layers, err := f.layers(d, dir)
	if err != nil {
		return nil, err
	}
	if len(f.plugins) > 0 {
		return nil, fmt.Errorf("--plugin %s: %s has no plugins; write --extension for an extension's directory", f.plugins[0], d.Name)
	}
	extensions, err := extensionDirs(f.extensions)
	if err != nil {
		return nil, err
	}
	return &sources{dialect: d, dir: dir, layers: layers, load: d.load(layers, extensions)}, nil
}

// directory is the project's.
func (f *flags) directory() (string, error) {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return "", fmt.Errorf("the current directory: %w; give one with --dir", err)
	}
	if err := wantDir(dir); err != nil {
		return "", fmt.Errorf("--dir %s: %w", f.dir, err)
	}
	return dir, nil
}

func (f *flags) layers(d *dialect, dir string) (layers []settings.Layer, err error) {
	if len(f.settings) == 0 {
		return lo.Map(d.discover(dir), func(l settings.Layer, _ int) settings.Layer {
			l.File = short(l.File)
			return l
		}), nil
	}
	for _, value := range f.settings {
		layer, err := d.layer(value)
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	return layers, nil
}

// short gives a path relative to the current directory if the file is below
// it, as compilers do.
func short(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if below, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}

func extensionDirs(given []string) (dirs []string, err error) {
	for _, value := range given {
		dir, err := filepath.Abs(value)
		if err == nil {
			err = wantDir(dir)
		}
		if err == nil {
			if err = wantFile(filepath.Join(dir, "hooks", "hooks.json")); err != nil {
				err = fmt.Errorf("hooks/hooks.json: %w", err)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--extension %s: %w", value, err)
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

func wantDir(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such directory; give one that exists")
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("this is not a directory; give one")
	}
	return nil
}

// wantFile refuses what is not there. A file that is unsuitable in other ways
// is the settings reader's to explain.
func wantFile(path string) error {
	if path == "" {
		return errors.New("the name of the file is missing")
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file; give one that exists")
	}
	return err
}

// projectHooks are those that the directory itself brings.
func projectHooks(loaded pipeline.Loaded) []*hook.Hook {
	return lo.Filter(loaded.Hooks, func(h *hook.Hook, _ int) bool { return h.Source == hook.Project })
}

// unreadable gives the settings files of which nothing can be used, as one
// error, or nil.
func unreadable(problems []settings.Problem) error {
	var errs []error
	for _, p := range problems {
		if p.Fatal {
			errs = append(errs, p)
		}
	}
	return errors.Join(errs...)
}
