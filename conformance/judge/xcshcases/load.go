package xcshcases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Load reads every case of dir/cases/*.json, in the order of the file names. If
// anything is wrong, it returns no case and one error that names every file at
// fault.
func Load(dir string) ([]Case, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "cases", "*.json"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	var wrong []error
	names := map[string]string{}
	for _, path := range paths {
		c, err := load(path)
		if err == nil && names[c.Name] != "" {
			err = fmt.Errorf("%s: the case %q is in %s too: choose a new name", path, c.Name, names[c.Name])
		}
		names[c.Name] = path
		cases, wrong = append(cases, c), append(wrong, err)
	}
	if len(cases) == 0 {
		wrong = append(wrong, fmt.Errorf("%s: there are no cases", dir))
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return cases, nil
}

func load(path string) (c Case, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	c.Path = path
	if c.Name == "" {
		c.Name = c.ID
	}
	switch {
	case c.Name == "":
		err = fmt.Errorf("%s: the case has no name", path)
	case len(c.Steps) == 0 || len(c.Steps) != len(c.Expect.Steps):
		err = fmt.Errorf(
			"%s: %d steps, and %d expectations: there has to be one for each",
			path,
			len(c.Steps),
			len(c.Expect.Steps),
		)
	case c.Runtime != "" && c.Runtime != "extension":
		err = fmt.Errorf("%s: there is no runtime %q: leave it out, or write extension", path, c.Runtime)
	}
	for _, step := range c.Steps {
		if operations[step.Op] == nil {
			err = errors.Join(err, fmt.Errorf("%s: there is no operation %q", path, step.Op))
		}
	}
	return c, err
}

// place replaces the placeholders of a case by the directories of a run.
func (c *Case) place(dirs map[string]string) (placed Case, err error) {
	text, err := os.ReadFile(c.Path)
	if err != nil {
		return placed, err
	}
	var pairs []string
	for name, dir := range dirs {
		quoted, _ := jsontext.AppendQuote(nil, dir)
		pairs = append(pairs, name, strings.Trim(string(quoted), `"`))
	}
	err = json.Unmarshal([]byte(replaceWords(string(text), pairs)), &placed)
	placed.Path, placed.Name = c.Path, c.Name
	return placed, err
}

// replaceWords replaces names, but not where a longer name begins with the name, such as $HOME in $HOMEX.
func replaceWords(text string, pairs []string) string {
	for i := 0; i < len(pairs); i += 2 {
		var b strings.Builder
		for {
			before, after, found := strings.Cut(text, pairs[i])
			b.WriteString(before)
			if !found {
				break
			}
			if after != "" &&
				(after[0] == '_' ||
					'A' <= after[0] && after[0] <= 'Z' || 'a' <= after[0] && after[0] <= 'z' || '0' <= after[0] && after[0] <= '9') {
				b.WriteString(pairs[i])
			} else {
				b.WriteString(pairs[i+1])
			}
			text = after
		}
		text = b.String()
	}
	return text
}
