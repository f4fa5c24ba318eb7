package claude

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
)

// FrontMatter holds the hooks in the front matter of a skill or an agent. Front matter is YAML; the program that reads
// it passes "hooks" on as JSON.
type FrontMatter struct {
	Name  string // name of the skill or agent
	File  string // path of the file, for messages
	Root  string // the skill's directory; keeps its hooks from being duplicates of others
	Hooks []byte // one JSON object: events and their groups, as in settings
	Agent bool   // an agent's front matter: Stop hooks are for SubagentStop
}

// Register adds the hooks of front matter to a session. Call remove to remove them: for a skill at the end of the
// session, for an agent when the agent ends. The session's settings must come from [Settings]; their policies, level
// and environment apply to these hooks too. An agent of an untrusted project has no hooks (release 2.1.218). Invalid
// entries are problems, and do not affect the others.
func (f FrontMatter) Register(s *pipeline.Session) (remove func(), problems []settings.Problem, err error) {
	loaded, ok := s.Setting(readingKey{}).(*reading)
	if !ok {
		return nil, nil, errors.New(
			"the session's settings are not those of Claude Code: open the system with claude.Settings",
		)
	}
	v, err := settings.ParseStrict(f.File, f.Hooks)
	if err != nil {
		return nil, nil, err
	}
	r := newReading(loaded.Settings, loaded.at)
	r.policy = loaded.policy
	layer := settings.Layer{Name: f.Name, Source: hook.FrontMatter, File: f.File}
	root := cmp.Or(f.Root, r.at.Dir)
	source := hooksSource{reading: r, layer: layer, root: root, space: f.Root, env: r.env, agent: f.Agent}
	source.hooks(v)
	r.Loaded.Problems = append(r.Loaded.Problems, v.Duplicates()...)
	r.limitEnds()
	if f.Agent && r.at.Untrusted && below(r.at.Dir, f.File) {
		distrust(r.Loaded.Hooks)
	}
	remove, err = pipeline.Register(s, r.Loaded.Hooks...)
	return remove, r.Loaded.Problems, err
}

// below reports whether a file is in a directory.
func below(dir, file string) bool {
	path, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(path)
}

// distrust keeps hooks from running, because a project's hooks need trust even in sessions without a user.
func distrust(hooks []*hook.Hook) {
	for _, h := range hooks {
		if h.Skip == "" {
			h.Skip, h.SkipDetail = hook.Untrusted, "the agent belongs to the project, and the user has not trusted the folder"
		}
	}
}
