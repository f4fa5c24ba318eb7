//go:build unix

package project

import (
	"os"
	"syscall"
)

// ownedAlike reports whether two directories belong to one user.
func ownedAlike(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	if err != nil {
		return false
	}
	x, ok := one.Sys().(*syscall.Stat_t)
	y, ok2 := two.Sys().(*syscall.Stat_t)
	return ok && ok2 && x.Uid == y.Uid
}
