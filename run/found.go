package run

import (
	"os/exec"
	"sync"
	"time"
)

// programs remembers the programs that the loading of settings looks for: a file of ten
// thousand hooks would search PATH ten thousand times. Nothing that runs is taken from it.
var programs found

// found keeps paths of programs for [foundFor], by PATH and name. Several goroutines may use it.
type found struct {
	mu    sync.Mutex
	since time.Time
	paths map[[2]string]string // "" for a program that is not there
}

// foundFor is how long a found program is believed in: a load takes less, and a user who
// installs one takes longer. mostFound bounds the names, which a project's settings choose.
const (
	foundFor  = time.Second
	mostFound = 1000
)

// find returns the path that search returns for a program, or returned in the last second.
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

// lookPath is exec.LookPath in the engine's PATH; "" if there is no such program.
func lookPath(_, name string) string {
	path, _ := exec.LookPath(name)
	return path
}
