package claudecases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// Cases returns the cases of [llxprtcases.Dir]: the files of conformance/claude, or
// of $SNAPHOOK_CASES/claude. It skips t without cases, and ends t if a case is malformed.
func Cases(t testing.TB) []Case {
	t.Helper()
	dir, found := llxprtcases.Dir("claude")
	if !found {
		t.Skip("there are no claude cases in the directory of SNAPHOOK_CASES")
	}
	cases, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// Load reads every case of dir/cases/*.json, one a file, in the order of the
// file names. If anything is wrong, it returns no case and one error that names
// every file at fault.
func Load(dir string) ([]Case, error) {
	folder := filepath.Join(dir, "cases")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("conformance cases: %w", err)
	}
	var cases []Case
	var wrong []error
	files := map[string]string{} // by the name of the case
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		c, err := loadFile(filepath.Join(folder, entry.Name()))
		if other := files[c.Name]; err == nil && other != "" {
			err = fmt.Errorf("%s: %s has a case of the name %q: choose a new one", c.File, other, c.Name)
		}
		files[c.Name] = entry.Name()
		cases = append(cases, c)
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return cases, nil
}

func loadFile(path string) (Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Case{}, err
	}
	c, err := parse(text)
	for _, level := range c.levels() {
		if err != nil {
			break
		}
		_, err = c.at(level)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.File = path
	return c, nil
}

// at returns the case in its variant for a level; empty means the case itself.
func (c Case) at(level string) (Case, error) {
	if level == "" {
		return c, nil
	}
	var members, changed map[string]jsontext.Value
	if err := json.Unmarshal(c.text, &members); err != nil {
		return c, err
	}
	if err := json.Unmarshal(c.Variants[level], &changed); err != nil || len(changed) == 0 {
		return c, fmt.Errorf("variants: %s changes nothing: write the keys that it replaces", level)
	}
	for key, value := range changed {
		members[key] = value
	}
	delete(members, "variants")
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return c, err
	}
	v, err := parse(text)
	if err != nil {
		return c, fmt.Errorf("variants: %s: %w", level, err)
	}
	v.File = c.File
	return v, nil
}
