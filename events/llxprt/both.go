package llxprt

import (
	"context"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/pipeline"
)

// both is the profile of a session that uses the settings of LLxprt Code and of Gemini CLI.
const both Profile = "both"

// geminiIDs is the prefix of the IDs of Gemini CLI's hooks in a session that has both.
const geminiIDs = "gemini/"

// Both returns a Load that reads two Settings for one session, LLxprt Code's and Gemini CLI's, in
// the order in which their hooks run. One of them must have the Profile [LLxprt] and the other
// [Gemini].
//
// Each hook follows the rules of its own profile. The hooks of an event form one plan: one hook
// with "sequential" makes all of them run one at a time. The IDs of Gemini CLI's hooks begin with
// "gemini/".
func Both(first, second Settings) pipeline.Load {
	return func(ctx context.Context, at pipeline.Workspace) (all pipeline.Loaded, err error) {
		for _, s := range [...]Settings{first, second} {
			loaded, err := s.Load(ctx, at)
			if err != nil {
				return pipeline.Loaded{}, err
			}
			if s.Profile == Gemini {
				for _, h := range loaded.Hooks {
					h.ID = geminiIDs + h.ID
				}
			}
			all.Hooks = append(all.Hooks, loaded.Hooks...)
			all.Files = append(all.Files, loaded.Files...)
			all.Problems = lo.Uniq(append(all.Problems, loaded.Problems...)) // both Settings may have the same extension
		}
		all.Values = map[any]any{profileKey{}: both}
		return all, nil
	}
}
