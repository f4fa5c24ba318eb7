package llxprtcases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/internal/casedir"
)

// Dir returns the directory of a dialect that holds FORMAT.md and cases, and whether it has cases at all. It is
// $SNAPHOOK_CASES/<dialect> if the variable is set (a relative path starts at the root of the repository), else the
// repository's own copy, below conformance.
func Dir(dialect string) (dir string, found bool) {
	dir = filepath.Join(casedir.Root(), dialect)
	info, err := os.Stat(filepath.Join(dir, "cases"))
	return dir, err == nil && info.IsDir()
}

// Load reads every case of dir/cases/*.json, in the order of the file names
// and, within a file, of the cases. If anything is wrong, it returns no case and
// one error that names every file and case at fault.
func Load(dir string) ([]Case, error) {
	folder := filepath.Join(dir, "cases")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("conformance cases: %w", err)
	}
	var cases []Case
	var wrong []error
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		some, err := loadFile(path)
		cases = append(cases, some...)
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return cases, nil
}

func loadFile(path string) ([]Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	cases, err := parseFile(path, text)
	if err == nil && len(cases) == 0 {
		err = fmt.Errorf("%s: it holds no cases: add one, or delete the file", path)
	}
	return cases, err
}

func parseFile(path string, text []byte) ([]Case, error) {
	var file struct {
		Theme       string           `json:"theme"`
		Description string           `json:"description"`
		Cases       []jsontext.Value `json:"cases"`
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if file.Theme == "" {
		return nil, fmt.Errorf("%s: theme is missing: write the file's name without .json", path)
	}
	var cases []Case
	var wrong []error
	names := map[string]bool{}
	for i, text := range file.Cases {
		c, err := parse(text)
		if err == nil && names[c.Name] {
			err = errors.New("another case of the file has this name: choose a new one")
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: case %d (%q): %w", path, i+1, nameOf(text), err))
		}
		names[c.Name] = true
		c.Theme, c.File = file.Theme, path
		cases = append(cases, c)
	}
	return cases, errors.Join(wrong...)
}

// nameOf returns the name of a case that could not be read as a whole.
func nameOf(text jsontext.Value) string {
	var named struct {
		Name any `json:"name"`
	}
	_ = json.Unmarshal(text, &named) // stays empty if the text is not an object
	name, _ := named.Name.(string)
	return name
}
