package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/policy"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
)

// overlayPrefix begins the lines of a project's overlay among those that trust covers.
const overlayPrefix = policy.FileName + ": "

// overlay returns the project's overlay as trust covers it; nil without one.
func (src *sources) overlay() ([]string, error) {
	file := filepath.Join(src.dir, policy.FileName)
	root, found, err := settings.Layer{File: file}.Read()
	if err != nil || !found {
		return nil, err
	}
	return []string{overlayPrefix + compact(root)}, nil
}

// guards returns the project's hooks that can block, as its settings and its overlay have
// them now.
func (src *sources) guards(loaded pipeline.Loaded) (guards []trust.Guard) {
	set, _ := policy.Source{Files: projectOverlay(src.dir)}.Load(src.dir, false) // its problems are the session's
	events := pipeline.PolicyEvents()
	for _, h := range projectHooks(loaded) {
		h = set.Apply(h, events.Of(h))
		off := h.Skip != "" || h.Policy != nil && h.Policy.Mode != hook.Enforce
		if off || !events.Of(h).Gate || h.Background != hook.Foreground {
			continue
		}
		guards = append(guards, trust.Guard{Event: h.Event, Matcher: h.Pattern, If: h.If, Label: h.Label()})
	}
	return guards
}

// projectOverlay is where the overlay of a directory lies, if there is one.
func projectOverlay(dir string) map[policy.Level]string {
	file := filepath.Join(dir, policy.FileName)
	if _, found, err := (settings.Layer{File: file}).Text(); !found && err == nil {
		return nil
	}
	return map[policy.Level]string{policy.Project: file}
}

// lost returns a Load with a hook for each guard that was granted and is gone. The hook blocks
// the guard's events until trust is granted again; its source is the program, which neither
// settings nor an overlay of the project can switch off.
func (st *status) lost(src *sources) pipeline.Load {
	var hooks []*hook.Hook
	for i, g := range st.granted[src.dialect.trustName()] {
		if slices.Contains(st.guards[src.dialect.trustName()], g) {
			continue
		}
		hooks = append(hooks, src.blocks(g, i))
	}
	if len(hooks) == 0 {
		return nil
	}
	return func(context.Context, pipeline.Workspace) (pipeline.Loaded, error) {
		return pipeline.Loaded{Hooks: hooks}, nil
	}
}

// blocks returns the hook that blocks in place of a guard. It ignores the guard's condition,
// which is in doubt, and blocks everything that its matcher selects.
func (src *sources) blocks(g trust.Guard, i int) *hook.Hook {
	h := &hook.Hook{
		Identity: hook.Identity{
			ID: fmt.Sprintf("trust/%s/%d", g.Event, i), Dialect: src.dialect.Name, Event: g.Event, Type: "trust",
			Command: g.Label, Source: hook.Host,
		},
		Selection: hook.Selection{Pattern: g.Matcher},
		Runner:    lostGuard{},
	}
	named := func(e pipeline.Declared) bool { return e.Info().Name == g.Event }
	event, known := lo.Find(pipeline.Events(src.dialect.Dialect), named)
	if known && event.Info().Rules.Match != nil {
		h.Matcher, _ = event.Info().Rules.Match(g.Matcher)
	}
	return h
}

// lostGuard is the Runner of a guard that trust was granted for, and that is not there.
type lostGuard struct{}

// Run fails.
func (lostGuard) Run(context.Context, hook.Call) (hook.Reply, error) {
	return hook.Reply{}, &hook.ClassError{Class: hook.ClassUntrusted, Err: fmt.Errorf(
		"trust was granted with this guard, and a change has taken it away; look at `snaphook trust`, and grant trust again")}
}
