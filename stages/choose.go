package stages

import (
	"slices"
	"time"

	"github.com/snaphook-go/snaphook/hook"
)

// choose drops duplicates and decides whether the plan is sequential.
func (p *Planned) choose(hooks []*hook.Hook) {
	var kept map[string]duplicates // by key
	for _, h := range hooks {
		if h.Key == "" {
			continue
		}
		if kept == nil {
			kept = make(map[string]duplicates, len(hooks))
		}
		kept[h.Key] = kept[h.Key].add(h, p.timeout)
	}
	sequential, own := false, 0 // own counts the hooks with OwnOnly; sequential means that one of them is Sequential
	for _, h := range hooks {
		if d := kept[h.Key]; h.Key != "" && d.kept != h {
			p.skip(h, hook.Duplicate, d.why(h, p.timeout))
			continue
		}
		p.Run = append(p.Run, h)
		p.Sequential = p.Sequential || h.Sequential && !h.OwnOnly
		if h.OwnOnly {
			sequential = sequential || h.Sequential
			own++
		}
	}
	p.Sequential = p.Sequential || sequential && own == len(p.Run)
	p.OwnChain = !p.Sequential && sequential && own > 1
}

// duplicates stands for hooks with the same key. Only the hook in the field kept runs.
type duplicates struct{ kept *hook.Hook }

// add returns d extended by h. The first hook, in the order of the sources, is kept. A later, more trusted hook
// replaces it if the first is [weaker] or has OwnOnly: a project cannot replace a guard by a copy that guards less. Of
// equally trusted copies, the first whose failure blocks is kept.
func (d duplicates) add(h *hook.Hook, standard time.Duration) duplicates {
	switch {
	case d.kept == nil,
		h.TrustRank() > d.kept.TrustRank() && (d.kept.OwnOnly || weaker(d.kept, h, standard) != ""),
		h.TrustRank() == d.kept.TrustRank() && closes(h) && !closes(d.kept):
		return duplicates{h}
	}
	return d
}

// closes reports whether a failure of the hook blocks.
func closes(h *hook.Hook) bool { return h.FailClosed && h.Background == hook.Foreground }

// why names the hook that runs in place of h, and gives the reason.
func (d duplicates) why(h *hook.Hook, standard time.Duration) string {
	runs := "runs already as " + d.kept.ID
	switch same := h.TrustRank() == d.kept.TrustRank(); {
	case same && closes(d.kept) && !closes(h):
		return runs + ", whose failure blocks"
	case h.TrustRank() >= d.kept.TrustRank():
		return runs + ", which comes first"
	}
	switch weak := weaker(h, d.kept, standard); {
	case h.OwnOnly && !d.kept.OwnOnly:
		return runs + ", which takes precedence over hooks of a project that is not trusted yet"
	case weak != "":
		return runs + ", which is more trusted: in this copy " + weak
	}
	return runs + ", which comes first"
}

// weaker describes how h guards less than another hook with the same key; empty if it does not. standard is the timeout
// of hooks without their own; 0 or less means no limit.
func weaker(h, than *hook.Hook, standard time.Duration) string {
	limit, least := timeout(h, standard), timeout(than, standard)
	switch {
	case limit > 0 && (least <= 0 || limit < least):
		end := "none"
		if least > 0 {
			end = least.String()
		}
		return "the timeout is shorter, " + limit.String() + " and not " + end
	case !h.FailClosed && than.FailClosed:
		return "a failure does not block"
	case h.Background != hook.Foreground && than.Background == hook.Foreground:
		return "nobody waits for the answer"
	case !h.Sequential && than.Sequential:
		return "its group does not run in sequence"
	case !slices.Equal(h.Vars, than.Vars):
		return "the environment variables differ"
	}
	return ""
}

func timeout(h *hook.Hook, standard time.Duration) time.Duration {
	if h.Timeout == 0 {
		return standard
	}
	return h.Timeout
}
