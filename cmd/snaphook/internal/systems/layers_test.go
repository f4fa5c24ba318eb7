package systems

import "testing"

func TestTheHelpListsTheLayersOfAllSystemsInTheirOrder(t *testing.T) {
	const want = "project, user, system (llxprt); project, user, local, flag, managed (claude); " +
		"project, user, system, flag, managed (codex); project, user, local, managed (copilot); " +
		"project, user, managed, claude-local, claude-project, claude-user (cursor)"
	for range 20 { // the layers come from a map, whose order varies
		if got := LayersHelp(); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
}
