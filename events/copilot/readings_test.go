package copilot

import "testing"

// VS Code ignores matchers: a guard of its settings has guarded every call. It may be lost, see Readings of package
// pipeline.
func TestOneReadingOfAMatcherAcceptsEverything(t *testing.T) {
	for _, compile := range Dialect.Rules.Readings {
		if m, note := compile("bash"); m == nil && note == "" {
			return
		}
	}
	t.Error("each reading of a matcher selects some tools only")
}
