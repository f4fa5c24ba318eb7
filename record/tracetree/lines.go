package tracetree

import (
	"slices"

	"github.com/samber/lo"

	"github.com/snaphook-go/snaphook/record"
)

// size estimates the memory of a line in bytes.
func size(l *record.Line) int64 {
	n := 512 + len(l.Event) + len(l.Session) + len(l.Subject) + len(l.Input) + len(l.Reason)
	for i := range l.Hooks {
		h := &l.Hooks[i]
		n += 384 + len(h.ID) + len(h.Name) + len(h.Command) + len(h.Matcher) + len(h.File) + len(h.Detail) +
			len(h.Reason) + len(h.Error) + len(h.Answer) + len(h.Stderr)
	}
	for i := range l.Conflicts {
		n += 64 + len(l.Conflicts[i].Key)
	}
	return int64(n)
}

// withEnds adds the ends of background hooks to the fires that started them. Ends of unknown fires
// are left out.
func withEnds(lines []*record.Line) []*record.Line {
	late := map[string][]*record.Line{}
	for _, l := range lines {
		if l.Late != "" {
			late[l.Late] = append(late[l.Late], l)
		}
	}
	if len(late) == 0 {
		return lines
	}
	fires := lo.Reject(lines, func(l *record.Line, _ int) bool { return l.Late != "" })
	for i, l := range fires {
		if ends := late[l.ID]; ends != nil {
			fires[i] = withEnd(l, ends)
		}
	}
	return fires
}

// withEnd returns a copy of a fire's line with the ends added. The caller's l is not changed.
func withEnd(l *record.Line, ends []*record.Line) *record.Line {
	fire := *l
	fire.Hooks = slices.Clone(l.Hooks)
	for _, end := range ends {
		for i := range end.Hooks {
			place := slices.IndexFunc(fire.Hooks, func(h record.Hook) bool {
				return h.ID == end.Hooks[i].ID && h.Outcome == "backgrounded" && h.Background == nil
			})
			if place >= 0 {
				fire.Hooks[place].Background = end.Hooks[i].Background
			}
		}
	}
	return &fire
}
