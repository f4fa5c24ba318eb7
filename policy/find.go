package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/settings"
)

// Source is where overlays come from. The zero Source has none.
type Source struct {
	// Overlays are the program's own. Each counts before the file of its level.
	Overlays []Overlay

	// Discover reads the files of the machine, of the user and of the project's
	// directory: [Files]. Those that are not there demand nothing.
	Discover bool

	// Files are read in place of those that would be found, by level; they have
	// to be there.
	Files map[Level]string
}

// FileName is the name of a project's overlay.
const FileName = ".snaphook.json"

// Files returns where the overlays of a project's directory are looked for: in
// it, in the user's directory for configuration, which XDG_CONFIG_HOME names,
// and in the machine's.
func Files(dir string) map[Level]string {
	files := map[Level]string{Machine: machineFile(), Project: filepath.Join(dir, FileName)}
	if config := configDir(); config != "" {
		files[User] = filepath.Join(config, "snaphook", "config.json")
	}
	return files
}

func machineFile() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "snaphook", "config.json")
	}
	return "/etc/snaphook/config.json"
}

// configDir is the user's; a relative XDG_CONFIG_HOME does not count, as the
// standard says.
func configDir() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home, err := environ.Home()
	if err != nil || home == "" {
		return ""
	}
	return filepath.Join(home, ".config")
}

// Load reads the overlays for a project's directory. If there is a problem,
// each is fatal, and there is no set: a policy that is half known protects
// nothing. A set that demands nothing is nil. In a directory that is not trusted
// the project's overlay is for the project's own hooks alone.
func (s Source) Load(dir string, untrusted bool) (*Set, []settings.Problem) {
	set := &Set{untrusted: untrusted}
	problems := s.add(set)
	files := map[Level]string{}
	if s.Discover {
		files = Files(dir)
	}
	for level := range files {
		if _, replaced := s.Files[level]; replaced {
			delete(files, level)
		}
	}
	for level := Machine; level <= Project; level++ {
		file, wanted := s.Files[level]
		if !wanted {
			file = files[level]
		}
		if file == "" {
			continue
		}
		text, found, err := settings.Layer{File: file}.Text()
		if !found && err == nil {
			if wanted {
				problems = append(problems, missing(level, file))
			}
			continue
		}
		var o *Overlay
		var wrong []settings.Problem
		if err != nil {
			o, wrong = fromValue(level, file, settings.Value{}, err)
		} else {
			o, wrong = Parse(level, file, text)
		}
		problems = append(problems, wrong...)
		if o != nil {
			set.overlays = append(set.overlays, o)
		}
	}
	if len(problems) > 0 || len(set.overlays) == 0 {
		return nil, problems
	}
	slices.SortStableFunc(set.overlays, func(a, b *Overlay) int { return int(a.Level) - int(b.Level) })
	return set, nil
}

// add takes the program's own overlays.
func (s Source) add(set *Set) (problems []settings.Problem) {
	for i := range s.Overlays {
		o := s.Overlays[i]
		set.overlays = append(set.overlays, &o)
		problems = append(problems, o.validate()...)
	}
	return problems
}

func missing(level Level, file string) settings.Problem {
	return settings.Problem{
		Message: fmt.Sprintf("%s: the %s's policy is not there; give a file that exists", file, level),
		Fatal:   true,
	}
}
