package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/snaphook-go/snaphook/hook"
)

// TestTheLogIsWhatGitHubTakes checks the members that GitHub reads.
func TestTheLogIsWhatGitHubTakes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a b", "ö.sh")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x\néé exit 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	log := NewSARIF("1.2.3", dir, []Finding{
		{ID: "gate-exit-1", Severity: Error, Position: hook.Position{File: file, Line: 2, Column: 6}, Message: "no", Fix: "write exit 2"},
		{ID: "warm-would-help", Severity: Note, Position: hook.Position{File: filepath.Join(os.TempDir(), "elsewhere.json"), Line: 1, Column: 1}, Message: "slow"},
		Problem(hook.Position{File: filepath.Join(dir, "settings.json")}, "no JSON"),
		Problem(hook.Position{}, "of no file"),
	})
	text, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID               string                          `json:"id"`
						ShortDescription struct{ Text string }           `json:"shortDescription"`
						Help             struct{ Text, Markdown string } `json:"help"`
						Default          struct{ Level string }          `json:"defaultConfiguration"`
					}
				}
			}
			Results []struct {
				RuleID    string `json:"ruleId"`
				RuleIndex int    `json:"ruleIndex"`
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct {
							URI       string `json:"uri"`
							URIBaseID string `json:"uriBaseId"`
						} `json:"artifactLocation"`
						Region *struct {
							StartLine, StartColumn int
						}
					} `json:"physicalLocation"`
				}
				PartialFingerprints map[string]string `json:"partialFingerprints"`
			}
		}
	}
	if err := json.Unmarshal(text, &got, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if got.Version != "2.1.0" || !strings.Contains(got.Schema, "sarif-2.1.0") || len(got.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", got.Version, got.Schema, len(got.Runs))
	}
	driver, results := got.Runs[0].Tool.Driver, got.Runs[0].Results
	if driver.Name != "snaphook" || driver.Version != "1.2.3" || len(results) != 4 {
		t.Fatalf("driver %q %q, %d results", driver.Name, driver.Version, len(results))
	}
	for _, r := range driver.Rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.Help.Text == "" || r.Help.Markdown == "" || r.Default.Level == "" {
			t.Errorf("rule %+v has not all that is shown", r)
		}
	}
	for i, want := range []struct {
		id, level, uri, base string
		line, column         int
	}{
		{"gate-exit-1", "error", "a%20b/%C3%B6.sh", "%SRCROOT%", 2, 4}, // columns are in characters
		{"warm-would-help", "note", "file://", "", 1, 1},
		{"settings-problem", "error", "settings.json", "%SRCROOT%", 0, 0},
		{"settings-problem", "error", "", "", 0, 0},
	} {
		r := results[i]
		at := r.Locations[0].PhysicalLocation
		line, column := 0, 0
		if at.Region != nil {
			line, column = at.Region.StartLine, at.Region.StartColumn
		}
		if r.RuleID != want.id || driver.Rules[r.RuleIndex].ID != want.id || r.Level != want.level || r.Message.Text == "" ||
			!strings.HasPrefix(at.ArtifactLocation.URI, want.uri) || at.ArtifactLocation.URIBaseID != want.base && want.uri != "" ||
			line != want.line || column != want.column || len(r.PartialFingerprints) != 1 {
			t.Errorf("result %d is %+v, want %+v", i, r, want)
		}
	}
}
