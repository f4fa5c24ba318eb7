package snaphook_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// uncited is the number of rules in docs/spec that no test and no case cites. It stays 0: a new
// rule comes with its test.
const uncited = 0

var (
	ruleLine = regexp.MustCompile(`(?m)^\*\*((?:CX|[LCXPUG])\d+)\*\* \([\w.]+\) `)
	citation = regexp.MustCompile(`\(((?:CX|[LCXPUG])\d+(?:, (?:CX|[LCXPUG])\d+)*)\)|\b[Rr]ules? ((?:CX|[LCXPUG])\d+(?:(?:, |,? and )(?:CX|[LCXPUG])\d+)*)`)
	ruleName = regexp.MustCompile(`(?:CX|[LCXPUG])\d+`)
)

// The rules of docs/spec have unique numbers, and every citation cites a rule that exists. The
// test lists the rules that no test and no conformance case cites.
func TestRulesAreThereAndCited(t *testing.T) {
	tested := map[string]bool{}
	for _, file := range []string{"llxprt", "claude", "xcsh", "profiles", "codex", "copilot", "cursor"} {
		for _, m := range ruleLine.FindAllStringSubmatch(read(t, "docs/spec/"+file+".md"), -1) {
			if _, twice := tested[m[1]]; twice {
				t.Errorf("docs/spec/%s.md: two rules are %s", file, m[1])
			}
			tested[m[1]] = false
		}
	}
	if len(tested) < 200 {
		t.Fatalf("docs/spec has %d rules; are they still written as **L1** (level)?", len(tested))
	}
	for file, rules := range citations(t) {
		for _, rule := range rules {
			if _, known := tested[rule]; !known {
				t.Errorf("%s cites rule %s, which docs/spec does not have", file, rule)
				continue
			}
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".json") {
				tested[rule] = true
			}
		}
	}
	var untested []string
	for rule, is := range tested {
		if !is {
			untested = append(untested, rule)
		}
	}
	slices.SortFunc(untested, func(a, b string) int { return strings.Compare(a[:1]+pad(a[1:]), b[:1]+pad(b[1:])) })
	t.Logf("no test and no case cites %d rules: %s", len(untested), strings.Join(untested, " "))
	if len(untested) > uncited {
		t.Errorf("no test and no case cites %d rules, want %d at most: write the number of a rule, as in (L29), where it is tested", len(untested), uncited)
	}
}

// Files cite rules of docs/spec, and no texts outside of the repository.
func TestNothingCitesOtherTexts(t *testing.T) {
	other := regexp.MustCompile(`(?i)\bseeds?[\s/]+00\d|00[0-4] §`)
	for file := range citations(t) {
		if cited := other.FindString(read(t, file)); cited != "" && file != "spec_test.go" {
			t.Errorf("%s cites %q; cite a rule of docs/spec", file, cited)
		}
	}
}

func pad(number string) string { return strings.Repeat("0", 4-len(number)) + number }

// citations returns the rules that the files of this repository cite.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	cited := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		switch ext := filepath.Ext(path); {
		case ext == ".json" && strings.HasPrefix(path, "conformance"):
			cited[path] = rulesOf(t, path)
		case (ext == ".go" || ext == ".md" || ext == ".txtar") && !strings.HasPrefix(path, filepath.Join("docs", "spec")):
			cited[path] = nil
			for _, m := range citation.FindAllString(read(t, path), -1) {
				cited[path] = append(cited[path], ruleName.FindAllString(m, -1)...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return cited
}

// rulesOf returns the members "rules" of a file of cases.
func rulesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type ruled struct {
		Rules []string         `json:"rules"`
		Cases []jsontext.Value `json:"cases"`
	}
	var file ruled
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	rules := file.Rules
	for _, text := range file.Cases {
		var one ruled
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rules = append(rules, one.Rules...)
	}
	return rules
}
