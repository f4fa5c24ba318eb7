package hook_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/hook"
)

func TestTheIDsOfATrace(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	tests := map[string]bool{
		"00-" + trace + "-" + span + "-01":                  true,
		"cc-" + trace + "-" + span + "-01-what-comes-later": true,
		"":                                      false,
		"00-" + trace + "-" + span:              false,
		"00-" + trace + "-" + span + "-01-more": false,
		"ff-" + trace + "-" + span + "-01":      false,
		"00-00000000000000000000000000000000-" + span + "-01":             false,
		"00-" + trace + "-0000000000000000-01":                            false,
		"00-4BF92F3577b34da6a3ce929d0e0e4736-" + span + "-01":             false,
		"00-" + trace + "-" + span + "-0x":                                false,
		"00_" + trace + "-" + span + "-01":                                false,
		"00-" + trace + "x" + span + "-01 and something that is no trace": false,
	}
	for text, want := range tests {
		gotTrace, gotSpan, ok := hook.Trace{Parent: text}.IDs()
		if ok != want || ok && (gotTrace != trace || gotSpan != span) {
			t.Errorf("%q: %q, %q, %v; want %v", text, gotTrace, gotSpan, ok, want)
		}
	}
}
