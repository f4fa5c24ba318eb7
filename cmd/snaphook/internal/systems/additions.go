package systems

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/samber/lo"

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

// Added checks and returns the directories that the flags add to the sources of d.
func (d *Dialect) Added(g Given) (all []added, err error) {
	byFlag := map[string][]string{"extension": g.Extensions, "plugin": g.Plugins}
	for _, other := range All {
		if values := byFlag[other.Adds.Flag]; other.Adds.Flag != d.Adds.Flag && len(values) > 0 {
			return nil, fmt.Errorf(
				"--%s %s: %s has no %[1]ss; write --%[4]s for %[5]s%[6]s",
				other.Adds.Flag,
				values[0],
				d.Name,
				d.Adds.Flag,
				d.Adds.one,
				lo.Ternary(d.Modules, "", "'s directory"),
			)
		}
	}
	for _, value := range byFlag[d.Adds.Flag] {
		one, err := d.Adds.read(value)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", d.Adds.Flag, value, err)
		}
		all = append(all, one)
	}
	return all, nil
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

// PluginOptions returns the options that the flags set, by plugin.
func (d *Dialect) PluginOptions(values []string) (map[string]map[string]any, error) {
	options := map[string]map[string]any{}
	for _, value := range values {
		if d.Adds.Flag != "plugin" {
			return nil, fmt.Errorf("--plugin-option %s: %s has no plugins; leave the flag out", value, d.Name)
		}
		path, text, assigned := strings.Cut(value, "=")
		dot := strings.LastIndexByte(path, '.')
		if !assigned || dot < 1 || dot == len(path)-1 {
			return nil, fmt.Errorf("--plugin-option %s: write NAME.KEY=VALUE, such as fmt.width=100", value)
		}
		name, key := path[:dot], path[dot+1:]
		if options[name] == nil {
			options[name] = map[string]any{}
		}
		options[name][key] = text
	}
	return options, nil
}
