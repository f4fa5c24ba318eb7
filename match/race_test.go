//go:build race

package match

// raceEnabled: the race detector makes pools drop what they hold, at random.
const raceEnabled = true
