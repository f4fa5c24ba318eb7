//go:build race

package trust_test

func init() { raceDetector = true }
