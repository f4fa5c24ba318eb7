package claudecases

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/conformance/judge/llxprtcases"
)

// SessionID is the session_id of every case that does not set another.
const SessionID = "s-1"

// Prepared is a case that is set up: its placeholders are replaced, its files written, and its
// server answers.
type Prepared struct {
	Case
	Level string // a name of the case's variants, or empty for release 2.1.88

	Dir        string // the project directory and cwd: absolute, without symbolic links
	Home       string // a fresh home directory, outside of Dir
	Transcript string // an empty file in Dir

	// LayerFiles lists the files of the settings by precedence; managed and flag lie outside of Dir
	// and Home.
	LayerFiles []LayerFile

	Model *LLM  // answers prompt and agent hooks
	User  *User // answers prompt requests; nil if the host has no handler

	server  *server
	scratch string // a directory for the judge's own files
	logged  int    // labels in hook.log before this step
}

// LayerFile is one layer of settings.
type LayerFile struct {
	Name string         // managed, flag, local, project or user
	File string         // where Data is written
	Data jsontext.Value // of any type; the content before the first step
}

// Prepare sets the case up in temporary directories of t, which are removed when t ends, like the
// server; an error ends t. level is empty, or one of the case's variants. The environment and the
// working directory of the process do not change: cases can run in parallel.
func (c Case) Prepare(t testing.TB, level string) *Prepared {
	t.Helper()
	server := startServer()
	t.Cleanup(server.close)
	p, err := c.prepareIn(t.TempDir(), level, server)
	if err != nil {
		t.Fatalf("cannot prepare case %q of %s: %v", c.Name, c.File, err)
	}
	return p
}

func (c Case) prepareIn(root, level string, server *server) (*Prepared, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	p := &Prepared{
		Level: level, server: server,
		Dir: filepath.Join(root, "project"), Home: filepath.Join(root, "home"), scratch: filepath.Join(root, "scratch"),
	}
	for _, dir := range []string{p.Dir, p.Home, p.scratch} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if p.Case, err = c.expanded(level, "{{DIR}}", p.Dir, "{{HTTP}}", server.web.URL, "{{DEAD}}", server.dead()); err != nil {
		return nil, err
	}
	server.answers = p.HTTP
	p.Model = &LLM{replies: p.LLM}
	if p.UserSelects != nil {
		p.User = &User{picks: p.UserSelects}
	}
	return p, p.write()
}

// expanded returns the case at that level, with the placeholders replaced. They occur in strings
// alone: replacing them in the JSON text of the case is safe.
func (c Case) expanded(level string, placeholders ...string) (Case, error) {
	if c.text == nil {
		return c, errors.New("the case has no text: get it from Load")
	}
	at, err := c.at(level)
	if err != nil {
		return c, err
	}
	for i := 1; i < len(placeholders); i += 2 {
		quoted, err := jsontext.AppendQuote(nil, placeholders[i])
		if err != nil {
			return c, err
		}
		placeholders[i] = string(quoted[1 : len(quoted)-1])
	}
	e, err := parse(jsontext.Value(strings.NewReplacer(placeholders...).Replace(string(at.text))))
	e.File = c.File
	return e, err
}

func (p *Prepared) write() error {
	p.Transcript = p.path("transcript.jsonl")
	if err := llxprtcases.WriteFile(p.Transcript, "", 0o644); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		path := p.path(name)
		if below, err := filepath.Rel(p.Dir, path); err != nil || !filepath.IsLocal(below) || below == "." {
			return fmt.Errorf("scripts: %q is not below the project directory", name)
		}
		if err := llxprtcases.WriteFile(path, p.Scripts[name], 0o755); err != nil {
			return fmt.Errorf("scripts: %w", err)
		}
	}
	return errors.Join(p.writeLayers(), p.writePlugins())
}

func (p *Prepared) writeLayers() error {
	files := map[string]string{
		"managed": filepath.Join(p.scratch, "managed-settings.json"),
		"flag":    filepath.Join(p.scratch, "flag-settings.json"),
		"local":   p.path(".claude/settings.local.json"),
		"project": p.projectSettings(),
		"user":    filepath.Join(p.Home, ".claude", "settings.json"),
	}
	given := p.Layers
	if p.Settings != nil {
		given = map[string]jsontext.Value{"project": p.Settings}
	}
	for _, name := range layers {
		data, ok := given[name]
		if !ok {
			continue
		}
		p.LayerFiles = append(p.LayerFiles, LayerFile{Name: name, File: files[name], Data: data})
		if err := llxprtcases.WriteFile(files[name], string(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *Prepared) projectSettings() string { return p.path(".claude/settings.json") }

// writePlugins writes files into the plugins whose directory the scripts have made. Some cases are
// about a plugin without a directory.
func (p *Prepared) writePlugins() error {
	for _, plugin := range p.Plugins {
		if _, err := os.Stat(plugin.Root); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		manifest, err := jsontext.AppendQuote([]byte(`{"name": `), plugin.Name)
		if err != nil {
			return err
		}
		for name, text := range map[string]string{
			"hooks/hooks.json":           string(plugin.Hooks),
			".claude-plugin/plugin.json": string(manifest) + "}\n",
		} {
			if err := llxprtcases.WriteFile(filepath.Join(plugin.Root, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// path returns the path of a file of the case. A relative name starts at the project.
func (p *Prepared) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}
