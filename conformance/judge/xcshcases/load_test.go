package xcshcases_test

import (
	"path/filepath"
	"strings"
	"testing"

	xcshcases "github.com/snaphook-go/snaphook/conformance/judge/xcshcases"
	"github.com/snaphook-go/snaphook/internal/testkit"
)

const step = `"steps":[{"op":"getHookPaths"}],"expect":{"steps":[{"ok":true,"value":[]}]}`

func TestCasesThatCannotBeMeantAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a",` + step + `}`:                                   "",
		`{"id":"a",` + step + `}`:                                     "",
		`{` + step + `}`:                                              "no name",
		`{"name":"a","stepz":[],` + step + `}`:                        "stepz",
		`{"name":"a","runtime":"other",` + step + `}`:                 `no runtime "other"`,
		`{"name":"a","hooks":[{"pth":"x"}],` + step + `}`:             "pth",
		`{"name":"a","steps":[{"op":"emt"}],"expect":{"steps":[{}]}}`: `no operation "emt"`,
		`{"name":"a","steps":[],"expect":{"steps":[]}}`:               "0 steps, and 0 expectations",
		`{"name":"a","steps":[{"op":"wait"}],"expect":{}}`:            "1 steps, and 0 expectations",
		`[]`: "array",
	} {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "cases", "a.json"), text, 0o644)
		cases, err := xcshcases.Load(dir)
		switch {
		case want == "" && (err != nil || len(cases) != 1 || cases[0].Name != "a"):
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.json") || cases != nil):
			t.Errorf("%s: the error is %v, want %q in it", text, err, want)
		}
	}
}

func TestNoCasesAndCasesOfOneNameAreRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := xcshcases.Load(dir); err == nil || !strings.Contains(err.Error(), "no cases") {
		t.Errorf("the error is %v", err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "cases", "a.json"), `{"name":"a",`+step+`}`, 0o644)
	testkit.WriteFile(t, filepath.Join(dir, "cases", "b.json"), `{"name":"a",`+step+`}`, 0o644)
	if _, err := xcshcases.Load(dir); err == nil || !strings.Contains(err.Error(), "a.json too") {
		t.Errorf("the error is %v", err)
	}
}
