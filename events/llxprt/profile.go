package llxprt

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/entries"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/bounded"
	"github.com/snaphook-go/snaphook/internal/environ"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// Profile selects the rules that apply where LLxprt Code and Gemini CLI differ. They share events, payloads and
// answers.
type Profile string

// The profiles. Gemini differs from LLxprt in these rules:
//
//   - settings are .gemini/settings.json, and hooks are on unless
//     hooksConfig.enabled is false;
//   - a JSON answer is read after every exit status, on standard output or, where
//     that is blank, on standard error. Plain text is a message after status 0, a
//     warning after 1, and the reason of a denial after any other. A status
//     other than 0 without any text is a failure, and the action goes ahead;
//   - a decision "ask" asks the user; without a user, the tool does not run;
//   - a denial after a tool replaces the tool's result, and a denial after the
//     model replaces the model's response;
//   - AfterModel fires for each chunk of a response, see [Profile.PerChunk];
//   - hooks are duplicates if name and command are equal. An entry may have variables of its own, env, and all hooks
//     get GEMINI_CWD and GEMINI_SESSION_ID too.
const (
	Found  Profile = ""       // the profile that [Find] returns
	LLxprt Profile = "llxprt" // LLxprt Code
	Gemini Profile = "gemini" // Gemini CLI
)

// PerChunk reports whether the caller fires AfterModel for each chunk of a streamed response, instead of once for the
// whole response. The engine treats a chunk like a whole response.
func (p Profile) PerChunk() bool { return p == Gemini }

// profileKey is the key of a session's profile among the values of its settings.
type profileKey struct{}

// ProfileOf returns the profile of a session's settings: LLxprt or Gemini. It returns
// LLxprt for a session that has both; see [Both].
func ProfileOf(s *pipeline.Session) Profile {
	if p, ok := s.Setting(profileKey{}).(Profile); ok && p != both {
		return p
	}
	return LLxprt
}

// geminiRules reports whether a hook of a session follows the rules of Gemini CLI.
func geminiRules(s *pipeline.Session, h *hook.Hook) bool {
	p, _ := s.Setting(profileKey{}).(Profile)
	return p == Gemini || p == both && strings.HasPrefix(h.ID, geminiIDs)
}

// geminiSays reports whether a result follows the rules of Gemini CLI. In a session with both profiles, it does if the
// condition "is" holds for the answer of one of Gemini CLI's hooks.
func geminiSays[Out any](s *pipeline.Session, res *hook.Result[Out], is func(*hook.Output[Out]) bool) bool {
	if p, _ := s.Setting(profileKey{}).(Profile); p != both {
		return p == Gemini
	}
	return slices.ContainsFunc(res.Reports, func(r hook.Report[Out]) bool {
		return is(&r.Output) && geminiRules(s, r.Hook)
	})
}

// Discover returns the layers of a project directory: .llxprt/settings.json in it and in the user's home directory, and
// the system's file. The system's file is /etc/llxprt-code/settings.json or its equivalent on other systems, or the
// file named by LLXPRT_SYSTEM_SETTINGS_PATH.
func Discover(dir string) []settings.Layer { return LLxprt.Discover(dir) }

// Discover returns the layers of a project directory at the profile's paths. For Gemini they are .gemini/settings.json
// in the directory and in the user's home directory, and the system's settings.json and system-defaults.json. The
// system's files are in /etc/gemini-cli or its equivalent on other systems, or are named by
// GEMINI_CLI_SYSTEM_SETTINGS_PATH and GEMINI_CLI_SYSTEM_DEFAULTS_PATH. For Found it checks which files exist, see
// [Find].
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

// defaultsLayer is the name of the machine's layer whose switches all other layers override.
const defaultsLayer = "defaults"

// systemHome holds the directory of a machine's settings, by operating system.
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

// Find returns the profile for a directory. It is Gemini if there are settings of Gemini CLI and none of LLxprt Code,
// in the directory, in the user's home directory and in the system's directory; otherwise LLxprt. The user's and the
// system's settings have precedence: if they have hooks of Gemini CLI, and only the project has settings of LLxprt
// Code, the profile is Gemini, so that no directory disables guards of its user.
//
// Hooks of the other profile do not run. Each file with such hooks is a problem, unless each of these hooks is
// disabled, is untrusted, or has an equal in the returned profile. A file that cannot be read is a problem too. See
// [Profile.PassedOver].
func Find(dir string) (Profile, []settings.Problem) {
	p, both := choose(dir)
	if !both {
		return p, nil
	}
	_, problems := p.passOver(pipeline.Workspace{Dir: dir}, p.hooks(pipeline.Workspace{Dir: dir}).Hooks)
	return p, problems
}

// choose returns the profile for a directory, and reports whether there are settings of both profiles.
func choose(dir string) (p Profile, both bool) {
	gemini, llxprt := Gemini.Discover(dir), LLxprt.Discover(dir)
	switch {
	case !slices.ContainsFunc(gemini, isThere):
		return LLxprt, false
	case !slices.ContainsFunc(llxprt, isThere):
		return Gemini, false
	case slices.ContainsFunc(gemini[1:], hasHooks) && !slices.ContainsFunc(llxprt[1:], isThere):
		return Gemini, true
	}
	return LLxprt, true
}

// hooks returns the hooks of a profile in a directory, and the problems of its files.
func (p Profile) hooks(at pipeline.Workspace) pipeline.Loaded {
	loaded, _ := Settings{Profile: p, Layers: p.Discover(at.Dir)}.Load(context.Background(), at) // never fails
	return loaded
}

// other returns the profile of the other system.
func (p Profile) other() Profile {
	if p == Gemini {
		return LLxprt
	}
	return Gemini
}

// why explains why the hooks of the other profile do not run, and how to change that.
func (p Profile) why() string {
	if p == Gemini {
		return "the user's or the system's settings have hooks of Gemini CLI, " +
			"whose profile applies; choose the profile llxprt, or move the hooks to .gemini/settings.json"
	}
	return "there are settings of LLxprt Code, " +
		"whose profile applies; choose the profile gemini, or move the hooks to .llxprt/settings.json"
}

// PassedOver lists the hooks of the other profile that are configured for a directory. They do not run. A hook that has
// an equal in this profile is marked as a duplicate, because the equal hook guards in its place; any other that is not
// already skipped is marked as invalid, which a policy can turn into a failure. The IDs begin with the name of the
// other profile.
func (p Profile) PassedOver(at pipeline.Workspace) []*hook.Hook {
	passed, _ := p.passOver(at, p.hooks(at).Hooks)
	return passed
}

// passOver returns the hooks of the other profile, none of which runs, and a problem for each file that has a lost
// guard or cannot be read. counting holds the hooks of p, the profile in use.
func (p Profile) passOver(at pipeline.Workspace, counting []*hook.Hook) ([]*hook.Hook, []settings.Problem) {
	layers := p.other().Discover(at.Dir)
	values, unread := settings.Read(layers)
	r := entries.Reader{Dialect: Dialect}
	for _, problem := range unread {
		problem.Fatal = false // the profile in use does not read this file
		problem.Message += "; hooks in this file do not run: " + p.why()
		r.Problem(problem)
		layer, _ := lo.Find(layers, func(l settings.Layer) bool { return l.File == problem.Position.File })
		if !at.Untrusted || layer.Source != hook.Project {
			r.Lose(layer.Source.String(), &hook.Hook{Identity: hook.Identity{Source: layer.Source}}, problem)
		}
	}
	lost, why := map[string]bool{}, "the hooks of this file do not run: "+p.why()
	for _, h := range p.other().hooks(at).Hooks {
		switch {
		case h.Skip == hook.Untrusted:
		case h.Skip == hook.Disabled:
			h.Unusable = why // a lock of the machine can overrule the switch
		case slices.ContainsFunc(counting, func(c *hook.Hook) bool { return guardsAs(c, h) }):
			h.Exclusion = hook.Exclusion{Skip: hook.Duplicate, SkipDetail: "an equal hook of the profile " + string(p) + " runs"}
		default:
			lost[h.Position.File] = true
			if h.Skip == "" {
				h.Exclusion = hook.Exclusion{Skip: hook.Invalid, SkipDetail: why, Unusable: why}
			}
		}
		r.Loaded.Hooks = append(r.Loaded.Hooks, h)
	}
	for _, h := range r.Loaded.Hooks {
		h.ID = string(p.other()) + "/" + h.ID
	}
	for i, layer := range layers {
		if lost[layer.File] {
			r.Problem(values[i].Get("hooks").Wrong("%s", why))
		}
	}
	return r.Loaded.Hooks, r.Loaded.Problems
}

// guardsAs reports whether c runs wherever h would: c is not skipped, and has the same event, type, command, variables
// and matcher, no shorter timeout, and the same source or a system-wide one.
func guardsAs(c, h *hook.Hook) bool {
	return c.Skip == "" && c.Event == h.Event && c.Type == h.Type && c.Command == h.Command && c.Pattern == h.Pattern &&
		slices.Equal(c.Vars, h.Vars) && (c.Source == h.Source || c.Source == hook.SystemWide) &&
		(c.Timeout == h.Timeout || h.Timeout > 0 && c.Timeout > h.Timeout)
}

// isThere reports whether a settings file exists, also one that cannot be read; its readers report
// the error.
func isThere(layer settings.Layer) bool {
	_, found, err := layer.Text()
	return found || err != nil
}

// hasHooks reports whether a settings file has hooks, or cannot be read.
func hasHooks(layer settings.Layer) bool {
	root, found, err := layer.Read()
	return err != nil || found && root.Get("hooks").Exists()
}

// ProfileOfFiles returns the profile for files that replace the files of [Discover]: Gemini if one of
// layers lies below .gemini and none below .llxprt, else LLxprt.
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
