//go:build !race

package command

// raceDetector reports whether the race detector is on, which spoils ratios.
const raceDetector = false
