package shell

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// identify returns the identity of a program of the system: a regular file in /usr/bin or /bin that only root
// can change.
func identify(path string) (id programFile, ok bool) {
	if dir := filepath.Dir(path); dir != "/usr/bin" && dir != "/bin" {
		return id, false
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0 ||
		info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
		return id, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid != 0 {
		return id, false
	}
	return programFile{path, stat.Dev, stat.Ino, stat.Size, stat.Ctim.Nano(), stat.Mtim.Nano()}, true
}
