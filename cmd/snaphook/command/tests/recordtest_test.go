package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/snaphook-go/snaphook/cmd/snaphook/internal/records"
)

func TestFixturesOfARecordAreLimited(t *testing.T) {
	lines := func(n, sessions, inputs int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, `{"v":1,"event":"claude.Stop","session":"s%d","input":{"n":%d},"decision":null}`+"\n", i%sessions, i%inputs)
		}
		return text.String()
	}
	const more = mostSteps + 1
	for name, test := range map[string]struct {
		text      string
		bySession bool
		want      int // fixtures; -1 means an error
	}{
		"distinct fires":                      {lines(more, 1, more), false, -1},
		"equal fires":                         {lines(more, 1, 5), false, 5},
		"fires of one session":                {lines(more, 1, 1), true, -1},
		"fires of many sessions":              {lines(more, more, 1), true, -1},
		"as many fires of sessions as it may": {lines(mostSteps, 10, 1), true, 10},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := &cobra.Command{}
			cmd.SetContext(t.Context())
			choice, err := new(records.LogFlags).Choice()
			if err != nil {
				t.Fatal(err)
			}
			all, err := fixturesOf(cmd, strings.NewReader(test.text), "r.jsonl", choice, t.TempDir(), test.bySession)
			switch {
			case test.want < 0 && (err == nil || !strings.Contains(err.Error(), "more than 10000 fires")):
				t.Errorf("got %d fixtures and %v, want an error of the limit", len(all), err)
			case test.want >= 0 && (err != nil || len(all) != test.want):
				t.Errorf("got %d fixtures and %v, want %d", len(all), err, test.want)
			}
		})
	}
}
