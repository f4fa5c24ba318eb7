//go:build !race

package command

// raceDetector reports whether the race detector is on, which distorts ratios.
const raceDetector = false
