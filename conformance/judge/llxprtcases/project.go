package llxprtcases

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Prepared is a case whose project exists: its tokens are expanded and its files written.
type Prepared struct {
	Case
	Project string // the project directory: absolute, without symbolic links
}

// Prepare sets the case's project up in a temporary directory of t, which is removed when t ends;
// an error ends t. The environment and the working directory of the process do not change: cases
// can run in parallel.
func (c Case) Prepare(t testing.TB) *Prepared {
	t.Helper()
	p, err := c.prepareIn(t.TempDir())
	if err != nil {
		t.Fatalf("cannot prepare case %q of %s: %v", c.Name, c.File, err)
	}
	return p
}

func (c Case) prepareIn(dir string) (*Prepared, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	project := filepath.Join(dir, c.ProjectDirName)
	if err := os.Mkdir(project, 0o755); err != nil {
		return nil, err
	}
	expanded, err := c.expanded(project)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Case: expanded, Project: project}
	return p, errors.Join(p.write("scripts", p.Scripts, 0o755), p.write("files", p.Files, 0o644))
}

func (p *Prepared) write(key string, texts map[string]string, mode fs.FileMode) error {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		path := p.path(name)
		if below, err := filepath.Rel(p.Project, path); err != nil || !filepath.IsLocal(below) || below == "." {
			return fmt.Errorf("%s: %q is not below the project directory", key, name)
		}
		if err := WriteFile(path, texts[name], mode); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// WriteFile writes a file with that mode, independent of the umask, and creates the directories
// above it. It writes while no process is forked: a child that inherits the open file would make a
// run of the script fail with "text file busy".
func WriteFile(path, text string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), mode)
	syscall.ForkLock.RUnlock()
	return errors.Join(err, os.Chmod(path, mode))
}

// path returns the path of a file of the case. A relative name starts at the project.
func (p *Prepared) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Project, name)
}

// Environ returns the environment of the case's engine, each name once: the environment of this process without
// GITHUB_SHA and the variables with an agent's project directory, then the case's env. It has to be passed to the
// engine explicitly.
func (p *Prepared) Environ() []string {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env[name] = value
		}
	}
	for _, name := range []string{"LLXPRT_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GITHUB_SHA"} {
		delete(env, name)
	}
	for name, value := range p.Env {
		if value == nil {
			delete(env, name)
		} else {
			env[name] = *value
		}
	}
	pairs := make([]string, 0, len(env))
	for name, value := range env {
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	return pairs
}

// resetTrace removes trace.log.
func (p *Prepared) resetTrace() error {
	err := os.Remove(p.path("trace.log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
