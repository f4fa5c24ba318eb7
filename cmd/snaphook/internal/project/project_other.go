//go:build !unix

package project

// ownedAlike returns true: on this system permissions decide who can write above a user's directory.
func ownedAlike(a, b string) bool { return true }
