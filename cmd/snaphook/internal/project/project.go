package project

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/policy"
)

// hookFiles lists the files in a hook system's folder that may have hooks of a project.
var hookFiles = []string{
	"settings.json", "settings.local.json", "hooks.json", "config.toml", "hooks", "copilot/settings.json", "copilot/settings.local.json",
}

// projectFiles returns the files and folders in which a directory can have hooks of a project, relative to it.
func projectFiles() (files []string) {
	for _, d := range systems.All {
		for _, mark := range d.Marks {
			if mark[0] == '.' { // the other marks name files of the machine, not of a project
				for _, name := range hookFiles {
					files = append(files, filepath.Join(mark, filepath.FromSlash(name)))
				}
			}
		}
	}
	return append(files, filepath.Join(".xcsh", "hooks"), policy.FileName)
}

// hasProject reports whether a directory has a project's hooks or a policy for hooks.
func hasProject(dir string) bool {
	return slices.ContainsFunc(projectFiles(), func(file string) bool {
		_, err := os.Stat(filepath.Join(dir, file))
		return err == nil
	})
}

// Find returns the directory of the project that dir belongs to, by the rules of the hook systems: dir itself if it has
// settings, else the nearest directory above it that has some, up to the root of the git repository. Outside of a
// repository Find returns dir. The search ends at the home directory, whose settings are the user's, and at a directory
// of another user, who could otherwise make this user run hooks.
func Find(dir string) string {
	if hasProject(dir) {
		return dir
	}
	home, _ := environ.Home()
	found := ""
	for at := dir; ownedAlike(at, dir) && at != home; at = filepath.Dir(at) {
		if found == "" && hasProject(at) {
			found = at
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return lo.CoalesceOrEmpty(found, dir)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}
