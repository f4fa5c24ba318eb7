package cli

import (
	"slices"
	"testing"
)

func TestColumnsFitANarrowTerminal(t *testing.T) {
	headers := []string{"HOOK", "EVENT", "RAN", "P95", "OVER TIME"}
	rows := [][]string{
		{"python3 .claude/hooks/a-guard-with-a-name.py", "claude.PreToolUse", "12", "42ms", "▁▂▃▄▅▆▇█"},
		{"guard.sh", "claude.PreToolUse", "1", "2ms", "▁"},
	}
	for width, want := range map[int][]string{
		0:   headers,
		200: headers,
		80:  {"HOOK", "EVENT", "RAN", "P95"},
		70:  {"HOOK", "EVENT", "RAN"},
		40:  {"HOOK", "EVENT", "RAN"},
	} {
		gotHeaders, gotRows := fit(headers, rows, width, []string{"OVER TIME", "P95"})
		if !slices.Equal(gotHeaders, want) {
			t.Errorf("width %d: columns %q, want %q", width, gotHeaders, want)
		}
		if width == 40 && gotRows[0][0] != "python…name.py" {
			t.Errorf("width %d: the first column is %q, want it cut in the middle", width, gotRows[0][0])
		}
	}
}
