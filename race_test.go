//go:build race

package snaphook_test

// The race detector makes a fire about ten times slower; the test then fires only some of the denials, which all have
// the same races.
func init() { brokenStep = 97 }
