package systems

import (
	"strings"
	"testing"

	"github.com/snaphook-go/snaphook/run/judge"
)

func TestVariablesThatCannotBeUsedAreNamed(t *testing.T) {
	for want, environ := range map[string]map[string]string{
		"no model is named; set SNAPHOOK_MODEL":                                   {"ANTHROPIC_API_KEY": "k"},
		`SNAPHOOK_MODEL_PROVIDER is "gemini"; set it to anthropic or openai`:      {"SNAPHOOK_MODEL_PROVIDER": "gemini", "SNAPHOOK_MODEL_KEY": "k"},
		"SNAPHOOK_MODEL_KEY or OPENAI_API_KEY to the API key, and SNAPHOOK_MODEL": {"SNAPHOOK_MODEL_PROVIDER": "openai"},
	} {
		m := modelOf(func(name string) string { return environ[name] })
		if _, err := m.Generate(t.Context(), judge.ModelRequest{Prompt: "?"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %q", environ, err, want)
		}
	}
}
