package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/snaphook-go/snaphook/hook"
)

// Logs conform to the schema of OASIS. The test reads each log with a library that drops members which the format does
// not have, and writes it again: the two logs must have the same members.
func TestTheLogHoldsToTheSchema(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ö b.sh")
	if err := os.WriteFile(file, []byte("x\nexit 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := []Finding{Problem(hook.Position{File: file}, "no JSON"), Problem(hook.Position{}, "of no file")}
	for i, r := range Rules() {
		all = append(all, Finding{
			ID: r.ID, Severity: r.Severity, Message: r.Doc, Fix: r.Fix,
			Position: hook.Position{File: file, Line: i%3 + 1, Column: i%2 + 1},
		})
	}
	all = append(all, Finding{ID: "gate-exit-1", Severity: Error, Message: "elsewhere", Position: hook.Position{File: "/no/such", Line: 9, Column: 9}})
	for name, found := range map[string][]Finding{"nothing": nil, "one of each": all} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(NewSARIF("1.2.3", dir, found))
			if err != nil {
				t.Fatal(err)
			}
			report, err := sarif.FromBytes(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range report.Runs { // the library's defaults do not pass its own validation
				run.Language, run.Tool.Driver.Language = "en-US", "en-US"
				run.NewlineSequences = []string{"\n"}
			}
			if err := report.Validate(); err != nil {
				t.Error(err)
			}
			again, err := json.Marshal(report)
			if err != nil {
				t.Fatal(err)
			}
			var ours, theirs any
			if err := json.Unmarshal(text, &ours); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(again, &theirs); err != nil {
				t.Fatal(err)
			}
			for _, member := range lost("", ours, theirs) {
				t.Errorf("the format has no such member, or another value: %s", member)
			}
		})
	}
}

// lost returns the members that the log ours has and the log theirs lacks.
func lost(path string, ours, theirs any) (all []string) {
	switch v := ours.(type) {
	case map[string]any:
		other, _ := theirs.(map[string]any)
		for name, member := range v {
			if _, there := other[name]; !there {
				all = append(all, path+"/"+name)
				continue
			}
			all = append(all, lost(path+"/"+name, member, other[name])...)
		}
	case []any:
		other, _ := theirs.([]any)
		for i, element := range v {
			if i >= len(other) {
				return append(all, path)
			}
			all = append(all, lost(path, element, other[i])...)
		}
	default:
		if ours != theirs {
			return []string{path}
		}
	}
	return all
}
