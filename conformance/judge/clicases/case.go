// Package clicases loads and judges the cases below conformance/cli, which run an engine through
// its command line: settings, scripts, one event or several, and the expected results. The contract
// is conformance/cli/FORMAT.md.
package clicases

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/internal/casedir"
)

// Case is one case. A case without Steps is itself one step.
type Case struct {
	Name    string                    `json:"name"`
	Group   string                    `json:"group"`
	Note    string                    `json:"note"`
	Basis   []string                  `json:"basis"`
	Rules   []string                  `json:"rules"` // rules of docs/spec
	Project map[string]jsontext.Value `json:"project"`
	Home    map[string]jsontext.Value `json:"home"`
	Etc     map[string]jsontext.Value `json:"etc"`
	Scripts map[string]string         `json:"scripts"`
	Env     map[string]string         `json:"env"`
	Steps   []Step                    `json:"steps"`
	Step

	File string `json:"-"`
	text []byte
}

// Step is one event of a case.
type Step struct {
	Event  string                    `json:"event"`
	Input  jsontext.Value            `json:"input"`
	Expect map[string]jsontext.Value `json:"expect"`
	Args   []string                  `json:"args"`
	Write  map[string]jsontext.Value `json:"write"`
}

// expectations lists the members that expect may have.
var expectations = []string{
	"exit", "blocked", "stop", "reason", "ran", "ran_in_order", "outcomes", "effects", "model_sees", "user_sees",
	"model_not_sees", "user_not_sees", "stdin", "hook_env", "notes", "skipped", "check", "check_exit", "faster_than_ms",
}

// Dialects returns the names of the directories with cases, such as codex and profiles, and their
// parent: $SNAPHOOK_CASES/cli if the variable is set, else the repository's own copy.
func Dialects() (names []string, dir string) {
	dir = filepath.Join(casedir.Root(), "cli")
	entries, _ := os.ReadDir(dir) // no entries if the directory does not exist
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, dir
}

// Load reads every case of dir/cases/*.json in the order of the file names. An unknown member is an
// error: a misspelt expectation must not pass unread.
func Load(dir string) (cases []Case, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "cases", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("there is no case in %s", filepath.Join(dir, "cases")))
	}
	var wrong []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c, err := parse(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
		}
		c.File = file
		cases = append(cases, c)
	}
	return cases, errors.Join(wrong...)
}

func parse(text []byte) (c Case, err error) {
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return c, err
	}
	c.text = text
	if len(c.Name) == 0 || len(c.Basis) == 0 {
		return c, errors.New("a case needs a name and a basis")
	}
	for _, s := range c.steps() {
		if s.Event == "" || len(s.Expect) == 0 {
			return c, errors.New("a step needs an event, and something to expect")
		}
		for name := range s.Expect {
			if !slices.Contains(expectations, name) {
				return c, fmt.Errorf("there is no expectation %q; write one of %s", name, strings.Join(expectations, ", "))
			}
		}
	}
	return c, nil
}

// All returns the steps of the case.
func (c *Case) All() []Step { return c.steps() }

// Write writes the files that a step writes before its event.
func (p *Prepared) Write(s *Step) error { return writeAll(p.Dir, s.Write) }

func (c *Case) steps() []Step {
	if c.Steps != nil {
		return c.Steps
	}
	return []Step{c.Step}
}

// Prepared is a case whose files are on disk.
type Prepared struct {
	Case
	Dir, home, etc, root string
}

// Prepare writes the files of a case below a directory, which must not be a symbolic link.
func (c *Case) Prepare(root string) (*Prepared, error) {
	p := &Prepared{
		Dir: filepath.Join(root, "project"), home: filepath.Join(root, "home"), etc: filepath.Join(root, "etc"), root: root,
	}
	text := bytes.ReplaceAll(c.text, []byte("{{DIR}}"), []byte(p.Dir))
	var err error
	if p.Case, err = parse(bytes.ReplaceAll(text, []byte("{{HOME}}"), []byte(p.home))); err != nil {
		return nil, err
	}
	p.File = c.File
	for _, dir := range []string{p.Dir, p.home, p.etc} {
		err = errors.Join(err, os.MkdirAll(dir, 0o755))
	}
	for name, script := range p.Scripts {
		err = errors.Join(err, write(p.Dir, name, []byte(script), 0o755))
	}
	return p, errors.Join(err, writeAll(p.Dir, p.Project), writeAll(p.home, p.Home), writeAll(p.etc, p.Etc))
}

// writeAll writes a string as it is, and anything else as JSON.
func writeAll(dir string, files map[string]jsontext.Value) (err error) {
	for name, value := range files {
		text := []byte(value)
		if value.Kind() == '"' {
			text, _ = jsontext.AppendUnquote(nil, value)
		}
		err = errors.Join(err, write(dir, name, text, 0o644))
	}
	return err
}

func write(dir, name string, text []byte, mode os.FileMode) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, text, mode); err != nil {
		return err
	}
	return os.Chmod(file, mode)
}

// Environ returns the environment of the engine.
func (p *Prepared) Environ() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "LANG=C.UTF-8", "TMPDIR=" + p.root, "HOOK_LOG=" + p.log(), "SNAPHOOK_ETC=" + p.etc,
	}
	for name, value := range p.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// log returns the file to which scripts write their labels.
func (p *Prepared) log() string { return filepath.Join(p.root, "hook.log") }
