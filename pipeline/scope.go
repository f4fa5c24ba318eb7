package pipeline

import (
	"cmp"
	"slices"
	"sync"

	"github.com/snaphook-go/snaphook/hook"
)

// Scope is where a program registers hooks: a [System] or a [Session].
type Scope interface {
	add([]*hook.Hook) (remove func())
}

// Register adds hooks that are ready to run, such as those that a dialect reads
// from the front matter of an agent, to one session or to all sessions of a
// system. For a hook in Go, On of its event is simpler. remove takes them away
// again; fires that have begun are not affected, and neither function waits for
// them.
func Register(at Scope, hooks ...*hook.Hook) (remove func()) { return at.add(slices.Clone(hooks)) }

func (sys *System) add(hooks []*hook.Hook) (remove func()) {
	sys.mu.Lock()
	defer sys.mu.Unlock()
	sys.host = ranked(sys.host, hooks)
	sys.rebuildAll()
	return sync.OnceFunc(func() {
		sys.mu.Lock()
		defer sys.mu.Unlock()
		sys.host = without(sys.host, hooks)
		sys.rebuildAll()
		for _, reg := range sys.living() {
			reg.release(hooks)
		}
	})
}

// ranked adds hooks to those that are there.
func ranked(there, hooks []*hook.Hook) []*hook.Hook {
	all := slices.Concat(there, hooks)
	slices.SortStableFunc(all, func(a, b *hook.Hook) int { return cmp.Compare(a.Rank, b.Rank) })
	return all
}

// without drops hooks, each once: it may have been added more often than that.
func without(hooks, gone []*hook.Hook) []*hook.Hook {
	left := slices.Clone(hooks)
	for _, h := range gone {
		if i := slices.Index(left, h); i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
	}
	return left
}
