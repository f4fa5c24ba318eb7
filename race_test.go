//go:build race

package snaphook_test

// With the race detector a fire is about ten times slower. The test then fires only some of the denials; all denials
// have the same races.
func init() { brokenStep = 97 }
