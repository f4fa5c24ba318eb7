// Package scratch makes directories for temporary files. If a process is killed before it removes its directories, the
// next process that makes a directory removes the remaining ones.
//
// All directories of a process lie in one directory, in which it holds the lock of a file. The lock ends with the
// process, however the process ends. Unlike process ids, locks also work between containers that share a folder.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/snaphook-go/snaphook/internal/bounded"
)

const (
	prefix = "snaphook-run-"
	owner  = "owner" // the file with the lock
	// mostTries limits the attempts to make a directory if sweeps of other processes remove it at once.
	mostTries = 8
	most      = 1 << 16 // limits the names that Sweep examines
)

// home is the directory of this process below one folder for temporary files.
type home struct {
	path string
	lock *os.File
	dirs map[string]struct{}
}

var (
	mu    sync.Mutex
	homes = map[string]*home{} // by folder
	swept = map[string]bool{}  // the folders that this process has examined
)

// Dir makes a directory whose name begins with name, and which this user alone may enter; its
// path has no links in it. Remove it with [Remove]. The first call in a process also removes the
// directories of killed processes of the same user.
//
// Dir may be called from many goroutines.
func Dir(name string) (path string, err error) {
	mu.Lock()
	defer mu.Unlock()
	folder := os.TempDir()
	h := homes[folder]
	if h != nil {
		if _, err := os.Lstat(h.path); err != nil { // removed by others
			h.close(folder)
			h = nil
		}
	}
	if h == nil {
		if !swept[folder] {
			swept[folder] = true
			Sweep(folder)
		}
		if h, err = open(folder); err != nil {
			return "", err
		}
		homes[folder] = h
	}
	path, err = os.MkdirTemp(h.path, name)
	if err == nil {
		h.dirs[path] = struct{}{}
	}
	return path, errors.Join(err, h.closeIfEmpty(folder))
}

// Remove removes a directory and its contents; path need not come from Dir.
func Remove(path string) error {
	mu.Lock()
	defer mu.Unlock()
	err := os.RemoveAll(path)
	for folder, h := range homes {
		if _, ours := h.dirs[path]; ours {
			delete(h.dirs, path)
			err = errors.Join(err, h.closeIfEmpty(folder))
		}
	}
	return err
}

// open makes the directory of this process, and locks it.
func open(folder string) (*home, error) {
	for try := 1; ; try++ {
		path, err := os.MkdirTemp(folder, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(filepath.Join(path, owner), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(path))
		}
		// Before the lock was taken, a sweep may have removed the directory. The last try continues without the lock:
		// on a file system without locks Sweep gets no lock either, and removes nothing.
		locked := tryLock(lock) || try == mostTries
		if _, gone := os.Lstat(lock.Name()); locked && gone == nil {
			h := &home{path: path, lock: lock, dirs: map[string]struct{}{}}
			if real, err := filepath.EvalSymlinks(path); err == nil {
				h.path = real
			}
			return h, nil
		}
		_ = lock.Close()
		_ = os.RemoveAll(path)
	}
}

func (h *home) closeIfEmpty(folder string) error {
	if len(h.dirs) > 0 {
		return nil
	}
	return h.close(folder)
}

func (h *home) close(folder string) error {
	delete(homes, folder)
	return errors.Join(h.lock.Close(), os.RemoveAll(h.path))
}

// Sweep removes the directories of ended processes of this user in a folder for temporary files. It follows no links,
// and does not remove files of other users.
func Sweep(folder string) {
	dir, err := bounded.OpenDir(folder)
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(most)
	_ = dir.Close()
	for _, name := range names {
		if path := filepath.Join(folder, name); strings.HasPrefix(name, prefix) && isOwn(path) {
			sweep(path)
		}
	}
}

// isOwn reports whether a path is a directory of this user that contains the file named owner.
func isOwn(path string) bool {
	dir, err := os.Lstat(path)
	if err != nil || !dir.IsDir() || !mine(dir) {
		return false
	}
	file, err := os.Lstat(filepath.Join(path, owner))
	return err == nil && file.Mode().IsRegular() && mine(file)
}

func sweep(path string) {
	lock, err := bounded.OpenLock(filepath.Join(path, owner), 0)
	if err != nil || !tryLock(lock) {
		_ = lock.Close()
		return
	}
	entries, _ := os.ReadDir(path)
	for _, entry := range entries {
		if entry.Name() != owner { // the file with the lock stays until all others are removed
			_ = os.RemoveAll(filepath.Join(path, entry.Name()))
		}
	}
	_ = lock.Close() // Windows does not remove open files
	_ = os.RemoveAll(path)
}
