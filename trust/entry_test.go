package trust_test

import (
	"testing"

	"github.com/snaphook-go/snaphook/events/claude"
	"github.com/snaphook-go/snaphook/hook"
	"github.com/snaphook-go/snaphook/internal/testkit"
	"github.com/snaphook-go/snaphook/pipeline"
	"github.com/snaphook-go/snaphook/settings"
	"github.com/snaphook-go/snaphook/trust"
)

// Trust ends if a member is added to an entry, even if no field of a hook holds the member, as with headers that
// contain a variable of the user.
func TestTrustCoversEveryMemberOfAnEntry(t *testing.T) {
	const request = `{"type": "http", "url": "https://hooks.example/x"`
	dir := testkit.Dir(t)
	digest := func(entry string) string {
		text := `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [` + entry + `]}]}}`
		layer := settings.Layer{Source: hook.Project, Name: "settings.json", Data: []byte(text)}
		loaded, err := claude.Settings{Layers: []settings.Layer{layer}}.Load(t.Context(), pipeline.Workspace{Dir: dir})
		if err != nil || len(loaded.Hooks) != 1 {
			t.Fatalf("%d hooks, %v, want one", len(loaded.Hooks), err)
		}
		covered, err := trust.Cover(t.Context(), dir, loaded.Hooks, trust.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return covered.Digest
	}
	granted := digest(request + `}`)
	for name, entry := range map[string]string{
		"headers":         request + `, "headers": {"X-Token": "$TOKEN"}}`,
		"allowedEnvVars":  request + `, "allowedEnvVars": ["TOKEN"]}`,
		"continueOnBlock": request + `, "continueOnBlock": true}`,
		"a newer member":  request + `, "proxy": "https://elsewhere.example"}`,
	} {
		if digest(entry) == granted {
			t.Errorf("%s: the digest is the granted one", name)
		}
	}
	if same := digest(`{"url": "https://hooks.example/x", /* the same */ "type": "http"}`); same != granted {
		t.Error("order and comments changed the digest")
	}
}
