package tests

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/hook"
)

// copyPaths translates paths of a project's copy into paths of the project. Users do not know the copy.
type copyPaths struct{ dir, project string }

// file returns the project's path for a file of the copy.
func (c copyPaths) file(file string) string {
	if below, err := filepath.Rel(c.dir, file); err == nil && filepath.IsLocal(below) {
		return cli.ShortPath(filepath.Join(c.project, below))
	}
	return cli.ShortPath(file)
}

// text returns a text with the paths of the project.
func (c copyPaths) text(text string) string {
	below := string(filepath.Separator)
	if at := cli.ShortPath(c.project); at != "." {
		return strings.ReplaceAll(text, c.dir+below, at+below)
	}
	return strings.ReplaceAll(text, c.dir+below, "")
}

// err returns an error whose text has the paths of the project.
func (c copyPaths) err(err error) error {
	if text := err.Error(); strings.Contains(text, c.dir) {
		return errors.New(c.text(text))
	}
	return err
}

// hook returns a hook with the paths of the project in place of the paths of the project's copy.
func (c copyPaths) hook(h *hook.Hook) *hook.Hook {
	if !strings.Contains(h.ID+h.Command+h.Position.File, c.dir) {
		return h
	}
	own := *h
	own.ID, own.Command = c.text(h.ID), c.text(h.Command)
	own.Position.File = c.file(h.Position.File)
	return &own
}
