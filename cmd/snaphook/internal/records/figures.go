package records

import (
	"github.com/spf13/cobra"

	rec "github.com/snaphook-go/snaphook/record"
)

// HookKey identifies a hook in a record: by its event in full, its id, and the SHA-256 of its command, because a
// change of the settings can give the id to another hook.
type HookKey struct{ Event, ID, SHA256 string }

// Figures count the runs of one hook in a record. P50MS and P95MS are percentiles by nearest rank; null if the hook
// never ran.
type Figures struct {
	Looked     int      `json:"looked"`
	Ran        int      `json:"ran"`
	Blocked    int      `json:"blocked"`
	Failed     int      `json:"failed"`
	FailedOpen int      `json:"failedOpen"`
	P50MS      *float64 `json:"p50Ms"`
	P95MS      *float64 `json:"p95Ms"`
}

// RecordRead describes how much of a record was read.
type RecordRead struct {
	File       string `json:"file"`
	Fires      int    `json:"fires"`
	Unreadable int    `json:"unreadable"`
}

// ReadFigures counts the runs of every hook in a record and in its rotated files. It keeps one line and the counts in
// memory. It reports invalid lines, as stats does.
func ReadFigures(cmd *cobra.Command, path string) (map[HookKey]Figures, *RecordRead, error) {
	all := map[HookKey]*hookStat{}
	read, err := ReadRecord(cmd, path, false, func(_ rec.Text, l *rec.Line) error {
		for i := range l.Hooks {
			h := &l.Hooks[i]
			key := HookKey{l.Event, h.ID, h.SHA256}
			s := all[key]
			if s == nil && len(all) < mostHooks && len(l.Event)+len(h.ID)+len(h.SHA256) <= mostName {
				s = &hookStat{}
				all[key] = s
			}
			if s != nil && l.Late == "" {
				s.add(h, "")
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	figures := make(map[HookKey]Figures, len(all))
	for key, s := range all {
		ranks := s.run.ranks()
		figures[key] = Figures{s.Looked, s.Ran, s.Blocked, s.Failed, s.FailedOpen, ranks.P50, ranks.P95}
	}
	return figures, &RecordRead{path, read.fires, read.unreadable}, nil
}

// GlobOf returns a function that matches whole texts; * matches any text, ? one character.
func GlobOf(pattern string) func(string) bool { return glob(pattern) }
