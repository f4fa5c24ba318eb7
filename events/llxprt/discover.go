package llxprt

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Discover returns the layers of a project directory: .llxprt/settings.json in it, in the user's
// home directory, and the system's: /etc/llxprt-code/settings.json or its like, or the file that
// the variable LLXPRT_SYSTEM_SETTINGS_PATH names.
func Discover(dir string) []settings.Layer { return LLxprt.Discover(dir) }

// Discover returns the layers of a project directory where the profile keeps them. For Gemini
// they are .gemini/settings.json in the directory and in the user's home directory, and the
// system's settings.json and system-defaults.json in /etc/gemini-cli or its like, or the files
// that the variables GEMINI_CLI_SYSTEM_SETTINGS_PATH and GEMINI_CLI_SYSTEM_DEFAULTS_PATH name.
// For Found it checks which files exist, see [Find].
func (p Profile) Discover(dir string) []settings.Layer {
	if p == Found {
		p, _ = Find(dir)
	}
	folder := ".llxprt"
	if p == Gemini {
		folder = ".gemini"
	}
	layers := []settings.Layer{
		{Name: "project", Source: hook.Project, File: filepath.Join(dir, folder, "settings.json")},
	}
	if home, err := environ.Home(); err == nil && !bounded.SameFile(home, dir) {
		layers = append(
			layers,
			settings.Layer{Name: "user", Source: hook.User, File: filepath.Join(home, folder, "settings.json")},
		)
	}
	if p == Gemini {
		return append(
			layers,
			settings.Layer{
				Name:   defaultsLayer,
				Source: hook.SystemWide,
				File:   systemFile("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", geminiHome, "system-defaults.json"),
			},
			settings.Layer{
				Name:   "system",
				Source: hook.SystemWide,
				File:   systemFile("GEMINI_CLI_SYSTEM_SETTINGS_PATH", geminiHome, "settings.json"),
			},
		)
	}
	return append(
		layers,
		settings.Layer{
			Name:   "system",
			Source: hook.SystemWide,
			File:   systemFile("LLXPRT_SYSTEM_SETTINGS_PATH", llxprtHome, "settings.json"),
		},
	)
}

// defaultsLayer is the name of the layer of a machine whose switches every other
// layer overrules.
const defaultsLayer = "defaults"

// systemHome is where a machine keeps its settings, by operating system.
type systemHome struct{ darwin, windows, other string }

var (
	llxprtHome = systemHome{
		"/Library/Application Support/LLxprt-Code",
		`C:\ProgramData\llxprt-code`,
		"/etc/llxprt-code",
	}
	geminiHome = systemHome{"/Library/Application Support/GeminiCli", `C:\ProgramData\gemini-cli`, "/etc/gemini-cli"}
)

func systemFile(variable string, home systemHome, name string) string {
	if file := os.Getenv(variable); file != "" {
		return file
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home.darwin, name)
	case "windows":
		return filepath.Join(home.windows, name)
	}
	return filepath.Join(home.other, name)
}

// Find returns the profile for a directory: Gemini if there are settings of Gemini CLI and none
// of LLxprt Code, in the directory, in the user's home directory and in the system's; else
// LLxprt. But the user's and the system's settings come first: where they have hooks of Gemini
// CLI, and only the project has settings of LLxprt Code, the profile is Gemini. Therefore no
// directory switches off guards of its user. Hooks of the other profile, which do not run, are a
// problem for each file that has some; see [Profile.PassedOver].
func Find(dir string) (Profile, []settings.Problem) {
	gemini, llxprt := Gemini.Discover(dir), LLxprt.Discover(dir)
	switch {
	case !slices.ContainsFunc(gemini, isThere):
		return LLxprt, nil
	case !slices.ContainsFunc(llxprt, isThere):
		return Gemini, nil
	case slices.ContainsFunc(gemini[1:], hasHooks) && !slices.ContainsFunc(llxprt[1:], isThere):
		return Gemini, passedOver(llxprt, Gemini)
	}
	return LLxprt, passedOver(gemini, LLxprt)
}

// passedOver says which settings of the other profile have hooks, which do not run.
func passedOver(others []settings.Layer, counts Profile) (problems []settings.Problem) {
	for _, layer := range others {
		root, found, err := layer.Read()
		if hooks := root.Get("hooks"); err == nil && found && hooks.Exists() {
			problems = append(problems, hooks.Wrong("the hooks of this file do not run: %s", counts.why()))
		}
	}
	return problems
}

// why explains why the hooks of the other profile do not run, and how to change that.
func (p Profile) why() string {
	if p == Gemini {
		return "the user's or the system's settings have hooks of Gemini CLI, " +
			"whose profile counts; choose the profile llxprt, or move the hooks to .gemini/settings.json"
	}
	return "there are settings of LLxprt Code, " +
		"whose profile counts; choose the profile gemini, or move the hooks to .llxprt/settings.json"
}

// PassedOver lists the hooks of the other profile that are configured for a directory. They do
// not run, and each says so as one that cannot be used: a policy can make that a failure. Their
// IDs begin with the name of their profile.
func (p Profile) PassedOver(at pipeline.Workspace) []*hook.Hook {
	other := Gemini
	if p == Gemini {
		other = LLxprt
	}
	loaded, _ := Settings{Profile: other, Layers: other.Discover(at.Dir)}.Load(context.Background(), at) // it has no error
	for _, h := range loaded.Hooks {
		h.ID = string(other) + "/" + h.ID
		if h.Skip == "" {
			why := "the hooks of this file do not run: " + p.why()
			h.Skip, h.SkipDetail, h.Unusable = hook.Invalid, why, why
		}
	}
	return loaded.Hooks
}

// isThere reports whether there are settings, also such as cannot be read, which is said by
// those who read them.
func isThere(layer settings.Layer) bool {
	_, found, err := layer.Text()
	return found || err != nil
}

// hasHooks reports whether settings have hooks, as far as they can be read.
func hasHooks(layer settings.Layer) bool {
	root, found, err := layer.Read()
	return err != nil || found && root.Get("hooks").Exists()
}

// ProfileOfFiles goes by the paths of files that are given in place of those that
// would be found: Gemini if one lies below .gemini and none below .llxprt.
func ProfileOfFiles(layers []settings.Layer) Profile {
	gemini := false
	for _, layer := range layers {
		parts := strings.Split(filepath.ToSlash(layer.File), "/")
		if slices.Contains(parts, ".llxprt") {
			return LLxprt
		}
		gemini = gemini || slices.Contains(parts, ".gemini")
	}
	if gemini {
		return Gemini
	}
	return LLxprt
}

// profile settles the profile and the layers.
func (s *Settings) profile(dir string) (problems []settings.Problem) {
	switch {
	case s.Profile != Found:
	case s.Layers != nil && !s.LayersFound:
		s.Profile = ProfileOfFiles(s.Layers)
	default:
		s.Profile, problems = Find(dir)
		s.passed = len(problems) > 0
	}
	if s.Layers == nil {
		s.Layers = s.Profile.Discover(dir)
	}
	return problems
}
