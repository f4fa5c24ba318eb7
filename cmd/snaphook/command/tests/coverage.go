package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/cli"
	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/project"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/pipeline"
)

// coverage records which hooks and matchers fixtures have reached. It ignores settings that are
// written in a fixture.
type coverage struct {
	mu       sync.Mutex
	hooks    map[string]*hook.Hook // hooks that can run, by hookKey
	ran      map[string]bool
	matchers map[string]*hook.Hook // the first hook with the matcher, by matcherKey
	matched  map[string]bool
}

func newCoverage() *coverage {
	return &coverage{
		hooks: map[string]*hook.Hook{}, ran: map[string]bool{},
		matchers: map[string]*hook.Hook{}, matched: map[string]bool{},
	}
}

func hookKey(h *hook.Hook) string {
	return strings.Join([]string{h.Dialect, h.Event, h.ID, h.Command}, "\x00")
}

// matcherKey returns the key of a hook's matcher; empty if it matches everything.
func matcherKey(h *hook.Hook) string {
	if h.Pattern == "" || h.Pattern == "*" {
		return ""
	}
	return strings.Join([]string{h.Dialect, h.Event, h.Pattern}, "\x00")
}

// know adds hooks that fixtures should reach.
func (c *coverage) know(s *fixtureStage, hooks []*hook.Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range hooks {
		if h.Skip != "" {
			continue
		}
		h = s.paths.hook(h)
		c.hooks[hookKey(h)] = h
		if key := matcherKey(h); key != "" && c.matchers[key] == nil {
			c.matchers[key] = h
		}
	}
}

// reach adds the hooks that a fire has considered.
func (c *coverage) reach(s *fixtureStage, all []looked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range all {
		h := s.paths.hook(l.hook)
		if l.why == "" {
			c.ran[hookKey(h)] = true
		}
		if l.why != hook.NotMatched {
			c.matched[matcherKey(h)] = true
		}
	}
}

// report lists the hooks and matchers that no fixture reached, and reports whether the fixtures reached at least min
// percent of the hooks.
func (c *coverage) report(cmd *cobra.Command, min float64) (enough bool, err error) {
	var b strings.Builder
	hooks := 0
	for _, key := range inFileOrder(c.hooks) {
		if c.ran[key] {
			hooks++
			continue
		}
		h := c.hooks[key]
		id := pipeline.Identify(h)
		fmt.Fprintf(&b, "not reached  hook %s of %s.%s  %s\n", project.Label(id), h.Dialect, h.Event, project.Place(id))
	}
	matchers := 0
	for _, key := range inFileOrder(c.matchers) {
		if c.matched[key] {
			matchers++
			continue
		}
		h := c.matchers[key]
		fmt.Fprintf(&b, "not reached  matcher %s of %s.%s  %s\n", cli.OneLine(h.Pattern), h.Dialect, h.Event, project.Place(pipeline.Identify(h)))
	}
	percent := 100.0
	if len(c.hooks) > 0 {
		percent = 100 * float64(hooks) / float64(len(c.hooks))
	}
	fmt.Fprintf(&b, "coverage: %d of %s (%.1f %%), %d of %s\n",
		hooks, cli.Count(len(c.hooks), "hook"), percent, matchers, cli.Count(len(c.matchers), "matcher"))
	if percent < min {
		fmt.Fprintf(&b, "%s\n", cli.Bad.Render(fmt.Sprintf("the coverage is below %v %%", min)))
	}
	return percent >= min, cli.Say(cmd, b.String())
}

func inFileOrder(hooks map[string]*hook.Hook) []string {
	return slices.SortedFunc(maps.Keys(hooks), func(a, b string) int {
		p, q := hooks[a].Position, hooks[b].Position
		switch {
		case p.File != q.File:
			return strings.Compare(p.File, q.File)
		case p.Line != q.Line:
			return p.Line - q.Line
		case p.Column != q.Column:
			return p.Column - q.Column
		}
		return strings.Compare(a, b)
	})
}
