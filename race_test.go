//go:build race

package snaphook_test

// The race detector makes a fire about ten times slower, and one fire of many has the same races.
func init() { brokenStep = 97 }
