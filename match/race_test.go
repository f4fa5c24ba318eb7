//go:build race

package match

// raceEnabled is true with the race detector, in which a sync.Pool drops elements at random.
const raceEnabled = true
