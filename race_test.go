//go:build race

package snaphook_test

// With the race detector a fire is about ten times slower. Tests then fire only every 97th of the broken denials: all
// of them have the same races.
func init() { brokenStep = 97 }
