//go:build !linux

package shell

import (
	"io/fs"
	"os"
)

func openFile(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, 0) }

func access(path, op string) bool { panic(cold("the test " + op)) }

func mayWrite(path string) bool { return false }

func mayEnter(dir string) bool { return true }

func statFile(path string, follow bool) (fs.FileInfo, error) {
	if follow {
		return os.Stat(path)
	}
	return os.Lstat(path)
}
