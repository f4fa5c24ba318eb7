//go:build unix

package copilot

import (
	"fmt"
	"os"
	"syscall"

	"github.com/snaphook-go/snaphook/internal/environ"
)

// checkOwner returns why a file of the policy directory is ignored. Its owner has to be root, or the
// user who runs the program if SNAPHOOK_ETC replaces /etc, and no other user may write it (G3).
func checkOwner(file string, env []string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	owner := 0
	if environ.Getenv(env, "SNAPHOOK_ETC") != "" {
		owner = os.Geteuid()
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != owner && stat.Uid != 0 {
		return fmt.Errorf("it belongs to user %d and not to root, so the file is ignored; write chown root", stat.Uid)
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("others can write it (mode %04o), so the file is ignored; write chmod go-w", mode)
	}
	return nil
}
