package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

// plugin is one installation of a plugin.
type plugin struct {
	Scope       string `json:"scope"`
	InstallPath string `json:"installPath"`
	ProjectPath string `json:"projectPath"` // the project, for scopes other than user
}

// maxList limits the size of the list of installed plugins, in bytes.
const maxList = 16 << 20

// installed reads from the list of installed plugins those for a place, sorted by name. The file has two versions: one
// installation for each name, or a list of them.
func installed(ctx context.Context, at Place) ([]plugin, error) {
	file := filepath.Join(at.Home, ".claude", "plugins", "installed_plugins.json")
	text, err := bounded.ReadFile(ctx, file, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Plugins map[string]jsontext.Value `json:"plugins"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []plugin
	for _, name := range slices.Sorted(maps.Keys(list.Plugins)) {
		some, err := installations(list.Plugins[name])
		if err != nil {
			return nil, fmt.Errorf("%s: plugin %q: %w", file, name, err)
		}
		all = append(all, some...)
	}
	return slices.DeleteFunc(all, func(p plugin) bool { return !p.isFor(at) }), nil
}

func installations(value jsontext.Value) ([]plugin, error) {
	some := make([]plugin, 1)
	var to any = &some[0]
	if value.Kind() == '[' {
		to = &some
	}
	err := json.Unmarshal(value, to)
	for i := range some {
		some[i].Scope = cmp.Or(some[i].Scope, "user")
	}
	return some, err
}

func (p *plugin) isFor(at Place) bool {
	return filepath.IsAbs(p.InstallPath) &&
		(p.ProjectPath == "" || filepath.Clean(p.ProjectPath) == filepath.Clean(at.Cwd))
}
