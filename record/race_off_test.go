//go:build !race

package record_test

// raceDetector reports whether the race detector is on.
const raceDetector = false
