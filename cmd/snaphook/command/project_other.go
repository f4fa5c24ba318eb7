//go:build !unix

package command

// ownedAlike reports whether two directories belong to one user; here rights decide who can write above
// a directory of a user.
func ownedAlike(a, b string) bool { return true }
