package project

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/samber/lo"
	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/systems"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
)

// NearMiss is a file that looks like a file with hooks, and that no dialect reads.
type NearMiss struct {
	File    string `json:"file"`
	Message string `json:"message"` // why it is not read, and the remedy
}

// maxNearMisses limits the reported files, and the searched folders.
const maxNearMisses = 200

// maxToldFolders limits how many folders WarnOtherFolders reports.
const maxToldFolders = 3

// moduleFolders lists the folders in which systems like xcsh have modules, and that discovery does not read.
var moduleFolders = []string{
	".pi/extensions", ".pi/hooks", ".pi/hooks/pre", ".pi/hooks/post", ".omp/extensions", ".omp/hooks", ".omp/hooks/pre", ".omp/hooks/post",
	".xcsh/extensions", ".xcsh/hooks",
}

// foreignFiles lists the files in which other systems have their hooks.
var foreignFiles = map[string]string{
	".crush.json": "Crush", "crush.json": "Crush",
	".windsurf/hooks.json": "Windsurf", ".factory/settings.json": "Factory", ".factory/hooks.json": "Factory",
}

// otherNames maps a settings file of a dialect to names that people write by mistake.
var otherNames = map[string][]string{
	".claude/settings.json": {
		".claude/hooks.json", ".claude/setting.json", ".claude/settings.jsonc", ".claude/settings.json5", ".claude/settings.yaml",
		".claude/settings.yml", ".claude/config.json", ".claude/hooks/hooks.json", ".claude.json", "claude/settings.json",
		".claude/hooks/settings.json", ".claude/settings.json.example", ".claude/settings.example.json",
	},
	".llxprt/settings.json": {
		".llxprt/hooks.json", ".llxprt/setting.json", ".llxprt/settings.jsonc", ".llxprt/settings.yaml", ".llxprt/config.json",
		".llxprt/hooks/hooks.json", "llxprt/settings.json",
	},
	".gemini/settings.json": {
		".gemini/hooks.json", ".gemini/setting.json", ".gemini/settings.jsonc", ".gemini/settings.yaml", ".gemini/config.json",
		".gemini/hooks/hooks.json", "gemini/settings.json",
	},
	".codex/hooks.json": {
		".codex/hook.json", ".codex/settings.json", ".codex/hooks/hooks.json", ".codex/hooks.toml", ".codex/config.json", "codex/hooks.json",
	},
	".cursor/hooks.json": {
		".cursor/hook.json", ".cursor/settings.json", ".cursor/hooks/hooks.json", ".cursor/config.json", "cursor/hooks.json",
	},
	".github/hooks/hooks.json": {
		".github/hooks.json", ".github/copilot/hooks.json", ".github/copilot/hooks/hooks.json", ".copilot/hooks.json", ".copilot/hooks/hooks.json",
	},
}

// settingsNames lists the files of a project that the dialects read.
var settingsNames = []string{
	".claude/settings.json", ".claude/settings.local.json", ".llxprt/settings.json", ".gemini/settings.json",
	".codex/hooks.json", ".cursor/hooks.json", ".github/hooks/hooks.json",
}

// UnreadModules returns the modules in folders that discovery does not read, except the modules in found.
func UnreadModules(dir string, found []string) (misses []NearMiss) {
	seen := lo.Map(found, func(file string, _ int) string { abs, _ := filepath.Abs(file); return abs })
	for _, folder := range moduleFolders {
		path := filepath.Join(dir, filepath.FromSlash(folder))
		entries, err := os.ReadDir(path)
		if err != nil {
			continue
		}
		for _, e := range entries[:min(len(entries), maxNearMisses)] {
			file := filepath.Join(path, e.Name())
			if IsModule(e.Name()) && !slices.Contains(seen, file) {
				misses = append(misses, NearMiss{cli.ShortPath(file), fmt.Sprintf(
					"%s is not searched, so this module is not loaded; load it with --module %s, or move it to .xcsh/hooks/pre or .xcsh/hooks/post",
					folder, filepath.ToSlash(cli.ShortPath(file)),
				)})
			}
		}
	}
	return misses
}

// settingsElsewhere returns the settings of the folders above and below dir.
func settingsElsewhere(dir string) (misses []NearMiss) {
	for _, other := range append(ancestors(dir), folders(dir)...) {
		for _, name := range settingsNames {
			file := filepath.Join(dir, filepath.FromSlash(other), filepath.FromSlash(name))
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && len(misses) < maxNearMisses {
				misses = append(misses, NearMiss{cli.ShortPath(file), "settings of another folder are read with --dir " +
					filepath.ToSlash(cli.ShortPath(filepath.Join(dir, filepath.FromSlash(other))))})
			}
		}
	}
	return misses
}

// NearMisses returns the files that the author of a project without hooks may have meant.
func NearMisses(dir string) (misses []NearMiss) {
	there := func(file string) bool {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file)))
		return err == nil && info.Mode().IsRegular()
	}
	add := func(file, format string, args ...any) {
		if len(misses) < maxNearMisses {
			path := cli.ShortPath(filepath.Join(dir, filepath.FromSlash(file)))
			misses = append(misses, NearMiss{path, fmt.Sprintf(format, args...)})
		}
	}
	for _, meant := range settingsNames {
		for _, name := range otherNames[meant] {
			if there(name) {
				add(name, "this file is not read: settings with hooks are in %s", meant)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(foreignFiles)) {
		if there(name) {
			add(name, "these are hooks of %s, which snaphook does not know", foreignFiles[name])
		}
	}
	for _, name := range []string{"hooks/hooks.json", "hooks.json"} {
		if there(name) {
			add(name, "this is the form of a plugin, which is read with --plugin %s", filepath.ToSlash(cli.ShortPath(dir)))
		}
	}
	misses = append(misses, settingsElsewhere(dir)...)
	for _, below := range folders(dir) {
		if file := below + "/hooks/hooks.json"; there(file) {
			add(file, "this is the form of a plugin, which is read with --plugin %s", filepath.ToSlash(cli.ShortPath(filepath.Join(dir, below))))
		}
	}
	return misses
}

// ancestors returns the directories above dir, relative to dir. It omits the home directory, because the settings there
// are the user's.
func ancestors(dir string) (all []string) {
	home, _ := environ.Home()
	for up := ".."; len(all) < 20; up += "/.." {
		at := filepath.Join(dir, filepath.FromSlash(up))
		if at != home {
			all = append(all, up)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return all
}

// folders returns the folders one and two levels below dir, without hidden folders and installed packages.
func folders(dir string) (all []string) {
	home, _ := environ.Home()
	var walk func(at string, depth int)
	walk = func(at string, depth int) {
		entries, err := os.ReadDir(filepath.Join(dir, at))
		if err != nil {
			return
		}
		for _, e := range entries {
			if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || len(all) >= maxNearMisses {
				continue
			}
			below := filepath.ToSlash(filepath.Join(at, e.Name()))
			if filepath.Join(dir, filepath.FromSlash(below)) == home {
				continue // the settings in the home directory are the user's
			}
			if all = append(all, below); depth < 2 {
				walk(below, depth+1)
			}
		}
	}
	walk("", 1)
	return all
}

// LookedAt returns the files that were looked for, whether they exist or not.
func LookedAt(all []*Sources) (files []string) {
	for _, src := range all {
		if src.Dialect.Modules {
			files = append(files, ".xcsh/hooks/pre", ".xcsh/hooks/post")
			continue
		}
		if src.Dialect.Discover == nil {
			continue
		}
		profiles := src.Dialect.Profiles
		if len(profiles) == 0 {
			profiles = []string{""}
		}
		for _, profile := range profiles {
			for _, layer := range src.Dialect.Discover(src.Dir, profile) {
				if layer.File != "" {
					files = append(files, filepath.ToSlash(cli.ShortPath(layer.File)))
				}
			}
		}
	}
	return lo.Uniq(files)
}

// LookedAtText lists the files, in lines of at most 80 columns.
func LookedAtText(files []string) string {
	text, line := "no hook was found in these files:\n", ""
	for i, file := range files {
		file = cli.OneLine(file) + lo.Ternary(i < len(files)-1, ",", "")
		if line != "" && len(line)+len(file) > 79 {
			text, line = text+line+"\n", ""
		}
		line += lo.Ternary(line == "", "  ", " ") + file
	}
	return text + line + "\n"
}

// WarnOtherFolders reports, at a fire or a plan without any hook, folders nearby that have settings.
func (f *SourceFlags) WarnOtherFolders(cmd *cobra.Command, event pipeline.Declared, ses *pipeline.Session) {
	d, err := systems.Named(event.Info().Dialect)
	if err != nil || d.Modules {
		return // WarnUnreadModules reports modules
	}
	dir, err := f.Directory()
	named := len(f.Settings) + len(f.ModuleFiles) + len(f.plugins) + len(f.extensions)
	if err != nil || named+len(ses.Hooks())+len(ses.Problems()) > 0 {
		return
	}
	misses := settingsElsewhere(dir)
	for _, miss := range misses[:min(len(misses), maxToldFolders)] {
		cli.Warn(cmd, "no hook was found in this folder; %s: %s", filepath.ToSlash(miss.File), miss.Message)
	}
}

// WarnUnreadModules reports, at the fire or the plan of an event for modules, that some modules are
// not read.
func (f *SourceFlags) WarnUnreadModules(cmd *cobra.Command) {
	dir, err := f.Directory()
	if err != nil || len(f.ModuleFiles) > 0 {
		return
	}
	for _, miss := range UnreadModules(dir, nil) {
		cli.Warn(cmd, "%s: %s", filepath.ToSlash(miss.File), miss.Message)
	}
}
