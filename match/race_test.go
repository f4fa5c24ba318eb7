//go:build race

package match

// raceEnabled is true with the race detector, which makes pools drop their elements at random.
const raceEnabled = true
