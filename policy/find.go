package policy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/settings"
)

// Source describes where overlays come from. The zero Source has no overlays.
type Source struct {
	// Overlays are set by the program. The file of the same level has precedence over them. Among Overlays, a later
	// overlay has precedence over an earlier one.
	Overlays []Overlay

	// Discover reads the files at the paths of [Files]: the machine's, the user's and the project's. Files may be missing.
	Discover bool

	// Files are read in place of the files that Discover finds; they have to exist.
	Files map[Level]string

	texts map[string]overlayText // texts that [Source.Once] has read, by file
}

// overlayText is the content of an overlay's file.
type overlayText struct {
	data  []byte
	found bool
	err   error
}

// Once reads the files for a project's directory. The Source that it returns always uses these contents, even if the
// files change.
func (s Source) Once(dir string) Source {
	files := s.files(dir)
	s.texts = map[string]overlayText{}
	for _, file := range files {
		s.texts[file] = readOverlay(file)
	}
	return s
}

// Project returns the overlay of a project's directory, as a value and as a set. Both are zero if the file does not
// exist.
func (s Source) Project(dir string) (v settings.Value, set *Set, err error) {
	file := s.files(dir)[Project]
	if file == "" {
		return v, nil, nil
	}
	text := s.text(file)
	if !text.found || text.err != nil {
		return v, nil, text.err
	}
	if v, err = settings.Parse(file, text.data); err != nil {
		return v, nil, err
	}
	if o, wrong := Parse(Project, file, text.data); len(wrong) == 0 && o != nil {
		set = &Set{overlays: []*Overlay{o}}
	}
	return v, set, nil
}

// IsProjects reports whether an overlay's file lies in a project's directory, by its path or after resolving links. If
// so, users who can write in the directory can change its rules.
func IsProjects(dir, file string) bool {
	if file == "" {
		return false
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return true // in doubt the file counts as the project's
	}
	linked := filepath.Join(resolved(filepath.Dir(file)), filepath.Base(file))
	return isBelow(dir, file) || isBelow(resolved(dir), linked) || isBelow(resolved(dir), resolved(file))
}

func isBelow(dir, file string) bool {
	below, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(below)
}

// resolved returns a path without symbolic links, or the path itself if its target is missing.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// files returns the paths of a directory's overlays, by level.
func (s Source) files(dir string) map[Level]string {
	files := map[Level]string{}
	if s.Discover {
		files = Files(dir)
	}
	maps.Copy(files, s.Files)
	return files
}

func (s Source) text(file string) overlayText {
	if text, known := s.texts[file]; known {
		return text
	}
	return readOverlay(file)
}

func readOverlay(file string) overlayText {
	data, found, err := settings.Layer{File: file}.Text()
	return overlayText{data, found, err}
}

// FileName is the name of a project's overlay.
const FileName = ".snaphook.json"

// Files returns the paths of the overlays for a project's directory: in the directory, in the user's configuration
// directory (XDG_CONFIG_HOME), and in the machine's.
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

// configDir returns the user's configuration directory. It ignores a relative XDG_CONFIG_HOME, as the XDG standard
// demands.
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

// Load reads the overlays for a project's directory. If there is any problem, it returns no set, because an incomplete
// policy protects nothing. Without overlays, the set is nil. In a directory that is not trusted, the project's overlay
// applies only to the project's own hooks.
func (s Source) Load(dir string, untrusted bool) (*Set, []settings.Problem) {
	set := &Set{untrusted: untrusted}
	problems := s.add(set)
	files := s.files(dir)
	for level := Machine; level <= Project; level++ {
		file := files[level]
		if file == "" {
			continue
		}
		_, wanted := s.Files[level]
		text := s.text(file)
		if !text.found && text.err == nil {
			if wanted {
				problems = append(problems, missing(level, file))
			}
			continue
		}
		var o *Overlay
		var wrong []settings.Problem
		if text.err != nil {
			o, wrong = fromValue(level, file, settings.Value{}, text.err)
		} else {
			o, wrong = Parse(level, file, text.data)
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

// add adds the program's own overlays to set.
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
