package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// programs caches searches for programs while settings are loaded: a file of ten thousand hooks would search PATH ten
// thousand times. Runs of hooks do not use it.
var programs found

// found caches paths of programs for [foundFor], by PATH and name. It is safe for concurrent use.
type found struct {
	mu    sync.Mutex
	since time.Time
	paths map[[2]string]string // "" if there is no such program
}

// foundFor limits the age of a cached path. It is longer than loading settings takes, and shorter than installing a
// program takes. mostFound limits the number of names, which a project's settings choose.
const (
	foundFor  = time.Second
	mostFound = 1000
)

// find returns the cached path of a program, or calls search and caches the result.
func (f *found) find(path, name string, search func(path, name string) string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := time.Since(f.since); age < 0 || age > foundFor || len(f.paths) >= mostFound {
		f.since, f.paths = time.Now(), map[[2]string]string{}
	}
	key := [2]string{path, name}
	program, known := f.paths[key]
	if !known {
		program = search(path, name)
		f.paths[key] = program
	}
	return program
}

// lookPath calls exec.LookPath with the engine's PATH; it returns "" if there is no such program.
func lookPath(_, name string) string {
	path, _ := exec.LookPath(name)
	return path
}

// findProgram is exec.LookPath with the cache of programs. It ignores relative directories of PATH.
func findProgram(name string) (string, error) {
	if path := programs.find(os.Getenv("PATH"), name, lookPath); filepath.IsAbs(path) {
		return path, nil
	}
	return "", exec.ErrNotFound
}
